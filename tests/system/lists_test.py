#!/usr/bin/env python3
"""`podium compare` and `podium lengths`, as users meet them, on the bundled model."""

import json
import math
import os
import pty
import shutil
import statistics
import struct
import subprocess
import unittest
import xml.etree.ElementTree

from podium_process import MODEL, PODIUM, Case, environment

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

  def test_lengths_that_a_query_fills_are_not_tried_where_only_documents_are_cut(self):
    pairs = self.file("pairs.jsonl", "".join(
        json.dumps({"query": "word " * n, "document": "a tomato is a berry"}) + "\n" for n in (5, 130)))
    for words in ((), ("--lengths", "64,256")):
      got = json.loads(self.podium("lengths", pairs, "--seconds", "0.2", "--truncation", "only_second", *words)[0])
      self.assertGreater(min(row["max_length"] for row in got["lengths"]), 130)
    self.assertIn(64, [row["max_length"] for row in json.loads(self.podium("lengths", pairs, "--seconds", "0")[0])["lengths"]])

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


class Compare(Case):

  LISTS = [("q1", "what is a tomato", [0, 1, 2, 3], {0: 2, 3: 1}), ("q2", "how do I reset my router", [2, 0, 1], {2: 1}),
           ("q3", "什么是番茄", [1, 3, 0, 4, 2], {3: 1})]

  def content(self, labels=True):
    rows = []
    for name, query, documents, grades in self.LISTS:
      row = {"id": name, "query": query, "documents": [DOCUMENTS[d] for d in documents]}
      if labels:
        row["labels"] = [grades.get(d, 0) for d in documents]
      rows.append(json.dumps(row))
    return "\n".join(rows) + "\n"

  def compare(self, a, b, *words, content=None, code=0):
    path = self.file("lists.jsonl", content or self.content())
    out, err = self.podium("compare", a, b, path, *words, code=code)
    return json.loads(out), err

  def reversed_model(self):
    """The bundled model with the sign of its last weights turned: what it ranked first it ranks last."""
    folder = self.folder / "reversed"
    shutil.copytree(MODEL, folder)
    weights = folder / "model.safetensors"
    data = bytearray(weights.read_bytes())
    size, = struct.unpack_from("<Q", data)
    begin, end = json.loads(data[8:8 + size])["classifier.out_proj.weight"]["data_offsets"]
    for at in range(8 + size + begin, 8 + size + end, 2):  # fp16: the sign bit
      data[at + 1] ^= 0x80
    weights.write_bytes(data)
    return folder

  def test_a_model_equals_itself(self):
    got, err = self.compare(MODEL, "precision=fp32", "--max-delta", "0", "--min-kendall", "1", "--min-overlap", "1",
                            "--min-top1", "1", "--min-ndcg-diff", "0", "--min-ndcg-bound", "0")
    self.assertEqual(err, "")
    self.assertEqual((got["lists"], got["pairs"]), (3, 12))
    self.assertEqual(got["delta"]["max"], 0)
    self.assertGreater(got["delta"]["sd_a"], 0.5)
    self.assertEqual((got["order"]["kendall"], got["order"]["kendall_b"], got["order"]["swapped"]), (1, 1, 0))
    self.assertTrue(got["passed"])
    self.assertEqual(len(got["thresholds"]), 6)
    self.assertEqual(got["a"]["tokens"], got["b"]["tokens"])
    self.assertEqual(got["labels"]["a"], got["labels"]["b"])
    for side in "ab":
      self.assertGreater(got[side]["tokens_per_s"], 0)
      self.assertGreater(got[side]["memory_bytes"], 10 << 20)
    self.assertGreater(got["speed"]["ratio"], 0.1)

  def test_figures_are_those_of_rank(self):
    got, _ = self.compare("isa=scalar", "max-length=16")
    logits = {}
    for side, words in (("a", ["--isa", "scalar"]), ("b", ["--max-length", "16"])):
      for name, query, documents, _ in self.LISTS:
        out, _ = self.podium("rank", "-q", query, "--scores", "raw", *words, *[DOCUMENTS[d] for d in documents])
        for line in out.splitlines():
          result = json.loads(line)
          logits[side, name, result["index"]] = result["score"]
    deltas = [abs(logits["b", n, i] - logits["a", n, i]) for s, n, i in logits if s == "a"]
    self.assertAlmostEqual(got["delta"]["mean"], sum(deltas) / len(deltas), places=5)
    self.assertAlmostEqual(got["delta"]["max"], max(deltas), places=5)
    self.assertAlmostEqual(got["delta"]["sd_a"], statistics.pstdev(v for k, v in logits.items() if k[0] == "a"), places=5)
    top = {s: {n: max(range(len(d)), key=lambda i, s=s, n=n: logits[s, n, i]) for n, _, d, _ in self.LISTS} for s in "ab"}
    self.assertAlmostEqual(got["order"]["top1"], sum(top["a"][n] == top["b"][n] for n in top["a"]) / 3)
    self.assertEqual((got["a"]["isa"], got["b"]["max_length"]), ("scalar", 16))
    self.assertGreater(got["b"]["truncated"], got["a"]["truncated"])
    self.assertLess(got["b"]["tokens"], got["a"]["tokens"])
    for side in "ab":
      values = []
      for name, _, documents, grades in self.LISTS:
        order = sorted(range(len(documents)), key=lambda i: -logits[side, name, i])
        gains = [2 ** grades.get(documents[i], 0) - 1 for i in order]
        best = sorted(gains, reverse=True)
        values.append(sum(g / math.log2(r + 2) for r, g in enumerate(gains)) /
                      sum(g / math.log2(r + 2) for r, g in enumerate(best)))
      self.assertAlmostEqual(got["labels"][side], sum(values) / 3, places=9)

  def test_a_missed_threshold_ends_with_3_and_is_named(self):
    turned = self.reversed_model()
    got, err = self.compare(MODEL, turned, "--max-delta-mean-sd", "0.01", "--min-kendall", "0.999", "--min-top1", "0",
                            "--max-delta", "1000", code=3)
    self.assertFalse(got["passed"])
    self.assertEqual({t["option"]: t["ok"] for t in got["thresholds"]},
                     {"--max-delta-mean-sd": False, "--min-kendall": False, "--min-top1": True, "--max-delta": True})
    self.assertIn("podium: threshold missed: --max-delta-mean-sd 0.01: got 2.", err)
    self.assertIn("--min-kendall 0.999: got ", err)
    self.assertNotIn("top1", err)
    self.assertGreater(got["delta"]["mean_sd"], 0.01)
    self.assertEqual((got["order"]["kendall"], got["order"]["kendall_b"], got["order"]["top1"]), (-1, -1, 0))
    worst = [row["kendall"] for row in got["worst"]]
    self.assertEqual(worst, sorted(worst))
    table, _ = self.podium("compare", MODEL, turned, self.file("l.jsonl", self.content()), "--format", "table",
                           "--min-kendall", "0.999", code=3)
    for word in ("MISSED  --min-kendall 0.999: got", "Kendall", "lists that differ most", "standard deviations of A"):
      self.assertIn(word, table)

  def test_the_picture(self):
    plot = self.folder / "compare.svg"
    self.compare("isa=scalar", "max-length=16", "--plot", plot)
    root = xml.etree.ElementTree.parse(plot).getroot()
    self.assertEqual(len(list(root.iter("{http://www.w3.org/2000/svg}circle"))), 12)
    self.assertGreater(len(list(root.iter("{http://www.w3.org/2000/svg}rect"))), 2)

  def test_bounds_are_the_same_in_each_run(self):
    words = ("isa=scalar", "max-length=16", "--seed", "5", "--rounds", "500")
    first, again = self.compare(*words)[0]["labels"], self.compare(*words)[0]["labels"]
    self.assertEqual(first, again)
    self.assertEqual(first["seed"], 5)
    self.assertLessEqual(first["low"], first["difference"])
    self.assertGreaterEqual(first["high"], first["difference"])

  def test_sides_may_cut_pairs_by_different_rules(self):
    got, _ = self.compare("max-length=16", "max-length=16,truncation=only_second")
    self.assertEqual(got["a"]["tokens"], got["b"]["tokens"])
    self.assertEqual(got["delta"]["max"], 0)  # the queries are short: the documents are cut by either
    long = json.dumps({"query": "what is a tomato " * 8, "documents": ["A tomato is a berry."]})
    got, _ = self.compare("max-length=24", "max-length=24,truncation=flag_embedding", content=long)
    self.assertEqual((got["a"]["tokens"], got["b"]["tokens"]), (24, 24))
    self.assertGreater(got["delta"]["max"], 0)

  def test_progress_is_shown_on_a_terminal_only(self):
    path = self.file("lists.jsonl", self.content())
    master, slave = pty.openpty()
    process = subprocess.Popen([PODIUM, "compare", MODEL, MODEL, path], stdout=subprocess.DEVNULL, stderr=slave,
                               env=environment(TERM="xterm"))
    os.close(slave)
    self.assertEqual(process.wait(60), 0)
    shown = os.read(master, 65536).decode()
    os.close(master)
    self.assertIn("3 of 3 lists  100%", shown)
    self.assertTrue(shown.endswith("\r\x1b[K"), shown)  # and taken off

  def test_mistakes_are_named(self):
    path = self.file("lists.jsonl", self.content(labels=False))
    self.fails("compare", "isa=scalar", "isa=vax", path, says=["isa", "vax", "scalar"])
    self.fails("compare", "isa=scalar", "precision=fp7", path, says=["precision", "fp7"])
    self.fails("compare", "isa=scalar", "prec=int8", path, says=["prec=int8"])
    self.fails("compare", "isa=scalar,isa=scalar", MODEL, path, says=["side", "twice"])
    self.fails("compare", MODEL, f"{MODEL},width=3", path, says=["side", "width=3", "max-length="])
    self.fails("compare", MODEL, "truncation=middle", path, says=["truncation", "middle", "only_second"])
    self.fails("compare", MODEL, MODEL, path, "--min-ndcg-diff", "0", says=["--min-ndcg-diff", "labels"])
    self.fails("compare", MODEL, MODEL, self.folder / "none", says=["none"])
    self.fails("compare", MODEL, MODEL, path, "--k", "0", says=["k: got 0"])
    self.fails("compare", MODEL, MODEL, path, "--rounds", "0", says=["rounds"])
    self.fails("compare", MODEL, MODEL, path, "--confidence", "1", says=["confidence"])
    self.fails("compare", MODEL, MODEL, path, "--noise-sd", "-1", says=["noise-sd"])
    self.fails("compare", MODEL, MODEL, path, "--min-kendall", "high", code=2, says=["min-kendall"])
    self.fails("compare", MODEL, path, code=2, says=["lists"])
    self.fails("compare", MODEL, MODEL, path, "--limit", "-1", code=2, says=["--limit", "-1", "2147483647"])
    got, _ = self.compare(MODEL, MODEL, content=self.content(labels=False))
    self.assertIsNone(got["labels"])

  def test_a_threshold_that_nothing_can_be_measured_on_is_missed(self):
    one = json.dumps({"query": "q", "documents": ["only one"]})
    _, err = self.compare(MODEL, MODEL, "--min-kendall", "0", content=one, code=3)
    self.assertIn("nothing to measure", err)


if __name__ == "__main__":
  unittest.main()
