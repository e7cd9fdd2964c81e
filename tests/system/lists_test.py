#!/usr/bin/env python3
"""`podium lengths` and what it reads, as users meet them, on the bundled model."""

import json
import unittest
import xml.etree.ElementTree

from podium_process import Case

QUERIES = ["what is a tomato", "how do I reset my router", "什么是番茄"]
DOCUMENTS = ["The tomato is the edible berry of a plant.", "Trains run twice a day.",
             "Hold the reset button for ten seconds until the light blinks.", "番茄是茄科的一种植物，果实可以生吃，也可以做菜。",
             "The warranty is two years. " * 12]


def lists(**extra):
  return "".join(json.dumps({"query": query, "documents": DOCUMENTS, **extra}) + "\n" for query in QUERIES)


class Lengths(Case):

  def lengths(self, *words, content=None, **options):
    path = self.file("lists.jsonl", content or lists())
    return json.loads(self.podium("lengths", path, "--seconds", "0", *words, **options)[0])

  def tokens(self, query, document):
    out = self.podium("tokenize", "-q", query, "-d", document, "--format", "json")[0]
    return len(json.loads(out)["ids"])

  def test_counts_are_those_of_tokenize(self):
    got = self.lengths("--lengths", "16,32,64,128")
    want = [self.tokens(q, d) for q in QUERIES for d in DOCUMENTS]
    self.assertEqual(got["pairs"]["count"], len(want))
    self.assertEqual((got["pairs"]["min"], got["pairs"]["max"]), (min(want), max(want)))
    self.assertAlmostEqual(got["pairs"]["mean"], sum(want) / len(want))
    self.assertEqual((got["queries"]["count"], got["documents"]["count"]), (3, 5))
    histogram = got["pairs"]["histogram"]
    self.assertEqual(sum(histogram["counts"]), len(want))
    for row in got["lengths"]:
      limit = row["max_length"]
      self.assertEqual(row["cut_pairs"], sum(n > limit for n in want), limit)
      self.assertEqual(row["lost_tokens"], sum(max(0, n - limit) for n in want), limit)
      self.assertAlmostEqual(row["covered"], sum(n <= limit for n in want) / len(want))
      self.assertNotIn("ms_per_pair", row)
    self.assertEqual([row["max_length"] for row in got["lengths"]], [16, 32, 64, 128])
    self.assertEqual(got["recommended"]["max_length"], 128)
    self.assertEqual(self.lengths("--lengths", "16,64,128", "--cover", "0.5")["recommended"]["max_length"], 64)

  def test_the_cost_is_measured(self):
    path = self.file("lists.jsonl", lists())
    got = json.loads(self.podium("lengths", path, "--seconds", "0.5", "--lengths", "16,128")[0])
    self.assertGreater(got["timed_pairs"], 7)
    short, long = got["lengths"]
    for row in got["lengths"]:
      self.assertGreater(row["ms_per_pair"], 0)
      self.assertGreaterEqual(row["ms_per_pair_max"], row["ms_per_pair"])
    self.assertLess(short["ms_per_pair"], long["ms_per_pair"])

  def test_pictures_and_tables(self):
    path = self.file("lists.jsonl", lists())
    plot = self.folder / "lengths.svg"
    out, _ = self.podium("lengths", path, "--seconds", "0.2", "--format", "table", "--plot", plot)
    for word in ("documents", "max length", "tokens lost", "recommended: --max-length"):
      self.assertIn(word, out)
    root = xml.etree.ElementTree.parse(plot).getroot()
    self.assertEqual(root.tag, "{http://www.w3.org/2000/svg}svg")
    self.assertIn("prefers-color-scheme:dark", plot.read_text())
    words = {text.text for text in root.iter("{http://www.w3.org/2000/svg}text")}
    self.assertLessEqual({"Pairs", "Queries", "Documents", "Time a pair"}, words)

  def test_pairs_from_standard_input_and_the_limit(self):
    pairs = "".join(json.dumps({"query": q, "document": {"text": d, "label": 1}}) + "\n\n"
                    for q in QUERIES for d in DOCUMENTS)
    got = json.loads(self.podium("lengths", "-", "--seconds", "0", stdin=pairs)[0])
    want = self.lengths()
    self.assertEqual(got["pairs"], want["pairs"])
    self.assertEqual(got["lengths"], want["lengths"])
    self.assertEqual(self.lengths("--limit", "2")["pairs"]["count"], 10)

  def test_mistakes_are_named(self):
    good = json.dumps({"query": "q", "documents": ["d"]})
    cases = [
        ('{"query": "q"}', [":1", "documents"]),
        (good + "\n[]", [":2", "object"]),
        ('{"query": "q", "documents": []}', ["no list with a document"]),
        ("", ["no list with a document"]),
        ('{"query": "q"', [":1"]),
    ]
    for content, says in cases:
      self.fails("lengths", self.file("lists.jsonl", content), says=says)
    path = self.file("lists.jsonl", good)
    self.fails("lengths", self.folder / "none.jsonl", says=["none.jsonl"])
    self.fails("lengths", path, "--lengths", "5", says=["got 5", "at least 6"])
    self.fails("lengths", path, "--cover", "1.5", says=["1.5", "0 to 1"])
    self.fails("lengths", path, "--seconds", "-1", says=["-1", "3600"])
    self.fails("lengths", code=2, says=["lists"])
    self.podium("lengths", path, "--seconds", "0", "--plot", self.folder / "no" / "x.svg", code=1)


if __name__ == "__main__":
  unittest.main()
