#!/usr/bin/env python3
"""Long, odd and many documents through the real program: the cases of kind "limits" and "tokenizer" in docs/known_cases.md
that show in a ranking. The bars of time and memory are several times what two idle cores take."""

import json
import unittest

from podium_process import SANITIZED, Case, environment, measure

WORDS = "The tomato is the edible berry of a plant whose home is western South America. "
SHORT = ["Trains run twice a day.", "The warranty is two years.", "Hold the reset button."]


class Limits(Case):

  def rank(self, documents, *extra):
    path = self.file("documents.json", json.dumps(documents))
    out = self.podium("rank", "-q", "what is a tomato", "--scores", "raw", *extra, "-f", path)[0]
    results = {each["index"]: each for each in map(json.loads, out.splitlines())}
    self.assertEqual(sorted(results), list(range(len(documents))))
    return results

  def test_057_a_document_of_67337_characters(self):
    text = (WORDS * 1000)[:67337]
    long, short = (self.rank([each])[0] for each in (text, text[:100]))
    self.assertTrue(long["truncated"])
    self.assertFalse(short["truncated"])

  def test_058_a_long_document_alone_and_in_a_list(self):
    text = WORDS * 200
    alone = self.rank([text])[0]
    among = self.rank(SHORT[:2] + [text] + SHORT[1:])[2]
    self.assertTrue(alone["truncated"] and among["truncated"])
    self.assertEqual(alone["score"], among["score"])

  def test_050_a_query_longer_than_the_limit(self):
    path = self.file("request.json", json.dumps({"query": "tomato " * 600, "documents": ["a berry", "a train " * 400]}))
    results = [json.loads(line) for line in self.podium("rank", "-f", path)[0].splitlines()]
    self.assertEqual(sorted(each["index"] for each in results), [0, 1])
    self.assertTrue(all(each["truncated"] for each in results))

  def test_040_special_strings(self):
    texts = [special * 1000 for special in ("<|endoftext|>", "[SEP]", "</s>", "<s>")]
    with_them = self.rank(SHORT + texts)
    without = self.rank(SHORT)
    for index in range(len(SHORT)):
      self.assertEqual(with_them[index]["score"], without[index]["score"])
    self.assertTrue(all(with_them[3 + n]["truncated"] for n in range(4)))

  @unittest.skipIf(SANITIZED, "sanitizers change time and memory")
  def test_044_twenty_million_dots_and_065_long_documents(self):
    for name, documents in (("20 documents of 1,000,000 dots", ["." * 1_000_000] * 20),
                            ("32 documents of 100,000 characters", [f"{n} " + (WORDS * 1300)[:100_000] for n in range(32)])):
      path = self.file("documents.json", json.dumps(documents))
      code, seconds, mib, out = measure(["rank", "-q", "what is a tomato", "-f", path], env=environment())
      print(f"{name}: {seconds:.2f} s, {mib:.0f} MiB at most", flush=True)
      self.assertEqual((code, out.count("\n")), (0, len(documents)))
      self.assertLess(seconds, 60)
      self.assertLess(mib, 450)


if __name__ == "__main__":
  unittest.main()
