"""Our ids against the `tokenizers` library's for every character there is, in the places where its Unicode properties decide: alone, before
and after clusters that a charsmap changes as a whole, in conjuncts, beside the joiner of emoji.

Exit code 1 when there is a difference. About a minute for each place and tokenizer.
"""
import argparse
import os
import pathlib
import sys

from compare import ROOT, Ours, Theirs

# What stands before and after the character.
PLACES = {
  "inside a word": ("a", "b"),
  "after an accent": ("e\u0301", ""),  # one change of three bytes, unless the cluster goes on
  "before an accent": ("", "e\u0301"),
  "between accents": ("\uFFFD\u0300", "\u0300a\u0300"),
  "after a linker": ("\u0915\u094D", "\u0300"),
  "as a linker": ("\u0915", "\u0958\u0300"),
  "after the joiner": ("\U0001F469\u200D", "\u0300"),
  "before the joiner": ("", "\u200D\u2122\u0300"),
  "in an emoji": ("\U0001F469", "\u200D\u2122\u0300"),
}
CHARACTERS = [code for code in range(0x80, 0x110000) if not 0xD800 <= code < 0xE000]
AT_ONCE = 4096


def differing(ours, theirs, before, after):
  """Characters that give other ids than the library's, as [[first, last], …]."""
  found = []
  for at in range(0, len(CHARACTERS), AT_ONCE):
    codes = CHARACTERS[at:at + AT_ONCE]
    texts = [before + chr(code) + after for code in codes]
    for code, text, expected in zip(codes, texts, theirs.tokenizer.encode_batch_fast(texts, add_special_tokens=False)):
      if ours.encode(text.encode())[0] == expected.ids:
        continue
      if found and found[-1][1] == code - 1:
        found[-1][1] = code
      else:
        found.append([code, code])
  return found


def main():
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("--server", default=str(ROOT / "build/release/tests/differential/encode_server"))
  parser.add_argument("--tokenizers", type=pathlib.Path, default=os.environ.get("PODIUM_TEST_TOKENIZERS", ROOT / ".deps" / "tokenizers"))
  parser.add_argument("names", nargs="*", default=["xlmr", "bert_en"])
  options = parser.parse_args()
  failed = False
  for name in options.names:
    file = (options.tokenizers / name / "tokenizer.json").read_text(encoding="utf-8")
    ours, theirs = Ours(options.server), Theirs(file)
    if why := ours.load(file):
      sys.exit(f"every_character: {name}: {why}")
    for place, (before, after) in PLACES.items():
      found = differing(ours, theirs, before, after)
      failed = failed or bool(found)
      print(f"{name}, {place}: {'equal' if not found else ' '.join(f'{a:X}-{b:X}' for a, b in found)}", flush=True)
    ours.close()
  return 1 if failed else 0


if __name__ == "__main__":
  sys.exit(main())
