"""The texts of tests/text/data: how they are written, read, and turned into ids by the `tokenizers` library.

Used by export_texts.py, export_tokens.py and tests/differential.
"""
import base64
import hashlib
import json
import pathlib
import re
import struct
import unicodedata
import zlib

from tokenizers import Tokenizer

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = ROOT / "tests" / "text" / "data"
# In this order: a digest file has the lines of all of them.
TEXTS = ["made", "translations", "annotations", "unicode", "code", "found", "repeats"]
PAIRS = 2000
RULES = ["longest_first", "only_second", "flag_embedding"]  # of truncation
MINI = ROOT / "models" / "podium-mini-zh-en" / "tokenizer.json"


def escape(data):
  """Bytes as one line of UTF-8: what is no printable character, a mark without its letter, and the backslash, as \\xHH."""
  out, after_letter = "", False
  for part in data.decode("utf-8", "surrogateescape"):
    code, category = ord(part), unicodedata.category(part)[0]
    if 0xDC80 <= code <= 0xDCFF:
      out += f"\\x{code - 0xDC00:02x}"
    elif part == "\\" or (category in "CZ" and part != " ") or (category == "M" and not after_letter):
      out += "".join(f"\\x{byte:02x}" for byte in part.encode())
    else:
      out += part
    after_letter = category in "LM" and not out.endswith("\\")
  return out


def unescape(line):
  return re.sub(rb"\\x(..)", lambda match: bytes([int(match[1], 16)]), line.encode())


def write(name, header, lines):
  text = f"# {header}\n" + "".join(line + "\n" for line in lines)
  (DATA / name).write_text(text, encoding="utf-8", newline="\n")
  print(name, len(lines), "lines,", len(text.encode()), "bytes")


def read(name):
  """The lines of a file, without its first; not splitlines(), which knows more ends of line than \\n."""
  return (DATA / name).read_text(encoding="utf-8").split("\n")[1:-1]


def texts():
  """(file, line number, bytes) of all committed texts, in the order of the digests."""
  for name in TEXTS:
    for number, line in enumerate(read(f"{name}.txt"), 2):
      if name == "repeats":
        count, fragment = line.split("\t", 1)
        yield name, number, unescape(fragment) * int(count)
      else:
        yield name, number, unescape(line)


def to_m3(file):
  """The form of bge-m3: Metaspace in the newer spelling and a <mask> that swallows the spaces before it."""
  file["pre_tokenizer"] = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
  for token in file["added_tokens"]:
    token["lstrip"] = token["content"] == "<mask>"


def tokenizer_files(fetched):
  """name → (path, change made to the parsed file)."""
  return {
      "mini": (MINI, None), "xlmr": (fetched / "xlmr" / "tokenizer.json", None),
      "xlmr_m3": (fetched / "xlmr" / "tokenizer.json", to_m3), "bert_mini": (DATA / "bert_mini.json", None),
      "bert_en": (fetched / "bert_en" / "tokenizer.json", None),
      "bert_zh": (fetched / "bert_zh" / "tokenizer.json", None),
  }


def load(path, change=None):
  """A tokenizer without truncation and padding, and the digest of its file."""
  text = path.read_text(encoding="utf-8")
  file = json.loads(text)
  if change:
    change(file)
  tokenizer = Tokenizer.from_str(json.dumps(file, ensure_ascii=False))
  tokenizer.no_truncation()
  tokenizer.no_padding()
  return tokenizer, hashlib.sha256(text.encode()).hexdigest()


def encode(tokenizer, data):
  return tokenizer.encode(data.decode("utf-8", "replace"), add_special_tokens=False).ids


def pairs():
  """(limit, query, document): texts from all over the files, at limits where nothing, one or both are cut. Without those of
  repeats.txt, on which the library takes minutes."""
  all_texts = [data for name, _, data in texts() if name != "repeats"]
  for i in range(PAIRS):
    yield (20, 64, 65, 512)[i % 4], all_texts[i * 7919 % len(all_texts)], all_texts[(i * 10007 + 13) % len(all_texts)]


def encode_pair(tokenizer, strategy, limit, query, document):
  """Ids, then as many segment ids; None when the strategy cannot make the pair fit."""
  tokenizer.enable_truncation(limit, strategy=strategy)
  try:
    pair = tokenizer.encode(query.decode("utf-8", "replace"), document.decode("utf-8", "replace"))
    return pair.ids + pair.type_ids
  except Exception as error:
    if "too short" not in str(error):
      raise
    return None
  finally:
    tokenizer.no_truncation()


def encode_flag_embedding(tokenizer, limit, query, document):
  """FlagEmbedding's rule: the query is cut to three quarters of the limit, then the document to what is left."""
  kept = limit * 3 // 4
  if len(encode(tokenizer, query)) <= kept:
    return encode_pair(tokenizer, "only_second", limit, query, document)
  # The library knows no such cut: ids go from the whole pair, and the template's stay.
  room = limit - tokenizer.num_special_tokens_to_add(True) - kept
  whole = tokenizer.encode(query.decode("utf-8", "replace"), document.decode("utf-8", "replace"))
  sides = [[i for i, side in enumerate(whole.sequence_ids) if side == which] for which in (0, 1)]
  gone = set(sides[0][kept:]) | set(sides[1][max(room, 0):])
  stay = [i for i in range(len(whole.ids)) if i not in gone]
  return [whole.ids[i] for i in stay] + [whole.type_ids[i] for i in stay]


def encode_pair_by(rule, tokenizer, limit, query, document):
  if rule == "flag_embedding":
    return encode_flag_embedding(tokenizer, limit, query, document)
  return encode_pair(tokenizer, rule, limit, query, document)


def digest(ids):
  """Eight characters: the count (4095 for more), and CRC-32 of the ids as little-endian int32, in base64url; - for None."""
  if ids is None:
    return "-"
  number = min(len(ids), 4095) << 36 | zlib.crc32(struct.pack(f"<{len(ids)}i", *ids))
  return base64.urlsafe_b64encode(number.to_bytes(6, "big")).decode()
