#!/usr/bin/env python3
"""podium pull against an imitation of the hub, faults included."""

import hashlib
import json
import os
import pty
import random
import shutil
import signal
import ssl
import subprocess
import threading
import time
import unittest

from fake_hub import COMMIT, FakeHub, Reply, digest, git_sha1
from podium_process import MODEL, PODIUM, Case, environment

NAME = "org/reranker"
REPOSITORY = "models--org--reranker"
CONFIG = (MODEL / "config.json").read_bytes()
PYTHON_HUB = os.environ.get("PODIUM_PYTHON_HUB", "")  # a Python that has huggingface_hub


def weights(size, seed=1):
  return random.Random(seed).randbytes(size)


def model(size=300_000, **more):
  files = {"config.json": CONFIG, "tokenizer.json": b'{"a": 1}', "tokenizer_config.json": b"{}",
           "model.safetensors": weights(size)}
  files.update({name.replace("__", "."): content for name, content in more.items()})
  return {name: content for name, content in files.items() if content is not None}


class PullCase(Case):

  def setUp(self):
    super().setUp()
    self.hub = FakeHub()
    self.addCleanup(self.hub.close)
    self.cache = self.folder / "hf" / "hub"
    self.snapshot = self.cache / REPOSITORY / "snapshots" / COMMIT

  def env(self, **extra):
    clean = {name: None for name in os.environ if name.startswith(("HF_", "HUGGING")) or name.lower().endswith("_proxy")}
    for name in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "TRANSFORMERS_OFFLINE"):
      clean[name] = None
    return environment(**{**clean, "HF_ENDPOINT": self.hub.endpoint, "HF_HOME": str(self.folder / "hf"),
                          "HF_HUB_DOWNLOAD_TIMEOUT": "3", "no_proxy": "127.0.0.1", **extra})

  def pull(self, *words, env=None, code=0):
    return self.podium("pull", *words, env=env or self.env(), code=code)

  def refuses(self, *words, says, env=None, code=1):
    self.fails("pull", *words, says=says, env=env or self.env(), code=code)

  def blobs(self):
    folder = self.cache / REPOSITORY / "blobs"
    return sorted(os.listdir(folder)) if folder.exists() else []

  def assert_whole(self, files, folder=None):
    """The cache holds exactly these files, laid out as Hugging Face's clients do."""
    folder = folder or self.snapshot
    self.assertEqual(sorted(os.listdir(folder)), sorted(files))
    for name, content in files.items():
      path = folder / name
      self.assertEqual(os.readlink(path), f"../../blobs/{digest(name, content)}")
      self.assertEqual(path.read_bytes(), content)
    self.assertEqual((self.cache / REPOSITORY / "refs" / "main").read_text(), COMMIT)
    self.assertEqual(self.blobs(), sorted({digest(name, content) for name, content in files.items()}))


class Layout(PullCase):

  def test_into_the_cache(self):
    files = model()
    others = {"pytorch_model.bin": b"x" * 1000, "onnx/model.onnx": b"y" * 1000, "README.md": b"# hi", "model.h5": b"z",
              ".gitattributes": b"", "1_Pooling/config.json": b"{}", "tf_model.h5": b"a", "sentencepiece.bpe.model": b"b"}
    self.hub.add(NAME, {**files, **others})
    out, err = self.pull(NAME)
    self.assertEqual(out, f"{self.snapshot}\n")
    self.assert_whole(files)
    self.assertIn(f"{NAME} at {COMMIT[:12]}: 3 files, 300 kB to download into {self.snapshot}", err)
    self.assertTrue((self.cache / "CACHEDIR.TAG").read_text().startswith("Signature: 8a477f597d28d172789f06886806bc55"))
    for other in others:
      self.assertFalse(self.hub.seen(other), other)
    # A second time: the commit is asked for, nothing else.
    self.hub.requests.clear()
    out, err = self.pull(NAME)
    self.assertEqual((out, err), (f"{self.snapshot}\n", ""))
    self.assertEqual([r["path"] for r in self.hub.requests], [f"/api/models/{NAME}/revision/main"])
    # And where the cache is read-only.
    subprocess.run(["chmod", "-R", "a-w", self.cache], check=True)
    self.addCleanup(subprocess.run, ["chmod", "-R", "u+w", self.cache])
    self.assertEqual(self.pull(NAME)[0], f"{self.snapshot}\n")

  def test_rank_works_with_it(self):
    files = {p.name: p.read_bytes() for p in MODEL.iterdir()
             if p.name in ("config.json", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json",
                           "model.safetensors")}
    self.hub.add(NAME, files)
    env = self.env()
    self.fails("rank", "--model", NAME, "-q", "q", "d", says=[f"podium pull {NAME}"], env=env)
    self.pull(NAME)
    got = self.podium("rank", "--model", NAME, "-q", "what is a tomato", "A berry.", "A train.", env=env)[0]
    self.assertEqual(got, self.podium("rank", "-q", "what is a tomato", "A berry.", "A train.")[0])


if __name__ == "__main__":
  unittest.main()
