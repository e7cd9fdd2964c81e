"""Tokenizer files for the differential test: small ones of each supported kind, with settings changed at random.

Both sides must read a file and then give the same ids, or ours must refuse it and name what it does not take.
"""
import copy
import json
import random

PIECES = 2600  # of a small Unigram vocabulary


def bases(mini, bert_mini):
  """A Unigram and a WordPiece file as parsed JSON."""
  unigram = json.loads(mini)
  vocabulary = unigram["model"]["vocab"]
  special = {token["content"] for token in unigram["added_tokens"]}
  # The first ones, then every so many of the rest, and the single characters among the first 20,000.
  kept = [piece for i, piece in enumerate(vocabulary)
          if piece[0] in special or i < PIECES // 2 or i % (len(vocabulary) // (PIECES // 2)) == 0
          or (i < 20000 and len(piece[0]) == 1)]
  unigram["model"]["vocab"] = kept
  place = {piece[0]: i for i, piece in enumerate(kept)}
  for token in unigram["added_tokens"]:
    token["id"] = place[token["content"]]
  for name, token in unigram["post_processor"].get("special_tokens", {}).items():
    token["ids"] = [place[name]]
  unigram["model"]["unk_id"] = place["<unk>"]
  return [unigram, json.loads(bert_mini)]


class FileMaker:
  def __init__(self, mini, bert_mini):
    self.bases = bases(mini, bert_mini)
    self.charsmap = self._charsmap(self.bases[0]["normalizer"])

  def _charsmap(self, value):
    if value.get("type") == "Precompiled":
      return value["precompiled_charsmap"]
    return next(self._charsmap(step) for step in value["normalizers"] if step["type"] in ("Precompiled", "Sequence"))

  def file(self, rng):
    """A changed file, and in words what was changed."""
    base = rng.choice(self.bases)
    # The vocabulary is large and changed by copying only.
    file = {key: value if key == "model" else copy.deepcopy(value) for key, value in base.items()}
    file["model"] = dict(base["model"])
    changes = []
    for name, chance in (("normalizer", 0.6), ("pre_tokenizer", 0.6), ("post_processor", 0.3), ("added_tokens", 0.5),
                         ("model", 0.4), ("truncation", 0.2), ("padding", 0.2), ("absent", 0.1)):
      if rng.random() < chance:
        getattr(self, "change_" + name)(rng, file)
        changes.append(name)
    return file, changes

  def change_normalizer(self, rng, file):
    file["normalizer"] = rng.choice([None, self.normalizer(rng, 1), self.normalizer(rng, 1), {
        "type": "Sequence", "normalizers": [self.normalizer(rng, 1) for _ in range(rng.randrange(5))]}])

  def normalizer(self, rng, depth):
    flag = lambda: rng.random() < 0.5
    kind = rng.choice(["BertNormalizer", "BertNormalizer", "Precompiled", "Replace", "Replace", "Replace", "Strip", "Lowercase",
                       "NFC", "NFD", "NFKC", "NFKD", "Nmt", "StripAccents", "Prepend", "ByteLevel", "Sequence"])
    if kind == "BertNormalizer":
      return {"type": kind, "clean_text": flag(), "handle_chinese_chars": flag(), "strip_accents": rng.choice([None, True, False]),
              "lowercase": flag()}
    if kind == "Precompiled":
      return {"type": kind, "precompiled_charsmap": self.charsmap}
    if kind == "Replace":
      pattern = rng.choice([{"Regex": " {2,}"}, {"Regex": " +"}, {"Regex": "a{3,}"}, {"Regex": "\\s+"}, {"Regex": "[ab]"},
                            {"Regex": "。"}, {"Regex": "^ "}, {"Regex": "́+"}, {"Regex": "  "}, {"String": " "}, {"String": "``"}, {"String": "aa"},
                            {"String": "é"}, {"String": "番茄"}, {"String": "a b"}, {"String": "."}])
      return {"type": kind, "pattern": pattern, "content": rng.choice([" ", "▁", "", "b", "aa", "\"", "<mask>", "é"])}
    if kind == "Strip":
      return {"type": kind, "strip_left": flag(), "strip_right": flag()}
    if kind == "Prepend":
      return {"type": kind, "prepend": rng.choice(["▁", " ", "ab"])}
    if kind == "Sequence":
      return {"type": kind, "normalizers": [self.normalizer(rng, depth + 1) for _ in range(rng.randrange(3))] if depth < 3 else []}
    return {"type": kind}

  def change_pre_tokenizer(self, rng, file):
    file["pre_tokenizer"] = rng.choice([None, self.pre_tokenizer(rng), self.pre_tokenizer(rng), self.pre_tokenizer(rng), {
        "type": "Sequence", "pretokenizers": [self.pre_tokenizer(rng) for _ in range(rng.randrange(4))]}])

  def pre_tokenizer(self, rng):
    kind = rng.choice(["Metaspace", "Metaspace", "Metaspace", "WhitespaceSplit", "WhitespaceSplit", "BertPreTokenizer",
                       "BertPreTokenizer", "Whitespace", "Punctuation", "Digits", "CharDelimiterSplit", "Split", "ByteLevel",
                       "UnicodeScripts"])
    if kind == "Metaspace":
      value = {"type": kind, "replacement": rng.choice(["▁", "▁", "▁", "_", "é", " "])}
      for key, choices in (("add_prefix_space", [True, True, False]), ("prepend_scheme", ["always", "first", "never"]),
                           ("split", [True, False])):
        if rng.random() < 0.6:
          value[key] = rng.choice(choices)
      return value
    behaviors = ["Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"]
    return {"type": kind, **{
        "Punctuation": {"behavior": rng.choice(behaviors)}, "Digits": {"individual_digits": rng.random() < 0.5},
        "CharDelimiterSplit": {"delimiter": rng.choice([" ", "-"])},
        "Split": {"pattern": rng.choice([{"String": " "}, {"Regex": "\\d"}]), "behavior": rng.choice(behaviors),
                  "invert": rng.random() < 0.3},
        "ByteLevel": {"add_prefix_space": True, "trim_offsets": True, "use_regex": True},
    }.get(kind, {})}

  def change_post_processor(self, rng, file):
    names = [token["content"] for token in file["added_tokens"][:5]]
    ids = {token["content"]: token["id"] for token in file["added_tokens"]}
    special = lambda: {"SpecialToken": {"id": rng.choice(names), "type_id": rng.randrange(2)}}
    text = lambda which: {"Sequence": {"id": which, "type_id": rng.randrange(2)}}
    some = lambda: [special() for _ in range(rng.randrange(3))]
    sep, cls = rng.choice(names), rng.choice(names)
    file["post_processor"] = rng.choice([
        None,
        {"type": "BertProcessing", "sep": [sep, ids[sep]], "cls": [cls, ids[cls]]},
        {"type": "RobertaProcessing", "sep": [sep, ids[sep]], "cls": [cls, ids[cls]], "trim_offsets": True, "add_prefix_space": True},
        {"type": "TemplateProcessing", "single": some() + [text("A")] + some(),
         "pair": some() + [text("A")] + some() + [text("B")] + some(),
         "special_tokens": {name: {"id": name, "ids": [ids[name]], "tokens": [name]} for name in names}},
        {"type": "TemplateProcessing", "single": [text("A")], "pair": [text("B"), special(), text("A")],
         "special_tokens": {name: {"id": name, "ids": [ids[name]], "tokens": [name]} for name in names}},
        {"type": "Sequence", "processors": [{"type": "BertProcessing", "sep": [sep, ids[sep]], "cls": [cls, ids[cls]]}]},
        {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
    ])

  def change_added_tokens(self, rng, file):
    flag = lambda chance: rng.random() < chance
    tokens = file["added_tokens"]
    for token in tokens:
      if flag(0.4):
        token.update(single_word=flag(0.3), lstrip=flag(0.4), rstrip=flag(0.4), normalized=flag(0.4), special=flag(0.7))
    if flag(0.3):
      rng.shuffle(tokens)
    if flag(0.3):
      del tokens[rng.randrange(len(tokens)):]
    vocabulary = file["model"]["vocab"]
    next_id = len(vocabulary)
    for content in rng.sample(["[NEW]", "two words", "é", "番", " x", "ab", "▁ab", "A", "a", "<mask>>", "ＡＢ", "  ", "e\u0301", "<<s>"],
                              rng.randrange(4)):
      known = content in vocabulary if isinstance(vocabulary, dict) else any(piece[0] == content for piece in vocabulary)
      if known or flag(0.05):
        at = vocabulary.get(content, 3) if isinstance(vocabulary, dict) else next(
            (i for i, piece in enumerate(vocabulary) if piece[0] == content), 3)
      else:
        at, next_id = next_id, next_id + 1
      tokens.append({"id": at, "content": content, "single_word": flag(0.3), "lstrip": flag(0.3), "rstrip": flag(0.3),
                     "normalized": flag(0.5), "special": flag(0.5)})

  def change_model(self, rng, file):
    model = file["model"]
    if model["type"] == "WordPiece":
      rng.choice([
          lambda: model.update(max_input_chars_per_word=rng.choice([1, 2, 5, 20, 100, 200])),
          lambda: model.update(continuing_subword_prefix=rng.choice(["", "#", "##", "a"])),
          lambda: model.update(unk_token=rng.choice(["[UNK]", "a", "[PAD]", "missing"])),
          lambda: model.update(vocab=dict(zip(model["vocab"], rng.sample(list(model["vocab"].values()), len(model["vocab"]))))),
      ])()
      return
    pieces = [list(piece) for piece in model["vocab"]]
    change = rng.randrange(5)
    if change == 0:  # ties
      score = -rng.randrange(1, 12)
      pieces = [[text, score] for text, _ in pieces]
    elif change == 1:  # few values
      pieces = [[text, float(round(score))] for text, score in pieces]
    elif change == 2:  # any value, positive ones too
      pieces = [[text, rng.uniform(-20, 5)] for text, _ in pieces]
    elif change == 3:
      model["unk_id"] = rng.choice([0, 3, 7, len(pieces) - 1, len(pieces), None])
    else:
      model["byte_fallback"] = rng.random() < 0.7
    model["vocab"] = pieces

  def change_truncation(self, rng, file):
    file["truncation"] = {"direction": rng.choice(["Left", "Right"]), "max_length": rng.randrange(4, 200),
                          "strategy": rng.choice(["LongestFirst", "OnlySecond"]), "stride": 0}

  def change_padding(self, rng, file):
    file["padding"] = {"strategy": rng.choice(["BatchLongest", {"Fixed": 64}]), "direction": rng.choice(["Left", "Right"]),
                       "pad_to_multiple_of": rng.choice([None, 8]), "pad_id": 0, "pad_type_id": 0, "pad_token": "[PAD]"}

  def change_absent(self, rng, file):
    file.pop(rng.choice(["normalizer", "pre_tokenizer", "post_processor", "added_tokens", "truncation", "padding", "decoder"]), None)
