"""The differential test finds and reduces a planted difference, of each kind that it looks for."""
import argparse
import json
import pathlib
import random
import tempfile
import unittest

import compare


class Theirs:
  def encode(self, text):
    return list(text)

  def pair(self, rule, limit, query, document):
    return list((query + document)[:limit])


class Ours(Theirs):
  """Drops the last id of a text with "é"; cuts a text with "p" short; swaps a pair with "s"."""

  def encode(self, text, wanted=compare.ALL):
    ids = list(text)
    if wanted != compare.ALL:
      return (ids[:max(0, wanted - 1)] if b"p" in text else ids), b"p" not in text
    return (ids[:-1] if "é".encode() in text else ids), True

  def pair(self, rule, limit, query, document):
    return list((document + query)[:limit]) if b"s" in document else super().pair(rule, limit, query, document)


class PlantedDifferences(unittest.TestCase):
  def findings(self, look):
    with tempfile.TemporaryDirectory() as folder:
      comparison = compare.Comparison(argparse.Namespace(out=folder, seed=1))
      look(comparison)
      reports = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(pathlib.Path(folder).glob("*.json"))]
      self.assertEqual(comparison.counts["findings"], len(reports))
      return reports

  def test_ids_are_reduced_to_the_character_that_matters(self):
    text = ("a" * 70 + "\x00 é番" + "b" * 500).encode() + b"\xff\xc3"
    reports = self.findings(lambda each: each.text("mini", Ours(), Theirs(), text, 7, random.Random(1)))
    self.assertEqual([(report["text"], report["input"], report["kind"]) for report in reports], [("é", 7, "ids")])

  def test_a_wrong_prefix_is_found(self):
    def look(comparison):
      for seed in range(100):
        comparison.text("mini", Ours(), Theirs(), b"ppp", seed, random.Random(seed))
    self.assertEqual([report["kind"] for report in self.findings(look)], ["prefix"])

  def test_a_wrong_pair_is_found(self):
    reports = self.findings(lambda each: each.pair("mini", Ours(), Theirs(), b"a", b"s", 0, random.Random(1)))
    self.assertEqual([report["kind"] for report in reports], ["pair"])

  def test_equal_sides_give_nothing(self):
    def look(comparison):
      for seed in range(100):
        comparison.text("mini", Ours(), Theirs(), b"abc", seed, random.Random(seed))
        comparison.pair("mini", Ours(), Theirs(), b"a", b"b", seed, random.Random(seed))
    self.assertEqual(self.findings(look), [])


if __name__ == "__main__":
  unittest.main()
