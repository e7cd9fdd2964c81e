"""Texts for the differential test: mutations and splices of the committed ones, random characters and bytes."""
import random
import unicodedata

SPECIALS = ["<s>", "</s>", "<mask>", "<unk>", "<pad>", "＜s＞", "<mask", "mask>", "<S>", " <mask> ", "<s></s>", "[CLS]", "[SEP]",
            "[MASK]", "[UNK]", "[PAD]", "[MASK", "[mask]", "[CLS][SEP]", "##", "##a", "▁", "▁▁", "<|endoftext|>", "\ufffd"]
SPACES = [" ", "  ", "\t", "\n", "\r\n", "\xa0", "\u1680", "\u2003", "\u2028", "\u202f", "\u3000", "\u200b", "\ufeff", "\x0b",
          "\x85", "\x1c"]
LONG = ["a", ".", "番茄", "e\u0301", "\u0301", " ", "ﷺ", "👩\u200d👧", "ab ", "<mask>", "[SEP]", "▁", "0", "각", "\u1100\u1161\u11a8",
        "ไม่", "\x00", "\u200b", "A", "É", "-", "\ufffd", "\u0600"]
FORMS = ["NFC", "NFD", "NFKC", "NFKD"]


def pools():
  """Code points by general category, and by stretches of 128 that have any assigned."""
  by_category, by_block = {}, {}
  for code in range(0x110000):
    category = unicodedata.category(chr(code))
    if category != "Cs":
      by_category.setdefault(category, []).append(chr(code))
      if category not in ("Cn", "Co"):
        by_block.setdefault(code >> 7, []).append(chr(code))
  return list(by_category.values()), list(by_block.values())


class TextMaker:
  """text(n) is the n-th text of a seed, whatever came before."""

  def __init__(self, seed, lines):
    self.seed, self.lines = seed, lines
    self.categories, self.blocks = pools()

  def text(self, n):
    rng = random.Random(f"{self.seed}:{n}")
    kind = rng.random()
    if kind < 0.40:
      text = self.changed(rng, self.line(rng))
    elif kind < 0.55:
      return self.broken(rng, rng.choice(self.lines)[:2000])
    elif kind < 0.72:
      text = "".join(rng.choice(["", "", " ", self.word(rng)]) + self.piece(rng) for _ in range(rng.randrange(2, 6)))
    elif kind < 0.85:
      text = "".join(self.character(rng) for _ in range(rng.randrange(1, rng.choice([4, 12, 60]))))
    elif kind < 0.88:
      return rng.randbytes(rng.randrange(1, rng.choice([8, 60, 400])))
    elif kind < 0.985:
      text = "".join(self.word(rng) for _ in range(rng.randrange(1, rng.choice([4, 12, 40]))))
    else:
      text = self.long(rng)
    if rng.random() < 0.15:
      text = unicodedata.normalize(rng.choice(FORMS), text)
    if rng.random() < 0.1:
      text = rng.choice([str.upper, str.lower, str.title, str.swapcase])(text)
    data = text.encode("utf-8", "surrogateescape")
    return self.broken(rng, data) if rng.random() < 0.03 else data

  def line(self, rng):
    text = rng.choice(self.lines).decode("utf-8", "surrogateescape")
    if len(text) > 600:
      start = rng.randrange(len(text) - 300)
      text = text[start:start + rng.randrange(1, 300)]
    return text

  def piece(self, rng):
    text = self.line(rng)
    start = rng.randrange(len(text) + 1)
    return text[start:start + rng.randrange(1, 30)]

  def character(self, rng):
    return rng.choice(rng.choice(rng.choice([self.categories, self.blocks, self.blocks])))

  def word(self, rng):
    kind = rng.randrange(9)
    if kind == 0:
      return rng.choice(SPECIALS)
    if kind == 1:
      return rng.choice(SPACES)
    if kind == 2:
      return self.character(rng)
    if kind == 3:
      block = rng.choice(self.blocks)
      return "".join(rng.choice(block) for _ in range(rng.randrange(1, 12)))
    if kind == 4:
      return rng.choice("aeg각か字é") + "".join(rng.choice("\u0301\u0327\u0308\u093c\u3099\u0e33\u200d\ufe0f\u20e3\u1161\u11a8")
                                             for _ in range(rng.randrange(1, 5)))
    if kind == 5:
      return str(rng.randrange(10 ** rng.randrange(1, 20)))
    if kind == 6:
      return rng.choice(SPECIALS + LONG) * rng.randrange(1, 9)
    return self.piece(rng)

  def changed(self, rng, text):
    text = list(text)
    for _ in range(rng.randrange(1, rng.choice([3, 8]))):
      at, kind = rng.randrange(len(text) + 1), rng.randrange(7)
      if kind <= 2:
        text[at:at] = self.word(rng) if kind else self.character(rng)
      elif kind == 3:
        del text[at:at + rng.randrange(1, 4)]
      elif kind == 4 and at < len(text):
        text[at] = self.character(rng)
      elif kind == 5:
        text[at:at] = text[at:at + rng.randrange(1, 8)] * rng.randrange(1, 4)
      elif at + 1 < len(text):
        text[at], text[at + 1] = text[at + 1], text[at]
    return "".join(text)

  def broken(self, rng, data):
    data = bytearray(data)
    for _ in range(rng.randrange(1, rng.choice([3, 10]))):
      at, kind = rng.randrange(len(data) + 1), rng.randrange(4)
      if kind == 0:
        data[at:at] = rng.randbytes(rng.randrange(1, 4))
      elif kind == 1:
        del data[at:at + rng.randrange(1, 3)]
      elif kind == 2 and at < len(data):
        data[at] ^= 1 << rng.randrange(8)
      else:
        # Starts of sequences, overlong ones, surrogates, beyond the last code point.
        data[at:at] = rng.choice([b"\xc3", b"\xe4\xbd", b"\xf0\x9f\x98", b"\xc0\x80", b"\xe0\x80\x80", b"\xed\xa0\x80",
                                  b"\xf4\x90\x80\x80", b"\xff", b"\xef\xbb\xbf", b"\x80"])
    return bytes(data)

  def long(self, rng):
    """Up to 100,000 characters; longer ones more seldom."""
    count = int(10 ** rng.uniform(2, 5))
    if rng.random() < 0.5:
      unit = rng.choice([rng.choice(LONG), self.piece(rng) or "a"])
      text = (unit * (count // len(unit) + 1))[:count]
      at = rng.randrange(count)
      return text[:at] + self.word(rng) + text[at:] if rng.random() < 0.7 else text
    parts, size = [], 0
    while size < count:
      parts.append(rng.choice(["", " "]) + self.line(rng))
      size += len(parts[-1])
    return "".join(parts)
