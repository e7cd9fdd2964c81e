"""Texts for the tokenizer tests: writes tests/text/data/{translations,annotations,unicode,code}.txt.

Usage: export_texts.py [FOLDER] (where scripts/fetch-texts put the packages; .deps/texts by default)

Run by hand, after `pip install -r tools/requirements-tokens.txt`, when the choice changes; run tools/export_tokens.py after
it. Sources and licences are in tests/text/data/README.md.
"""
import bz2
import collections
import gettext
import pathlib
import random
import sys
import xml.etree.ElementTree

from corpus import ROOT, escape, write

PER_LANGUAGE = 105
PER_LANGUAGE_CJK = 300
ANNOTATIONS_PER_LANGUAGE = 28


def translations(fetched, rng):
  """Messages of Django and Sphinx: of each language some short ones and more that are sentences."""
  by_language = collections.defaultdict(set)
  for package in ("python3-django", "sphinx-common"):
    for path in sorted((fetched / package).rglob("*.mo")):
      language = path.parts[path.parts.index("LC_MESSAGES") - 1]
      with path.open("rb") as file:
        catalog = gettext.GNUTranslations(file)._catalog
      by_language[language].update(
          text for source, text in catalog.items() if source and isinstance(text, str) and text not in ("", source))
  lines = []
  for language, found in sorted(by_language.items()):
    found = [text for text in sorted(found) if len(text) <= 400]
    if len(found) < 13:
      continue
    count = PER_LANGUAGE_CJK if language[:2] in ("zh", "ja", "ko") else PER_LANGUAGE
    long = [text for text in found if len(text.encode()) >= 40]
    chosen = rng.sample(long, min(len(long), count * 3 // 4))
    rest = sorted(set(found) - set(chosen))
    chosen += rng.sample(rest, min(len(rest), count - len(chosen)))
    lines += sorted(chosen)
    print(language, len(chosen), end=", ")
  print()
  return lines


def annotations(fetched, rng):
  """Names and keywords of characters, mostly emoji, in the languages of CLDR, each with its character in front."""
  lines = []
  for path in sorted((fetched / "unicode-cldr-core").glob("usr/share/unicode/cldr/common/annotations/*.xml")):
    found = [f"{each.get('cp')} {each.text}" for each in xml.etree.ElementTree.parse(path).iter("annotation")
             if each.text and "↑" not in each.text]
    lines += sorted(rng.sample(found, min(len(found), ANNOTATIONS_PER_LANGUAGE)))
  return lines


def characters(hexadecimal):
  return "".join(chr(int(code, 16)) for code in hexadecimal.split())


def unicode_tests(fetched, rng):
  folder = fetched / "unicode-data" / "usr" / "share" / "unicode"
  lines = []
  # NormalizationTest: a row's source and its four normal forms, as words.
  rows, part = [], ""
  for line in bz2.open(folder / "NormalizationTest.txt.bz2", "rt", encoding="utf-8"):
    if line.startswith("@Part"):
      part = line[1:6]
    elif line[0] not in "#\n":
      forms = [characters(column) for column in line.split(";")[:5]]
      # Of the thousands of Hangul syllables in part 1, one in twenty.
      hangul = part == "Part1" and "\uac00" <= forms[0][0] <= "\ud7a3"
      if rng.random() < (0.05 if hangul else 1 if part in ("Part0", "Part3") else 0.3):
        rows.append(" ".join(dict.fromkeys(forms)))
  lines += rows
  # The break tests: each string.
  for name, share in (("GraphemeBreakTest", 1), ("WordBreakTest", 0.5), ("SentenceBreakTest", 1), ("LineBreakTest", 0.1)):
    for line in (folder / "auxiliary" / f"{name}.txt").open(encoding="utf-8"):
      line = line.split("#")[0].replace("÷", " ").replace("×", " ")
      if line.strip() and rng.random() < share:
        lines.append(characters(line))
  # Emoji: one to four together, with and without spaces, one of them inside a word.
  emoji = [characters(line.split(";")[0]) for line in (folder / "emoji" / "emoji-test.txt").open(encoding="utf-8")
           if line[0] not in "#\n"]
  at = 0
  while at < len(emoji):
    count = rng.randrange(1, 5)
    lines.append(rng.choice(["", " ", "a"]).join(emoji[at:at + count]))
    at += count
  # BidiCharacterTest: the strings, which mix directions and their marks.
  for line in (folder / "BidiCharacterTest.txt").open(encoding="utf-8"):
    if line[0] not in "#\n" and rng.random() < 0.004:
      lines.append(characters(line.split(";")[0]))
  # Every script: stretches of consecutive letters and numbers of each block.
  for line in (folder / "Blocks.txt").open(encoding="utf-8"):
    if line[0] in "#\n":
      continue
    first, last = (int(code, 16) for code in line.split(";")[0].split(".."))
    if 0xD800 <= first < 0xE000:
      continue
    for _ in range(2):
      start = rng.randint(first, max(first, last - 12))
      lines.append("".join(chr(code) for code in range(start, min(start + 12, last + 1))))
  return lines


def code(_, rng):
  """This project's own sources: single lines with their indentation, and stretches of some lines."""
  stretches = []
  for pattern in ("src/**/*.cc", "src/**/*.h", "src/**/*.inl", "tools/*.py", "scripts/*", "cmake/*.cmake", "docs/*.md", "deploy/*"):
    for path in sorted(ROOT.glob(pattern)):
      lines = path.read_text(encoding="utf-8").split("\n")
      for _ in range(max(1, len(lines) // 60)):
        start = rng.randrange(len(lines))
        stretches.append("\n".join(lines[start:start + rng.choice([1, 1, 1, 2, 12])]))
  return [text for text in dict.fromkeys(stretches) if text.strip()]


def main():
  fetched = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / ".deps" / "texts"
  for name, seed, make in (("translations", 1, translations), ("annotations", 2, annotations), ("unicode", 3, unicode_tests),
                           ("code", 4, code)):
    lines = [escape(line.encode()) for line in make(fetched, random.Random(seed))]
    write(f"{name}.txt", "tools/export_texts.py", lines)


if __name__ == "__main__":
  main()
