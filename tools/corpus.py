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


def digest(ids):
  """Eight characters: the count (4095 for more), and CRC-32 of the ids as little-endian int32, in base64url."""
  number = min(len(ids), 4095) << 36 | zlib.crc32(struct.pack(f"<{len(ids)}i", *ids))
  return base64.urlsafe_b64encode(number.to_bytes(6, "big")).decode()
