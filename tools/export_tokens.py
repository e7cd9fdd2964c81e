"""Reference token ids, from the `tokenizers` library: writes the rest of tests/text/data/.

Usage: export_tokens.py [FOLDER] (where scripts/fetch-tokenizers put its files; .deps/tokenizers by default)
       export_tokens.py --show NAME FILE LINE [FOLDER]: the library's ids of one line, to compare with a failing test's

Run by hand after `pip install -r tools/requirements-tokens.txt`; the version used and the digest of each
tokenizer file are written into the files.

  made.txt           texts made here; tests/text/data/README.md lists the other files of texts
  repeats.txt        a number and a text that stands for so many of it
  digests_NAME.txt   for each text, in the order of corpus.TEXTS, the digest of its ids by one tokenizer, without special
                     tokens of the template
  pair_digests_NAME.txt  the same of corpus.pairs(), ids with the template's, then segment ids, cut by each of corpus.RULES
                     (- where only_second leaves nothing of the document)
  pairs_NAME.txt     pairs cut by longest_first around the limit: limit, words of the query, words of the document, ids,
                     segment ids
  bert_mini.json     a small WordPiece file, made here, so that this path is tested without the real ones
  characters.txt     checksums of what each normalizer and pre-tokenizer make of every code point, by block

Names: mini is the bundled model's file; xlmr the full one; xlmr_m3 the full one in the form of bge-m3
(tests/text/golden_files.cc derives it the same way); bert_mini the small WordPiece file; bert_en and bert_zh real ones.
"""
import collections
import json
import pathlib
import random
import sys
import unicodedata
import zlib

import tokenizers

from corpus import DATA, ROOT, RULES, digest, encode, encode_pair_by, escape, load, pairs, texts, tokenizer_files, write

LINES = 3400
BERT_LINES = 1500
# Each is one text many times: long words, long runs, long texts.
REPEATS = [
    (100000, "a"), (100000, "."), (32000, "番"), (5000, "番茄是茄科的一种植物"), (3000, "a\u0301"), (100, "\u0301" * 400), (9000, " "),
    (20000, "\n"), (3000, "👩\u200d👩\u200d👧\u200d👦"), (3000, "🇨🇳"), (4000, "ｶﾞ"), (3000, "\uac01"), (3000, "\u1100\u1161\u11a8"),
    (1500, "<mask>"), (1500, " <mask> "), (1500, "<s></s>"), (1500, "[MASK]"), (1500, "[SEP] "), (4000, "▁"), (2500, "▁ "),
    (4000, "\x00"), (4000, "\u200b"), (1200, "ﷺ"), (1500, "㍿"), (30000, "ab "), (9000, "abcdefghij"), (3000, "ไม่มี"), (2000, "မြန်မာ"),
    (2000, "\ufdfa\ufe0f"), (9000, "\ufffd"), (9000, "1"), (6000, "-="), (3000, "\r\n\t"), (40000, "é"),
]

SENTENCES = """
All human beings are born free and equal in dignity and rights.
人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。
人人生而自由,在尊嚴和權利上一律平等。他們賦有理性和良心,並應以兄弟關係的精神互相對待。
すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。
모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.
يولد جميع الناس أحرارًا متساوين في الكرامة والحقوق.
सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है।
มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ
Все люди рождаются свободными и равными в своем достоинстве и правах.
Tous les êtres humains naissent libres et égaux en dignité et en droits.
Alle Menschen sind frei und gleich an Würde und Rechten geboren.
Todos los seres humanos nacen libres e iguales en dignidad y derechos.
Tất cả mọi người sinh ra đều được tự do và bình đẳng về nhân phẩm và quyền lợi.
Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar.
Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα.
כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם.
সমস্ত মানুষ স্বাধীনভাবে সমান মর্যাদা এবং অধিকার নিয়ে জন্মগ্রহণ করে।
மனிதப் பிறிவியினர் சகலரும் சுதந்திரமாகவே பிறக்கின்றனர்.
Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw.
Kaikki ihmiset syntyvät vapaina ja tasavertaisina arvoltaan ja oikeuksiltaan.
ყველა ადამიანი იბადება თავისუფალი და თანასწორი.
Բոլոր մարդիկ ծնվում են ազատ ու հավասար։
ሰው ሁሉ ነጻና ክብር ሆኖ ይወለዳል።
មនុស្សទាំងអស់កើតមកមានសេរីភាព
ມະນຸດທຸກຄົນເກີດມາມີສິດເສລີພາບ
လူတိုင်းသည် တူညီ လွတ်လပ်သော ဂုဏ်သိက္ခာဖြင့် မွေးဖွားလာသူများ ဖြစ်သည်။
Hello, world! The quick brown fox jumps over the lazy dog.
你好世界，这是一个测试。番茄是茄科的一种植物，果实可以生吃，也可以做菜。
如何在 Ubuntu 22.04 上安装 Docker？先运行 `sudo apt-get update && apt-get install -y docker.io`。
def f(x): return {"a": [1, 2.5e-3], "b": x ** 2}  # see https://example.org/path?q=1&r=%20
日本語の文章です。カタカナとひらがなﾊﾝｶｸ、東京都。
👩‍👩‍👧‍👦🏳️‍🌈👍🏽🇨🇳1️⃣™️©️❤️ 🚀 emojis 😀🎉
ﬁ ligature ＦＵＬＬＷＩＤＴＨ ｈａｌｆ ①②③ Ⅳ Ⅴ ㎞ ㎡ ½ ™ … ﷺ ㍿ ǆ ª º ² µ ſ
=LLC-s nmrcsss mtiaiol!@"ccc technooay @"ccc"@"ccc
""".strip().split("\n")

# Each stands for a case that went wrong somewhere, or for an exact value that is published.
FIXED = [
    "", "a", " ", "  ", "Hello, world!", "The quick brown fox jumps over the lazy dog.",
    "你好世界，这是一个测试。", "double  spaces   and\ttab\tcharacters", "ﬁ ligature ＦＵＬＬＷＩＤＴＨ ｈａｌｆ",
    "Ｎｏｒｍａｌｉｚａｔｉｏｎ: ①②③ Ⅳ Ⅴ ㎞ ㎡", "🚀 emojis 😀🎉 and ½ symbols © ™ € — dashes…",
    "   leading and trailing spaces   ", "<s> special </s> tokens <mask> inline <unk>", "x<mask>y", "x <mask>", "<mask> x",
    "A red apple", "A llama in the garden", "T\x10his is a te\x10st", "a\u202f\u2026\u2026\u2026\u2026b", "a\u3000\u00a0b",
    "<|endoftext|>", "[SEP]", "</s>", "<s>" * 50, "。" * 200, "." * 1000, "番茄" * 200, "\r\n", "a\r\nb", "\u00b9\ufe0f",
    "\u0600\u00b9\ufe0f", "\u00b9\u1ae1", "\u00b2\u0897", "\U000113d1\u00b2\u0301", "\U00011a3a\u00b2\u0301",
    "e\u0301", "é", "\u1100\u1161\u11a8", "각", "▁", "▁▁a▁", "a ▁ b", "＜s＞", "＜unk＞x", "\x00", "a\x00b",
    "supercalifragilisticexpialidocious" * 4,
]
SPECIALS = ["<s>", "</s>", "<mask>", "<unk>", "<pad>", "＜s＞", "＜unk＞", "<mask", "mask>", "<S>", " <mask> ", "<s></s>"]
BERT_FIXED = [
    "", " ", "[CLS] a [SEP]b[MASK][PAD] [UNK]", "[cls] [ SEP ] [mask", "[MASK]" * 20, "HELLO World ÀÉÎõü ß ẞ İstanbul ıI",
    "e\u0301E\u0301", "각 \u1100\u1161\u11a8", "don't can't U.S.A. $5.00 a@b.c #tag ^_^ `x` ~", "a\u00adb\u200bc\u200dd\ufeffe",
    "naïve café coöperate", "a\u302e\U0001d165b", "中文abc中1文", "\U0002b81f\U0002b820\U0002b920", "\uf900\ufa0e\U0002f800",
    "a" * 99, "a" * 100, "a" * 101, "字" * 101, "é" * 100, "é" * 101, "e\u0301" * 100, "e\u0301" * 101, "가" * 34,
    "x" * 300 + "." + "y" * 300, "x" * 100 + " " + "b" * 101 + "-c", "the" * 33, "the" * 34, "\x00" * 300 + "a", "!" * 300,
    "\u0301" * 300, "a" + "\u0301" * 300 + "b", "unaffable internationalization antidisestablishmentarianism",
    "##ing ing ##", "Ａｂｃ１２３", "①②③", "αβγ ΑΒΓ ΣΑΣ", "Привет МИР", "\ufffd a\ufffdb", "\x85\x0b\x0c\x1c\x7fa", "\u166d\u1734\u111c9",
    "\u2e43\u2e5d\u1885\U00011938\U0001e944",
]
BERT_SPECIALS = ["[CLS]", "[SEP]", "[MASK]", "[UNK]", "[PAD]", "[MASK", "MASK]", "[mask]", " [MASK] ", "[CLS][SEP]", "##"]
MARKS = ["\x00", "\x01", "\x10", "\x1f", "\x7f", "\x80", "\x85", "\xa0", "\u200b", "\u200c", "\u200d", "\u200e", "\u2028",
         "\u202f", "\u3000", "\ufeff", "\ufffd", "\u00ad", "\u0301", "\u0308", "\u0302", "\u1160", "\r\n", "\t", "\n", "  ",
         "   ", "▁", "▁▁", "\u0600", "\u0e33", "\ufe0f", "\u20e3", "\U000e0100"]


def character(rng):
  while True:
    code = rng.choice([rng.randrange(0x20, 0x250), rng.randrange(0x20, 0x3000), rng.randrange(0x3000, 0xD7FF),
                       rng.randrange(0xE000, 0x20000), rng.randrange(0x110000)])
    if not 0xD800 <= code < 0xE000:
      return chr(code)


def snippet(rng, specials):
  kind = rng.randrange(13)
  sentence = rng.choice(SENTENCES)
  start = rng.randrange(len(sentence))
  if kind <= 3:
    return sentence[start:start + rng.randrange(1, 40)]
  if kind == 4:
    return rng.choice(specials)
  if kind == 5:
    return rng.choice(MARKS)
  if kind == 6:
    return unicodedata.normalize(rng.choice(["NFD", "NFKD", "NFC"]), sentence[start:start + 15])
  if kind == 7:
    return "".join(character(rng) for _ in range(rng.randrange(1, 6)))
  if kind == 8:
    return rng.choice("a.=-_0!ahx字…") * rng.randrange(1, 30)
  if kind == 9:
    return "".join(rng.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(rng.randrange(1, 30)))
  if kind == 10:
    return rng.choice("ªº²³¹µ¼ǆſe aé1") + rng.choice(MARKS)
  if kind == 11:
    return str(rng.randrange(10 ** rng.randrange(1, 18)))
  return rng.choice([" ", "\n", "，", "。", ", ", " " * rng.randrange(1, 4)])


def broken(rng, data):
  data = bytearray(data)
  for _ in range(rng.randrange(1, 6)):
    at = rng.randrange(len(data) + 1)
    if rng.random() < 0.5:
      data[at:at] = bytes([rng.randrange(256)])
    elif at < len(data):
      del data[at]
  return bytes(data)


def make_lines(seed, fixed, specials, count):
  rng = random.Random(seed)
  lines = [text.encode() for text in fixed + SENTENCES]
  while len(lines) < count:
    line = "".join(snippet(rng, specials) for _ in range(rng.randrange(1, rng.choice([3, 6, 16])))).encode()
    if len(lines) % 8 == 3:
      line = broken(rng, line)
    if len(lines) % 101 == 5:
      line = bytes(rng.randrange(256) for _ in range(rng.randrange(60)))
    lines.append(line)
  return lines


def header(digest):
  return f"tokenizers {tokenizers.__version__}, tools/export_tokens.py, tokenizer.json {digest}"


def one_token_words(tokenizer):
  """Sixty words that are one token each."""
  words = []
  for i in range(tokenizer.get_vocab_size()):
    word = tokenizer.id_to_token(i).removeprefix("▁")
    if len(word) > 3 and word.isascii() and word.isalpha():
      if tokenizer.encode(word, add_special_tokens=False).ids == [i]:
        words.append(word)
    if len(words) == 60:
      return words


def export_pairs(name, tokenizer, file_digest):
  """Pairs of n one-token words with m others, around every turn of the rule, even and odd."""
  words = one_token_words(tokenizer)
  queries, documents = words[:30], words[30:]
  out = []
  for limit in (14, 15, 16, 17):
    tokenizer.enable_truncation(limit, strategy="longest_first")
    for n in (0, 1, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 23, 24):
      for m in (0, 1, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 23, 24):
        pair = tokenizer.encode(" ".join(queries[:n]), " ".join(documents[:m]))
        out.append(f"{limit}\t{n}\t{m}\t" + " ".join(map(str, pair.ids)) + "\t" + " ".join(map(str, pair.type_ids)))
  tokenizer.no_truncation()
  write(f"pairs_{name}.txt", header(file_digest), [" ".join(queries), " ".join(documents)] + out)


def make_bert_mini():
  """A WordPiece file: the commonest words and syllables of the sentences, and characters."""
  words, parts, characters = collections.Counter(), collections.Counter(), collections.Counter()
  for sentence in SENTENCES[:-4]:
    for word in unicodedata.normalize("NFD", sentence.lower()).split():
      word = "".join(c for c in word if unicodedata.category(c) != "Mn")
      characters.update(word)
      if word.isalpha() and word.isascii():
        words[word] += 1
        parts.update(word[start:start + size] for size in (2, 3) for start in range(len(word) - size + 1))
  common = lambda counter, count: [text for text, _ in sorted(counter.items(), key=lambda x: (-x[1], x[0]))[:count]]
  letters = [chr(code) for code in range(0x21, 0x7F) if not chr(code).isupper()]
  others = [c for c in common(characters, 160) if not c.isascii()]
  pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"] + letters + others
  pieces += [word for word in common(words, 120) if len(word) > 1]
  pieces += ["##" + c for c in letters + others if c.isalnum()] + ["##" + part for part in common(parts, 100)]
  pieces = list(dict.fromkeys(pieces))
  special = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
  file = {
      "version": "1.0", "truncation": {"max_length": 16, "strategy": "LongestFirst", "stride": 0},
      "padding": {"strategy": {"Fixed": 16}, "direction": "Right", "pad_to_multiple_of": None, "pad_id": 0,
                  "pad_type_id": 0, "pad_token": "[PAD]"},
      "added_tokens": [{"id": i, "content": pieces[i], **special} for i in range(5)],
      "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None,
                     "lowercase": True},
      "pre_tokenizer": {"type": "BertPreTokenizer"},
      "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]},
      "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
      "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                "max_input_chars_per_word": 100, "vocab": {piece: i for i, piece in enumerate(pieces)}},
  }
  text = json.dumps(file, ensure_ascii=False, separators=(",", ":")).replace('"model":', '\n"model":') + "\n"
  (DATA / "bert_mini.json").write_text(text, encoding="utf-8", newline="\n")


def export_characters():
  """One line for each 4096 code points: the first, then CRC-32 of what each normalizer and pre-tokenizer makes of them."""
  normalizers, pre_tokenizers = tokenizers.normalizers, tokenizers.pre_tokenizers
  flags = [(True, True, None, True), (True, True, None, False), (False, False, True, False), (False, False, False, True)]
  steps = [normalizers.BertNormalizer(*each) for each in flags]
  steps += [normalizers.NFC(), normalizers.NFD(), normalizers.NFKC(), normalizers.NFKD(), normalizers.Lowercase(),
            normalizers.StripAccents(), normalizers.Nmt()]
  splits = [pre_tokenizers.BertPreTokenizer(), pre_tokenizers.Whitespace(), pre_tokenizers.WhitespaceSplit(),
            pre_tokenizers.Punctuation(), pre_tokenizers.Digits(individual_digits=True)]
  rows = []
  # All that Unicode has assigned, and a block each of what is reserved and private.
  for block in [*range(0, 0x34000, 0x1000), 0x40000, 0xE0000, 0xF0000, 0x10F000]:
    codes = [chr(code) for code in range(block, block + 0x1000) if not 0xD800 <= code < 0xE000]
    # The two characters after "b" show whether c is put in order, and where.
    text = "".join(f"a{c}b\u302e{c}\U0001d165\n" for c in codes)
    columns = [each.normalize_str(text) for each in steps]
    columns += ["".join(part + "\n" for part, _ in each.pre_tokenize_str(text)) for each in splits]
    rows.append(f"{block} " + " ".join(str(zlib.crc32(column.encode())) for column in columns))
  write("characters.txt", f"tokenizers {tokenizers.__version__}, tools/export_tokens.py", rows)


def show(name, text, line, fetched):
  tokenizer, _ = load(*tokenizer_files(fetched)[name])
  data = next(data for each, number, data in texts() if each == text and number == int(line))
  encoding = tokenizer.encode(data.decode("utf-8", "replace"), add_special_tokens=False)
  print(*encoding.ids)
  print(*encoding.tokens)


def main():
  arguments = sys.argv[1:]
  shown = arguments[1:4] if arguments[:1] == ["--show"] else None
  folders = arguments[4:] if shown else arguments
  fetched = pathlib.Path(folders[0]) if folders else ROOT / ".deps" / "tokenizers"
  if shown:
    return show(*shown, fetched)
  DATA.mkdir(parents=True, exist_ok=True)
  make_bert_mini()
  export_characters()
  lines = make_lines(20240613, FIXED, SPECIALS, LINES) + make_lines(20240614, BERT_FIXED, BERT_SPECIALS, BERT_LINES)
  write("made.txt", "tools/export_tokens.py", [escape(line) for line in lines])
  write("repeats.txt", "tools/export_tokens.py", [f"{count}\t{escape(text.encode())}" for count, text in REPEATS])
  all_texts = [data for _, _, data in texts()]
  for name, (path, change) in tokenizer_files(fetched).items():
    tokenizer, file_digest = load(path, change)
    write(f"digests_{name}.txt", header(file_digest), [digest(encode(tokenizer, data)) for data in all_texts])
    write(f"pair_digests_{name}.txt", header(file_digest),
          [" ".join(digest(encode_pair_by(rule, tokenizer, *pair)) for rule in RULES) for pair in pairs()])
    if name.endswith("mini"):
      export_pairs(name, tokenizer, file_digest)


if __name__ == "__main__":
  main()
