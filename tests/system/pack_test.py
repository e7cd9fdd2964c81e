#!/usr/bin/env python3
"""podium pack, and packed files wherever a model goes."""

import json
import os
import re
import shutil
import unittest

from podium_process import MODEL, SANITIZED, Case

QUERY = ["-q", "what is a tomato", "a tomato is a berry", "a train runs twice a day", "番茄是一种浆果"]


class Pack(Case):

  def pack(self, *words):
    path = self.folder / "model.podium"
    out, _ = self.podium("pack", MODEL, "-o", path, "--format", "json", *words)
    return path, json.loads(out)

  def test_scores_are_those_of_the_folder_in_bytes(self):
    path, facts = self.pack()
    self.assertEqual((facts["precision"], facts["version"], facts["in_float"]), ("int8", 2, []))
    self.assertEqual(facts["bytes"], os.path.getsize(path))
    folder = self.podium("rank", "--precision", "int8", *QUERY)[0]
    self.assertEqual(self.podium("rank", "--model", path, *QUERY)[0], folder)
    self.assertEqual(self.podium("rank", *QUERY, env=dict(os.environ, PODIUM_MODEL=str(path)))[0], folder)
    whole = json.loads(self.podium("rank", "--model", path, *QUERY, "--format", "json")[0])
    self.assertEqual((whole["model"], whole["precision"]), ("model.podium", "int8"))
    self.assertEqual(self.podium("tokenize", "-m", path, "a tomato")[0], self.podium("tokenize", "a tomato")[0])
    facts = json.loads(self.podium("inspect", "--model", path, "--format", "json")[0])
    self.assertEqual((facts["precision"], facts["packed_version"], facts["hidden"]), ("int8", 2, 384))
    self.fails("rank", "--model", path, "--precision", "fp32", *QUERY, says=[str(path), "packed for int8"])

  def test_verify_names_what_is_damaged(self):
    path, _ = self.pack()
    self.assertTrue(json.loads(self.podium("pack", "--verify", path, "--format", "json")[0])["verified"])
    content = bytearray(path.read_bytes())
    middle = len(content) // 2
    content[middle] ^= 1
    broken = self.file("broken.podium", bytes(content))
    self.fails("pack", "--verify", broken, says=["broken.podium: section ", "checksum: got", "expected"])
    cut = self.file("cut.podium", bytes(content[:middle]))
    self.fails("rank", "--model", cut, *QUERY, says=["cut.podium", f"has {middle} bytes", f"expected {len(content)}"])
    self.fails("pack", "--verify", MODEL / "config.json", says=["config.json"])

  def test_a_file_that_cannot_be_written_leaves_the_old_one(self):
    path, _ = self.pack()
    before = path.read_bytes()
    shutil.copytree(MODEL, self.folder / "broken")
    (self.folder / "broken" / "tokenizer.json").write_text("{}")
    self.fails("pack", self.folder / "broken", "-o", path, says=["tokenizer.json"])
    self.fails("pack", MODEL, "-o", self.folder / "none" / "x", says=["none/x"])
    self.fails("pack", path, "-o", path, says=["packed already"])
    self.fails("pack", MODEL, "-o", path, "--float", "layers.99.ffn", says=["layers.99.ffn", "0 to 11"])
    self.assertEqual(path.read_bytes(), before)
    self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["broken", "model.podium"])
    self.podium("pack", MODEL, code=2)
    self.podium("pack", "--verify", code=2)

  def test_calibrating_leaves_in_float_what_gains_most(self):
    documents = ["A tomato is a berry.", "Trains run twice a day."]
    lists = self.file("lists.jsonl", "".join(
        json.dumps({"query": query, "documents": [*documents, f"{query}!"]}) + "\n" for query in ("what is a tomato", "when do trains run", "番茄是什么", "how long is the warranty")))
    words = ("--calibrate", lists, "--pairs", "8")
    if not SANITIZED:  # packs 27 times
      _, facts = self.pack(*words, "--target", "0", "--float-share", "0.06")
      self.assertIn("on 8 pairs", facts["calibration"])
      self.assertIn(len(facts["in_float"]), (2, 4, 8))  # one FFN or up to two attentions are what the share allows
    _, facts = self.pack(*words, "--target", "1")
    self.assertEqual(facts["in_float"], [])
    together, nearest = map(float, re.findall(r"0\.\d{4}", facts["calibration"]))
    self.assertLess(together, nearest)
    path = self.folder / "model.podium"
    facts = json.loads(self.podium("inspect", "--model", path, "--format", "json")[0])
    self.assertIn("8 pairs", facts["packed_calibration"])
    self.fails("pack", path, "-o", self.folder / "again.podium", "--calibrate", lists, says=["is packed already"])
    self.podium("pack", MODEL, "-o", path, "--calibrate", lists, "--float", "layers.0.ffn", code=2)
    self.fails("pack", MODEL, "-o", path, "--calibrate", self.folder / "none.jsonl", says=["none.jsonl"])

  def test_a_layer_in_float(self):
    _, facts = self.pack("--float", "layers.3.ffn,layers.0.attention")
    self.assertEqual(facts["in_float"], [f"layers.0.{part}" for part in ("query", "key", "value", "attention_output")] +
                     ["layers.3.ffn_up", "layers.3.ffn_down"])


if __name__ == "__main__":
  unittest.main()
