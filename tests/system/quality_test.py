#!/usr/bin/env python3
"""bench/quality on a few lists: the baselines of the model card, and the model's own rank of real help pages.

The whole table takes minutes: bench/quality/measure.py.
"""

import sys
import tempfile
import unittest
from pathlib import Path

from podium_process import PODIUM, ROOT, SANITIZED

sys.path.insert(0, str(ROOT / "bench" / "quality"))
import measure  # noqa: E402  (the path is set above)

QUERIES = 4
# fp32, first 4 queries of each language, avx512 table; the whole 125 give the card's rows.
NDCG = {"zh": 0.4968, "en": 0.4077}


class Quality(unittest.TestCase):

  def test_baselines_are_those_of_the_model_card(self):
    for language, card in measure.CARD.items():
      row = measure.baselines(language, measure.CARD_QUERIES)
      row["podium-mini"] = card["podium-mini"]
      self.assertEqual(set(row), set(card))
      self.assertEqual(measure.misses(language, measure.CARD_QUERIES, row), [])

  def test_a_row_that_differs_is_named(self):
    row = dict(measure.CARD["en"], bm25=0.4812)
    self.assertEqual(measure.misses("en", 125, row), ["en bm25: 0.4812, the model card has 0.480"])

  @unittest.skipIf(SANITIZED, "130,000 tokens take minutes with sanitizers")
  def test_the_model_on_a_few_lists(self):
    with tempfile.TemporaryDirectory() as folder:
      for language, want in NDCG.items():
        got = measure.compare(PODIUM, language, QUERIES, Path(folder))
        self.assertEqual(got["lists"], QUERIES)
        self.assertAlmostEqual(got["labels"]["a"], want, places=3)
        self.assertLess(got["delta"]["mean_sd"], 0.05)  # int8; 0.02 measured
        self.assertGreater(got["order"]["kendall"], 0.95)
        self.assertGreater(got["order"]["overlap"], 0.85)


if __name__ == "__main__":
  unittest.main()
