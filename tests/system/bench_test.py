#!/usr/bin/env python3
"""podium bench: that its figures hang together; what they are is for people to judge."""

import json
import unittest

from podium_process import SANITIZED, Case

SECONDS = "12" if SANITIZED else "1"  # enough for the pairs that the tests count


class Bench(Case):

  def test_figures_hang_together(self):
    for precision in ("fp32", "int8"):
      report = json.loads(self.podium("bench", "--seconds", SECONDS, "--workload", "32,3x20", "--precision", precision,
                                      "--format", "json")[0])
      self.assertEqual((report["precision"], report["layers"], report["hidden"]), (precision, 12, 384))
      self.assertTrue(report["isa"] and report["threads"] >= 1 and report["processor"])
      last = report["workloads"][1]
      self.assertEqual((last["workload"], last["pairs"], last["tokens"], last["batches"]), ("3x20", 3, 60, 1))
      self.assertLessEqual(last["seconds_best"], last["seconds_median"])
      self.assertLessEqual(last["seconds_median"], last["seconds_worst"])
      self.assertAlmostEqual(last["tokens_per_s"] * last["seconds_median"], 60, places=6)
      self.assertAlmostEqual(last["pairs_per_s"] * last["seconds_median"], 3, places=6)
      work = 60 * 12 * (8 * 384**2 + 4 * 384 * 1536 + 4 * 384 * 20)  # docs/cli.md
      self.assertAlmostEqual(last["operations_per_s"] * last["seconds_median"] / work, 1, places=6)
      if report["peak"]:
        self.assertAlmostEqual(last["share_of_peak"] * report["peak"]["operations_per_s"], last["operations_per_s"],
                               delta=1)
        self.assertLess(last["share_of_peak"], 1)

  def test_sweep_writes_rows_and_a_picture(self):
    csv, svg = self.folder / "sweep.csv", self.folder / "sweep.svg"
    report = json.loads(self.podium("bench", "--sweep", "--seconds", SECONDS, "--lengths", "16,64",
                                    "--budgets", "64,256", "--csv", csv, "--plot", svg, "--format", "json")[0])
    full = {(16, 64): 3, (16, 256): 15, (64, 64): 1, (64, 256): 3}  # pairs; fewer where time is too short for them
    self.assertEqual([(row["length"], row["batch_tokens_max"]) for row in report["sweep"]], list(full))
    for row in report["sweep"]:
      self.assertTrue(1 <= row["pairs"] <= full[row["length"], row["batch_tokens_max"]], row)
    lines = csv.read_text().splitlines()
    self.assertEqual(len(lines), 5)
    self.assertEqual(len(set(line.count(",") for line in lines)), 1)
    self.assertIn("64 tokens a pair", svg.read_text())

  def test_what_cannot_be_timed(self):
    self.fails("bench", "--workload", "3x", says=["3x", "PAIRSxLENGTH"])
    self.fails("bench", "--seconds", "0", says=["seconds", "got 0"])
    self.fails("bench", "--sweep", "--budgets", "0", says=["budgets", "got 0"])
    self.fails("bench", "--plot", "x.svg", says=["--sweep"])
    self.fails("bench", "--isa", "mmx", says=["mmx"])
    report = json.loads(self.podium("bench", "--seconds", SECONDS, "--workload", "1x100000", "--format", "json")[0])
    self.assertIn("longer than the model's", report["workloads"][0]["remark"])


if __name__ == "__main__":
  unittest.main()
