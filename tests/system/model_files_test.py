#!/usr/bin/env python3
"""Model files as they are in the wild: changed under a running program, damaged, from other tools."""

import json
import os
import random
import shutil
import signal
import subprocess
import time
import unittest

from podium_process import MODEL, PODIUM, Case, environment

WEIGHTS = "model.safetensors"


class ModelFiles(Case):

  def copy(self, name="model", **config):
    """A copy of the bundled model with these members of its config.json changed."""
    folder = self.folder / name
    shutil.copytree(MODEL, folder)
    known = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(known | config))
    return folder

  def start(self, folder, *words):
    return subprocess.Popen([PODIUM, "rank", "--model", str(folder), *words], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())

  def test_the_scale_of_scores_is_the_models(self):
    words = ["rank", "-q", "what is a tomato", "a berry", "a train"]
    raw = [json.loads(line)["score"] for line in self.podium(*words, "--scores", "raw")[0].splitlines()]
    identity = "torch.nn.modules.linear.Identity"
    folder = self.copy("logits", sentence_transformers={"activation_fn": identity})
    scores = [json.loads(line)["score"] for line in self.podium(*words, "--model", folder)[0].splitlines()]
    self.assertEqual(scores, raw)
    self.assertEqual(self.podium(*words, "--model", folder, "--scores", "sigmoid")[0], self.podium(*words)[0])
    self.assertEqual(json.loads(self.podium("inspect", "--model", folder)[0])["score"], "the logit")
    self.assertEqual(json.loads(self.podium("inspect")[0])["score"], "sigmoid of the logit")
    folder = self.copy("tanh", sbert_ce_default_activation_function="torch.nn.modules.activation.Tanh")
    self.fails(*words, "--model", folder, says=["sbert_ce_default_activation_function", "Tanh", "supported"])

  def test_a_padding_id_that_is_not_the_tokenizers(self):
    self.fails("rank", "-q", "q", "d", "--model", self.copy(pad_token_id=2),
               says=["config.json: pad_token_id is 2", "\"</s>\"", "\"<pad>\"", "Positions count from"])

  def test_a_file_cut_before_its_use(self):
    folder = self.copy()
    os.truncate(folder / WEIGHTS, 1_000_000)
    self.fails("rank", "-q", "q", "d", "--model", folder, says=[WEIGHTS, "unfinished download"])

  def test_a_file_cut_while_it_is_used(self):
    """At any moment: whole results, or an error that names the file. Never a death by SIGBUS."""
    draw = random.Random(7)
    documents = "\n".join(f"{draw.random()} what is a tomato, and why is it called {i} a berry?" for i in range(400))
    whole = self.podium("rank", "-q", "q", stdin=documents)[0]
    begin = time.monotonic()
    self.podium("rank", "-q", "q", stdin=documents)
    seconds = time.monotonic() - begin
    ends = {"whole": 0, "cut": 0}
    for turn in range(12):
      folder = self.copy(f"turn{turn}")
      process = self.start(folder, "-q", "q")
      process.stdin.write(documents.encode())
      process.stdin.close()
      time.sleep(seconds * (turn + draw.random()) / 10)
      os.truncate(folder / WEIGHTS, draw.choice([0, 5, 4096 * 7, 1_000_001, 20_000_000]))
      out, err = process.stdout.read().decode(), process.stderr.read().decode()
      process.stdout.close(), process.stderr.close()
      code = process.wait(120)
      self.assertNotEqual(code, -signal.SIGBUS, err)
      if code == 0:
        self.assertEqual(out, whole)
        ends["whole"] += 1
      else:
        self.assertEqual(code, 1, err)
        self.assertEqual(out, "")
        self.assertIn(f"turn{turn}/{WEIGHTS}", err)
        ends["cut"] += 1
      shutil.rmtree(folder)
    self.assertGreater(ends["cut"], 0, ends)

  def test_a_file_renamed_over_changes_nothing(self):
    folder = self.copy()
    documents = "\n".join(f"document {i}" for i in range(50)).encode()
    want = self.podium("rank", "-q", "q", stdin=documents)[0]
    process = self.start(folder, "-q", "q")
    (folder / "new").write_bytes(b"not a model")
    os.rename(folder / "new", folder / WEIGHTS)
    out, err = process.communicate(documents, 120)
    # Read before or after the renaming: the old file's scores, or an error about the new file.
    if process.returncode == 0:
      self.assertEqual(out.decode(), want)
    else:
      self.assertIn(WEIGHTS, err.decode())


if __name__ == "__main__":
  unittest.main(verbosity=2)
