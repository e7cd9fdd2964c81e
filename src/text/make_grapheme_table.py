#!/usr/bin/env python3
"""Writes grapheme_table.inc: what the rules of grapheme clusters (UAX #29) ask of a character, from the PyPI package `regex`.

Run by hand when the reference's Unicode version changes: python3 make_grapheme_table.py > grapheme_table.inc
Written with regex 2026.5.9, whose tables are Unicode 17's.
"""
import regex

# The last one that holds wins. Syllables of Hangul (LV, LVT) are computed, CR and LF are known.
CLASSES = (
  ("Control", "GCB=Control"),
  ("ExtendAlone", "GCB=Extend"),
  ("Extend", "InCB=Extend"),
  ("Linker", "InCB=Linker"),
  ("Zwj", "GCB=ZWJ"),
  ("Regional", "GCB=Regional_Indicator"),
  ("Prepend", "GCB=Prepend"),
  ("Spacing", "GCB=SpacingMark"),
  ("L", "GCB=L"),
  ("V", "GCB=V"),
  ("T", "GCB=T"),
  ("Pictographic", "Extended_Pictographic"),
  ("Consonant", "InCB=Consonant"),
)


def main():
  patterns = [(name, regex.compile(rf"\p{{{prop}}}")) for name, prop in CLASSES]
  ranges = {name: [] for name, _ in CLASSES}
  for code in range(0x110000):
    held = [] if 0xD800 <= code < 0xE000 else [name for name, pattern in patterns if pattern.match(chr(code))]
    if held:
      own = ranges[held[-1]]
      if own and own[-1][1] == code - 1:
        own[-1][1] = code
      else:
        own.append([code, code])
  print("// Made by make_grapheme_table.py from Unicode 17; do not edit.\n// clang-format off")
  for name, _ in CLASSES:
    print(f"constexpr ClusterRange k{name}Ranges[] = {{")
    line = "   "
    for first, last in ranges[name]:
      item = f" {{0x{first:X}, 0x{last:X}}},"
      if len(line) + len(item) > 100:
        print(line)
        line = "   "
      line += item
    print(f"{line}\n}};")
  print("// clang-format on")


if __name__ == "__main__":
  main()
