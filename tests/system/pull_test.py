#!/usr/bin/env python3
"""podium pull against an imitation of the hub, faults included."""

import hashlib
import importlib.util
import json
import os
import pty
import random
import re
import shutil
import signal
import ssl
import subprocess
import sys
import time
import unittest

from fake_hub import COMMIT, FakeHub, Reply, digest, git_sha1
from podium_process import MODEL, PODIUM, Case, environment

NAME = "org/reranker"
REPOSITORY = "models--org--reranker"
CONFIG = (MODEL / "config.json").read_bytes()
# A Python that has huggingface_hub.
PYTHON_HUB = os.environ.get("PODIUM_PYTHON_HUB") or (sys.executable if importlib.util.find_spec("huggingface_hub") else "")


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
                          "no_proxy": "127.0.0.1", **extra})

  def pull(self, *words, env=None, code=0):
    return self.podium("pull", *words, env=env or self.env(), code=code)

  def refuses(self, *words, says, env=None, code=1):
    """A pull that must end with this code, no result, and a message that has all these words."""
    out, err = self.pull(*words, env=env, code=code)
    self.assertEqual(out, "")
    message = err[err.rfind("podium: "):]
    for word in ["podium: ", *says]:
      self.assertIn(word, message)

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

  def test_shards(self):
    index = {"metadata": {}, "weight_map": {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors",
                                            "c": "model-00001-of-00002.safetensors"}}
    files = model(**{"model.safetensors": None, "model.safetensors.index.json": json.dumps(index).encode(),
                     "model-00001-of-00002.safetensors": weights(70_000, 1),
                     "model-00002-of-00002.safetensors": weights(50_000, 2)})
    self.hub.add(NAME, {**files, "model-00003-of-00002.safetensors": b"not named by the index"})
    self.pull(NAME)
    self.assert_whole(files)

  def test_revisions(self):
    old, new = model(), model(200_000)
    self.hub.add(NAME, old)
    other = "b" * 40
    self.hub.add(NAME, new, commit=other, refs=("refs/pr/3", "v2"))
    for words in ([f"{NAME}@refs/pr/3"], [NAME, "--revision", "v2"], [f"{NAME}@{other}"]):
      self.assertEqual(self.pull(*words)[0], f"{self.cache / REPOSITORY}/snapshots/{other}\n")
    self.assertEqual((self.cache / REPOSITORY / "refs/refs/pr/3").read_text(), other)
    self.assertEqual((self.cache / REPOSITORY / "refs/v2").read_text(), other)
    self.assertFalse((self.cache / REPOSITORY / "refs" / other).exists())
    self.assertFalse(self.snapshot.exists())
    self.hub.requests.clear()
    self.pull(NAME)
    self.assertTrue(self.snapshot.exists())
    # Three files are the same in both: their contents are there.
    self.assertEqual([r["path"].rsplit("/", 1)[-1] for r in self.hub.seen(method="GET", door="cdn")],
                     [digest("model.safetensors", old["model.safetensors"])])
    self.assertEqual(self.hub.seen("config.json", "GET"), [])
    # The branch moves on.
    self.hub.repositories[NAME]["refs"]["main"] = other
    self.pull(NAME)
    self.assertEqual((self.cache / REPOSITORY / "refs/main").read_text(), other)
    self.assertTrue((self.snapshot / "config.json").exists())

  def test_plain_folder(self):
    files = model(special_tokens_map__json=b"{}", added_tokens__json=b"{}")
    self.hub.add(NAME, files)
    target = self.folder / "a" / "b"
    out, _ = self.pull(NAME, "--to", target)
    self.assertEqual(out, f"{target}\n")
    self.assertEqual({p.name: p.read_bytes() for p in target.iterdir()}, files)
    self.assertFalse(any(p.is_symlink() for p in target.iterdir()))
    self.assertFalse(self.cache.exists())
    # Again: nothing to do. A file that was changed or cut comes again, and only it.
    self.hub.requests.clear()
    self.pull(NAME, "--to", target)
    self.assertEqual(self.hub.seen("resolve", "GET"), [])
    changed = bytearray(files["model.safetensors"])
    changed[1000] ^= 1
    (target / "model.safetensors").write_bytes(changed)
    (target / "tokenizer.json").write_bytes(b"{")
    (target / "mine.txt").write_text("stays")
    self.pull(NAME, "--to", target)
    self.assertEqual([r["path"].rsplit("/", 1)[-1] for r in self.hub.seen("resolve", "GET")],
                     ["tokenizer.json", "model.safetensors"])
    self.assertEqual({p.name: p.read_bytes() for p in target.iterdir()}, {**files, "mine.txt": b"stays"})

  def test_environment_of_the_cache(self):
    files = model(1000)
    self.hub.add(NAME, files)
    for extra, where in (({"HF_HUB_CACHE": str(self.folder / "c")}, "c"),
                         ({"HUGGINGFACE_HUB_CACHE": str(self.folder / "l")}, "l"),
                         ({"HF_HOME": None, "XDG_CACHE_HOME": str(self.folder / "x")}, "x/huggingface/hub"),
                         ({"HF_HOME": None, "XDG_CACHE_HOME": None, "HOME": str(self.folder / "h")},
                          "h/.cache/huggingface/hub"),
                         ({"HF_HOME": "~/t", "HOME": str(self.folder / "h")}, "h/t/hub")):
      out, _ = self.pull(NAME, env=self.env(**extra))
      self.assertEqual(out, f"{self.folder}/{where}/{REPOSITORY}/snapshots/{COMMIT}\n")

  def test_what_is_needed(self):
    sentence = model(sentencepiece__bpe__model=b"s", vocab__txt=b"v", modules__json=b"[]", merges__txt=b"m",
                     config_sentence_transformers__json=b"{}", sentence_bert_config__json=b"{}")
    unneeded = ("sentencepiece.bpe.model", "vocab.txt", "merges.txt")
    self.hub.add(NAME, sentence)
    self.pull(NAME)
    self.assert_whole({k: v for k, v in sentence.items() if k not in unneeded})
    self.hub.add("org/other", {k: v for k, v in sentence.items() if k not in ("tokenizer.json", "vocab.txt")})
    out, _ = self.pull("org/other")
    self.assertIn("sentencepiece.bpe.model", os.listdir(out.strip()))

  def test_quiet(self):
    self.hub.add(NAME, model())
    self.hub.fault(lambda _: Reply(500), path="api/")
    out, err = self.pull(NAME, "--quiet")
    self.assertEqual((out, err), (f"{self.snapshot}\n", ""))


class Refusals(PullCase):

  def test_names(self):
    for name in ("", "a/b/c", "../x", "org/..", "org/name@", "org/name@../../x", "a b/c", "/abs/path", "org/na\nme"):
      _, err = self.podium("pull", name, env=self.env(), code=2)
      self.assertTrue(err.startswith("podium: "), err)
    self.podium("pull", env=self.env(), code=2)
    self.podium("pull", "org/name@a", "--revision", "b", env=self.env(), code=2)
    self.podium("pull", "org/name", "--retries", "-1", env=self.env(), code=2)
    self.assertEqual(self.hub.requests, [])

  def test_statuses_say_what_to_do(self):
    self.hub.add(NAME, model())
    page = f"{self.hub.endpoint}/{NAME}"
    token = self.env(HF_TOKEN="hf_abc")
    self.refuses("org/absent", says=["HTTP 401", "no such model", "set HF_TOKEN", f"{self.hub.endpoint}/org/absent"])
    self.refuses(f"{NAME}@v9", says=["HTTP 404", 'no revision "v9"', f"{page}/tree/main"])
    gated = Reply(403, {"X-Error-Code": "GatedRepo", "X-Error-Message": "Access is restricted \x1b[31m"})
    for path, method in (("api/", "GET"), ("resolve", "HEAD")):
      self.hub.fault(lambda _: gated, path=path, method=method)
      self.refuses(NAME, says=["HTTP 403", "gated: accept its licence at", page, "may not read it"], env=token)
      self.assertEqual(self.blobs(), [])
    self.hub.fault(lambda _: Reply(401, gated.headers), path="api/")
    self.refuses(NAME, says=["HTTP 401", "gated", "set HF_TOKEN"])
    self.hub.fault(lambda _: Reply(404), path="api/")
    self.refuses(NAME, says=["HTTP 404", "no such model", "capitals count"])
    self.hub.fault(lambda _: Reply(418), path="api/")
    self.refuses(NAME, says=["HTTP 418"])

  def test_no_safetensors(self):
    self.hub.add(NAME, model(model__safetensors=None, pytorch_model__bin=b"x", **{"onnx/model.onnx": b"y"}))
    self.refuses(NAME, says=["there is no model.safetensors", "onnx/model.onnx, pytorch_model.bin", "can run code"])
    self.hub.add("org/b", model(config__json=None))
    self.refuses("org/b", says=["no config.json"])
    self.hub.add("org/c", model(tokenizer__json=None))
    self.refuses("org/c", says=["no tokenizer"])
    self.assertFalse(self.cache.exists())

  def test_a_model_that_cannot_run_is_not_downloaded(self):
    config = {**json.loads(CONFIG), "model_type": "gpt2", "architectures": ["GPT2ForSequenceClassification"]}
    self.hub.add(NAME, model(config__json=json.dumps(config).encode()))
    self.refuses(NAME, says=["org/reranker/config.json", "weights are not downloaded"])
    self.assertEqual(self.hub.seen(door="cdn"), [])
    self.assertFalse((self.snapshot / "config.json").exists())

  def test_replies_that_are_no_hubs(self):
    self.hub.add(NAME, model())
    good = json.loads(self.hub.describe(NAME, "main").body)
    bodies = [
        (b"<html>Log in to the hotel</html>", ["no Hugging Face hub", "HF_ENDPOINT"]), (b"", ["no Hugging Face hub"]),
        (b"[]", ["sha"]), (json.dumps({**good, "sha": "../../.."}).encode(), ["sha"]),
        (json.dumps({**good, "sha": COMMIT.upper()}).encode(), ["sha"]),
        (json.dumps({**good, "siblings": {"a": 1}}).encode(), ["siblings"]),
        (json.dumps({**good, "siblings": [{"rfilename": 1}]}).encode(), ["rfilename"]),
        (json.dumps({**good, "siblings": [{"rfilename": "a"}] * 100_001}).encode(), ["100001 files", "100000"]),
        (b"[" * 100_000, ["nested too deep, limit 64"]), (b'{"sha": "' + b"a" * (17 << 20), ["larger than 16777216 bytes"]),
        (json.dumps({**good, "pad": "a" * (17 << 20)}).encode(), ["larger than 16777216 bytes"])]
    for body, says in bodies:
      self.hub.fault(lambda _, body=body: Reply(body=body), path="api/")
      self.refuses(NAME, says=says)
    self.assertFalse(self.cache.exists())

  def test_hostile_shards(self):
    for shard, says in (("../../evil.safetensors", "not the name of a file"), ("/tmp/evil.safetensors", "not the name"),
                        (".hidden.safetensors", "not the name"), ("config.json", "no .safetensors file"),
                        ("absent.safetensors", "not in the repository"), (7, "not the name")):
      index = json.dumps({"weight_map": {"a": shard}}).encode()
      files = model(**{"model.safetensors": None, "model.safetensors.index.json": index})
      self.hub.add(NAME, {**files, "../../evil.safetensors": b"evil"})
      self.refuses(NAME, says=[says])
      self.assertFalse((self.snapshot / "config.json").exists())
    for index in (b"{}", b"[", b'{"weight_map": {}}', b'{"weight_map": []}'):
      self.hub.add(NAME, model(**{"model.safetensors": None, "model.safetensors.index.json": index}))
      self.refuses(NAME, says=["model.safetensors.index.json"])

  def test_etags(self):
    files = model()
    self.hub.add(NAME, files)
    sha = digest("model.safetensors", files["model.safetensors"])

    def linked(etag):
      return lambda _: Reply(302, {"X-Repo-Commit": COMMIT, "X-Linked-Size": "300000", "X-Linked-Etag": etag,
                                   "Location": f"{self.hub.cdn}/blobs/{sha}"})
    for etag in ("", '""', '"abc"', '"../../../../etc/passwd"', f'"{sha.upper()}"', f'"{sha[:32]}"', f'"{sha}-gzip"', "W/"):
      self.hub.fault(linked(etag), path="model.safetensors", method="HEAD")
      self.refuses(NAME, says=["model.safetensors", "ETag"])
    for etag in (sha, f'"{sha}"', f'W/"{sha}"'):
      shutil.rmtree(self.cache)
      self.hub.fault(linked(etag), path="model.safetensors", method="HEAD")
      self.pull(NAME)
      self.assert_whole(files)
    shutil.rmtree(self.cache)
    self.hub.fault(lambda _: Reply(200, {"X-Repo-Commit": "c" * 40, "ETag": git_sha1(CONFIG)}), method="HEAD")
    self.refuses(NAME, says=["asked for commit", "c" * 40])


class Faults(PullCase):

  def setUp(self):
    super().setUp()
    self.files = model()
    self.hub.add(NAME, self.files)
    self.sha = digest("model.safetensors", self.files["model.safetensors"])
    self.incomplete = self.cache / REPOSITORY / "blobs" / f"{self.sha}.incomplete"

  def body(self, **more):
    return lambda _: Reply(body=self.files["model.safetensors"], **more)

  def ranges(self):
    return [r["headers"].get("range") for r in self.hub.seen(method="GET", door="cdn")]

  def leave(self, content):
    """What an earlier run left of the weights."""
    self.incomplete.parent.mkdir(parents=True, exist_ok=True)
    self.incomplete.write_bytes(content)

  def test_server_errors(self):
    for status in (500, 502, 503, 504, 408, 429):
      self.hub.fault(lambda _, status=status: Reply(status, body=b"oh" * 10), path="api/")
    self.refuses(NAME, "--retries", "1", says=["HTTP 502", "Given up after 2 tries"])
    self.hub.faults.clear()
    for path, method in (("api/", "GET"), ("config.json", "HEAD"), ("config.json", "GET"), ("/blobs/", "GET")):
      self.hub.fault(lambda _: Reply(503), path=path, method=method)
    _, err = self.pull(NAME)
    self.assertEqual(len(re.findall(r"HTTP 503( from \S+)?; trying again in ", err)), 4)
    self.assert_whole(self.files)

  def test_retry_after(self):
    from email.utils import formatdate
    for header in ({"Retry-After": "2"}, {"Retry-After": lambda: formatdate(time.time() + 3, usegmt=True)},
                   {"RateLimit": '"api";r=0;t=2'}):
      headers = {k: v() if callable(v) else v for k, v in header.items()}
      self.hub.fault(lambda _, headers=headers: Reply(429, headers), path="api/")
      began = time.monotonic()
      self.pull(NAME)
      self.assertGreater(time.monotonic() - began, 1.9, header)
    self.hub.fault(lambda _: Reply(429, {"Retry-After": "3600"}), path="api/")
    self.refuses(NAME, says=["HTTP 429", "wait 3600 s", "HF_TOKEN raises the limit"])
    self.hub.fault(lambda _: Reply(429, {"Retry-After": "-5; rm -rf"}), path="api/")
    self.pull(NAME)

  def test_truncated_body_is_resumed(self):
    self.hub.fault(self.body(cut=100_000), door="cdn")
    self.hub.fault(lambda r: Reply(206, {"Content-Range": "bytes 100000-299999/300000"},
                                   self.files["model.safetensors"][100_000:], cut=50_000), door="cdn")
    _, err = self.pull(NAME)
    self.assertEqual(self.ranges(), [None, "bytes=100000-", "bytes=150000-"])
    self.assertEqual(err.count("trying again"), 2)
    self.assert_whole(self.files)

  def test_a_short_reply_that_ends_well(self):
    short = self.files["model.safetensors"][:1000]
    self.hub.fault(lambda _: Reply(body=short), door="cdn")
    self.hub.fault(lambda _: Reply(206, {"Content-Range": "bytes 1000-1999/300000", "Content-Length": None},
                                   self.files["model.safetensors"][1000:2000]), door="cdn")
    self.pull(NAME)
    self.assertEqual(self.ranges(), [None, "bytes=1000-", "bytes=2000-"])
    self.assert_whole(self.files)

  def test_wrong_checksum(self):
    wrong = bytearray(self.files["model.safetensors"])
    wrong[12345] ^= 1
    self.hub.fault(lambda _: Reply(body=bytes(wrong)), door="cdn")
    self.refuses(NAME, says=["model.safetensors", hashlib.sha256(wrong).hexdigest(), f"expected {self.sha}", "SHA-256",
                             "what was downloaded is removed"])
    self.assertFalse(self.incomplete.exists())
    self.assertFalse((self.snapshot / "config.json").exists())
    shutil.rmtree(self.cache)
    self.hub.fault(lambda _: Reply(body=b'{"a": 2}'), path="tokenizer.json")
    self.refuses(NAME, says=["tokenizer.json", "git blob SHA-1", "removed"])
    self.pull(NAME)
    self.assert_whole(self.files)

  def test_too_many_bytes(self):
    self.hub.fault(lambda _: Reply(body=self.files["model.safetensors"] + b"x"), door="cdn")
    self.refuses(NAME, says=["more than the 300000 bytes", "removed"])
    self.assertFalse(self.incomplete.exists())

  def test_what_was_left_is_used(self):
    self.leave(self.files["model.safetensors"][:200_000])
    _, err = self.pull(NAME)
    self.assertEqual(self.ranges(), ["bytes=200000-"])
    self.assertIn(" 100 kB to download", err)
    self.assert_whole(self.files)

  def test_what_was_left_is_whole(self):
    self.leave(self.files["model.safetensors"])
    self.pull(NAME)
    self.assertEqual(self.ranges(), [])
    self.assert_whole(self.files)

  def test_what_was_left_is_rubbish(self):
    for rubbish in (b"\0" * 200_000, b"\0" * 300_000, b"\0" * 300_001):
      self.leave(rubbish)
      _, err = self.pull(NAME)
      self.assertEqual("what an earlier run left is removed" in err, len(rubbish) <= 300_000)
      self.assert_whole(self.files)
      shutil.rmtree(self.cache)

  def test_range_ignored(self):
    self.leave(self.files["model.safetensors"][:200_000])
    self.hub.fault(self.body(), door="cdn")
    _, err = self.pull(NAME)
    self.assertIn("does not resume; starting at 0", err)
    self.assertEqual(self.ranges(), ["bytes=200000-"])  # in the same reply, without asking again
    self.assert_whole(self.files)

  def test_range_not_satisfiable(self):
    self.leave(self.files["model.safetensors"][:200_000])
    self.hub.fault(lambda _: Reply(416, {"Content-Range": "bytes */100"}), door="cdn")
    self.pull(NAME)
    self.assertEqual(self.ranges(), ["bytes=200000-", None])
    self.assert_whole(self.files)

  def test_wrong_range(self):
    self.leave(self.files["model.safetensors"][:200_000])
    self.hub.fault(lambda _: Reply(206, {"Content-Range": "bytes 0-299999/300000"}, self.files["model.safetensors"]),
                   door="cdn")
    _, err = self.pull(NAME)
    self.assertIn("asked for bytes 200000-", err)
    self.assert_whole(self.files)

  def test_stall(self):
    self.hub.step = 50_000
    self.hub.fault(self.body(stall_after=100_000), door="cdn")
    _, err = self.pull(NAME, env=self.env(HF_HUB_DOWNLOAD_TIMEOUT="3"))
    self.assertIn("no data to speak of for 3 s", err)
    self.assertEqual(self.ranges(), [None, "bytes=100000-"])
    self.assert_whole(self.files)

  def test_sizes_that_nobody_tells(self):
    def linked(_):
      return Reply(302, {"X-Repo-Commit": COMMIT, "X-Linked-Etag": self.sha, "Location": f"{self.hub.cdn}/blobs/{self.sha}"})
    self.hub.fault(linked, path="model.safetensors", method="HEAD", times=3)
    self.hub.fault(self.body(headers={"Content-Length": None}, cut=100_000), door="cdn")
    self.refuses(NAME, says=["checksum", "100000 bytes", "removed"])
    self.leave(b"\0" * 1000)
    self.hub.fault(self.body(headers={"Content-Length": None}), door="cdn")
    self.pull(NAME)
    self.assertEqual(self.ranges(), [None, None])
    self.assert_whole(self.files)

  def test_no_space(self):
    huge = Reply(302, {"X-Repo-Commit": COMMIT, "X-Linked-Etag": self.sha, "X-Linked-Size": str(10**17),
                       "Location": f"{self.hub.cdn}/blobs/{self.sha}"})
    self.hub.fault(lambda _: huge, path="model.safetensors", method="HEAD")
    self.refuses(NAME, says=["100 PB to download", "free on that disk"])
    self.assertEqual(self.ranges(), [])

  def test_disk_full(self):
    # Nothing tells the size, so the disk fills up under the download. A file system of one MiB, in a name space of its own.
    disk = self.folder / "disk"
    disk.mkdir()
    mount = f"mount -t tmpfs -o size=1m none {disk}"
    unshare = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"]), "sh", "-c"]
    if subprocess.run([*unshare, mount], capture_output=True).returncode != 0:
      self.skipTest("may not mount a small file system here")
    content = weights(3_000_000)
    sha = digest("model.safetensors", content)
    self.hub.add(NAME, model(model__safetensors=content))
    self.hub.fault(lambda _: Reply(302, {"X-Repo-Commit": COMMIT, "X-Linked-Etag": sha,
                                         "Location": f"{self.hub.cdn}/blobs/{sha}"}), path="model.safetensors", method="HEAD")
    env = self.env(HF_HUB_CACHE=str(disk))
    done = subprocess.run([*unshare, f'{mount} && "{PODIUM}" pull {NAME} --retries 1'], env=env, capture_output=True,
                          timeout=60)
    self.assertEqual(done.returncode, 1)
    self.assertIn(f"{sha}.incomplete: cannot write at byte", done.stderr.decode())
    self.assertIn("No space left on device", done.stderr.decode())
    done = subprocess.run([*unshare, f'{mount} && "{PODIUM}" pull {NAME}'], env=env, capture_output=True, timeout=60)
    self.assertEqual(done.returncode, 1)
    self.assertIn("3.00 MB to download, but only", done.stderr.decode())


class Network(PullCase):

  def test_unreachable(self):
    closed = FakeHub()
    closed.close()
    gone = self.env(HF_ENDPOINT=closed.endpoint)
    began = time.monotonic()
    self.refuses(NAME, says=[closed.endpoint, "onnect"], env=gone)
    self.refuses(NAME, says=["http://no-such-host.invalid/api", "no network, or a wrong name?"],
                 env=self.env(HF_ENDPOINT="http://no-such-host.invalid/"))
    self.assertLess(time.monotonic() - began, 20)
    # What is whole in the cache is used, and said.
    self.hub.add(NAME, model())
    self.pull(NAME)
    out, err = self.pull(NAME, env=gone)
    self.assertEqual(out, f"{self.snapshot}\n")
    self.assertIn("does not answer; using what is there", err)
    (self.snapshot / "model.safetensors").unlink()
    self.refuses(NAME, says=["onnect"], env=gone)
    for endpoint in ("ftp://x", "huggingface.co", "http://a b", "https://"):
      self.refuses(NAME, says=[""], env=self.env(HF_ENDPOINT=endpoint))

  def test_offline(self):
    self.hub.add(NAME, model())
    for words, env in ((["--offline"], self.env()), ([], self.env(HF_HUB_OFFLINE="1")),
                       ([], self.env(TRANSFORMERS_OFFLINE="yes"))):
      self.refuses(NAME, *words, says=["offline", "is not there"], env=env)
    self.assertEqual(self.hub.requests, [])
    self.pull(NAME)
    self.hub.requests.clear()
    self.assertEqual(self.pull(NAME, "--offline")[0], f"{self.snapshot}\n")
    self.assertEqual(self.pull(f"{NAME}@{COMMIT}", "--offline")[0], f"{self.snapshot}\n")
    (self.cache / REPOSITORY / "blobs" / os.path.basename(os.readlink(self.snapshot / "model.safetensors"))).unlink()
    self.refuses(NAME, "--offline", says=["does not hold the whole model", "no model.safetensors"])
    self.assertEqual(self.hub.requests, [])
    self.pull(NAME)  # the link that leads nowhere is filled again
    self.assertEqual(self.pull(NAME, "--offline")[0], f"{self.snapshot}\n")

  def test_the_token_stays_with_the_hub(self):
    self.hub.add(NAME, model())
    file = self.folder / "hf" / "token"
    file.parent.mkdir()
    file.write_text("hf_from_file\n")
    other = self.file("t", "  hf_other \n")
    cases = [({}, "Bearer hf_from_file"), ({"HF_TOKEN": "hf_variable"}, "Bearer hf_variable"),
             ({"HF_TOKEN": ""}, "Bearer hf_from_file"), ({"HUGGING_FACE_HUB_TOKEN": "hf_legacy"}, "Bearer hf_legacy"),
             ({"HF_TOKEN_PATH": other}, "Bearer hf_other"), ({"HF_TOKEN": "hf_x", "HF_HUB_DISABLE_IMPLICIT_TOKEN": "1"}, None)]
    for extra, want in cases:
      self.hub.requests.clear()
      self.pull(NAME, env=self.env(HF_HUB_CACHE=str(self.folder / str(len(extra)) / str(want)), **extra))
      self.assertEqual({r["headers"].get("authorization") for r in self.hub.seen(door="hub")}, {want})
      self.assertEqual({r["headers"].get("authorization") for r in self.hub.seen(door="cdn")}, {None})
      self.assertTrue(self.hub.seen(door="cdn"))
    for token in ("hf_a\nX-Evil: 1", "hf a", "h\x7f", "é" * 3, "a" * 5000):
      _, err = self.podium("pull", NAME, env=self.env(HF_TOKEN=token), code=1)
      self.assertIn("HF_TOKEN: not a token", err)
      self.assertNotIn(token[:5], err.replace("HF_TOKEN", ""))

  def test_redirects(self):
    files = model()
    self.hub.add(NAME, files)
    # A model that was renamed.
    self.hub.fault(lambda r: Reply(307, {"Location": r["url"].replace("org/old", NAME)}), path="org/old", method="", times=99)
    token = self.env(HF_TOKEN="hf_t")
    out, _ = self.pull("org/old", env=token)
    self.assertEqual(sorted(os.listdir(out.strip())), sorted(files))
    self.assertEqual({r["headers"].get("authorization") for r in self.hub.seen(door="hub")}, {"Bearer hf_t"})
    self.hub.faults.clear()
    # Round and round.
    before = len(self.hub.seen(f"api/models/{NAME}/"))
    self.hub.fault(lambda r: Reply(302, {"Location": r["url"]}), path="api/", times=99)
    self.refuses(NAME, says=["more than 10 redirects"])
    self.assertEqual(len(self.hub.seen(f"api/models/{NAME}/")) - before, 11)
    self.hub.faults.clear()
    for target in ("file:///etc/passwd", "ftp://127.0.0.1/x", "gopher://127.0.0.1/x"):
      self.hub.fault(lambda _, target=target: Reply(302, {"Location": target}), path="api/")
      self.refuses(NAME, says=["rotocol"])
    self.hub.fault(lambda _: Reply(302, {"Location": "http://[::bad/"}), path="api/")
    self.refuses(NAME, says=[""])

  def test_messages_hold_no_signature(self):
    self.hub.add(NAME, model())
    self.hub.fault(lambda _: Reply(403), door="cdn", times=9)
    _, err = self.podium("pull", NAME, env=self.env(), code=1)
    self.assertNotIn("secret", err)
    self.assertIn(f"HTTP 403 from {self.hub.cdn}/blobs/", err)
    with_password = self.hub.endpoint.replace("http://", "http://me:secret@")
    self.hub.fault(lambda _: Reply(200, body=b"no"), path="api/")
    for name in (NAME, "org/absent", f"{NAME}@absent"):
      _, err = self.podium("pull", name, env=self.env(HF_ENDPOINT=with_password), code=1)
      self.assertNotIn("secret", err)

  def test_proxy(self):
    files = model()
    self.hub.add(NAME, files)
    env = self.env(HF_ENDPOINT="http://hub.invalid/", http_proxy=self.hub.endpoint, no_proxy="127.0.0.1")
    self.pull(NAME, env=env)
    self.assert_whole(files)
    self.assertIn(f"http://hub.invalid/api/models/{NAME}/revision/main", [r["url"] for r in self.hub.requests])

  def test_a_system_without_the_libraries(self):
    self.hub.add(NAME, model())
    linked = subprocess.run(["ldd", PODIUM], capture_output=True, text=True, check=True).stdout
    for library in ("libcurl.so.4", "libcrypto.so.3"):
      if library in linked:  # the server's TLS needs it: without it the program does not start
        continue
      folder = os.path.dirname(self.file(f"{library}.d/{library}", b"no library"))
      self.refuses(NAME, says=[f"cannot load {folder}/{library}", "podium pull needs it"],
                   env=self.env(LD_LIBRARY_PATH=folder))
    self.assertEqual(self.hub.requests, [])

  def test_tls(self):
    key, certificate = str(self.folder / "key.pem"), str(self.folder / "certificate.pem")
    made = subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate,
                           "-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"],
                          capture_output=True)
    if made.returncode != 0:
      self.skipTest("no openssl program")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    plain, self.hub = self.hub, FakeHub(context)
    self.addCleanup(self.hub.close)
    files = model()
    self.hub.add(NAME, files)
    began = time.monotonic()
    self.refuses(NAME, says=["certificate", "SSL_CERT_FILE"])
    self.assertLess(time.monotonic() - began, 10)  # no second try
    self.refuses(NAME, says=["/absent.pem: no such certificate bundle"], env=self.env(SSL_CERT_FILE="/absent.pem"))
    self.refuses(NAME, says=["ertificate"], env=self.env(SSL_CERT_FILE=self.file("not.pem", "x")))
    for name in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
      self.pull(NAME, env=self.env(**{name: certificate}))
    self.assert_whole(files)
    # From https to http, where anyone on the way could change the bytes.
    shutil.rmtree(self.cache)
    self.hub.fault(lambda r: Reply(302, {"Location": f"{plain.cdn}/x"}), door="hub", path="model.safetensors")
    self.refuses(NAME, says=["from https to http://"], env=self.env(SSL_CERT_FILE=certificate))
    self.assertEqual(plain.requests, [])


class Interruptions(PullCase):

  def setUp(self):
    super().setUp()
    self.files = model(1_000_000)
    self.hub.add(NAME, self.files)
    sha = digest("model.safetensors", self.files["model.safetensors"])
    self.incomplete = self.cache / REPOSITORY / "blobs" / f"{sha}.incomplete"

  def slow(self):
    self.hub.step, self.hub.pause = 20_000, 0.05

  def start(self, **more):
    """Ctrl-C is for it, also where the tests run in the background of a script."""
    return subprocess.Popen([PODIUM, "pull", NAME], env=self.env(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL), **more)

  def wait_for(self, condition, what):
    until = time.monotonic() + 30
    while not condition():
      self.assertLess(time.monotonic(), until, f"never happened: {what}")
      time.sleep(0.01)

  def size(self):
    return self.incomplete.stat().st_size if self.incomplete.exists() else 0

  def check_resumed(self, left):
    self.assertGreater(left, 0)
    self.assertLess(left, 1_000_000)
    self.assertFalse((self.snapshot / "config.json").exists())
    self.assertFalse((self.cache / REPOSITORY / "refs" / "main").exists())
    self.hub.step, self.hub.pause = None, 0
    self.hub.requests.clear()
    self.pull(NAME)
    self.assertEqual([r["headers"].get("range") for r in self.hub.seen(door="cdn")], [f"bytes={left}-"])
    self.assert_whole(self.files)

  def test_kill(self):
    self.slow()
    process = self.start()
    self.wait_for(lambda: self.size() > 200_000, "200 kB")
    process.kill()
    process.communicate()
    self.check_resumed(self.size())

  def test_interrupt(self):
    self.slow()
    process = self.start()
    self.wait_for(lambda: self.size() > 200_000, "200 kB")
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    self.assertLess(time.monotonic() - began, 3)
    self.assertEqual((process.returncode, out), (130, b""))
    self.assertIn("interrupted", err.decode())
    self.assertIn("goes on from there", err.decode())
    self.check_resumed(self.size())

  def test_interrupt_while_waiting(self):
    self.hub.fault(lambda _: Reply(503, {"Retry-After": "100"}), path="api/")
    process = self.start()
    self.wait_for(lambda: self.hub.requests, "a request")
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=5)
    self.assertEqual(process.returncode, 130)

  def test_two_at_once(self):
    self.hub.step, self.hub.pause = 100_000, 0.05
    processes = [self.start() for _ in range(3)]
    ends = [process.communicate(timeout=60) for process in processes]
    self.assertEqual([process.returncode for process in processes], [0] * 3, ends)
    self.assertEqual({out.decode() for out, _ in ends}, {f"{self.snapshot}\n"})
    self.assert_whole(self.files)
    # Each byte came once.
    self.assertEqual(len(self.hub.seen(method="GET", door="cdn")), 1)

  def test_the_one_before_is_killed(self):
    self.hub.step, self.hub.pause = 5_000, 0.1  # the first is at it for 20 s, unless it is killed
    first = self.start()
    self.wait_for(lambda: self.size() > 200_000, "200 kB")
    self.hub.requests.clear()
    second = self.start()
    # What it asks last before it waits, and a moment for the lock.
    self.wait_for(lambda: self.hub.seen("model.safetensors", "HEAD"), "a look by the second")
    time.sleep(0.5)
    first.kill()
    first.communicate()
    self.hub.pause = 0
    _, err = second.communicate(timeout=60)
    self.assertEqual(second.returncode, 0, err)
    self.assertIn("another process downloads it; waiting", err.decode())
    self.assert_whole(self.files)

  def test_two_at_once_into_a_folder(self):
    self.hub.step, self.hub.pause = 100_000, 0.02
    target = self.folder / "plain"
    processes = [subprocess.Popen([PODIUM, "pull", NAME, "--to", target], env=self.env(), stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE)
                 for _ in range(3)]
    ends = [process.communicate(timeout=60) for process in processes]
    self.assertEqual([process.returncode for process in processes], [0] * 3, ends)
    self.assertEqual({p.name: p.read_bytes() for p in target.iterdir()}, self.files)
    self.assertEqual(len(self.hub.seen(method="GET", door="cdn")), 1)

  def test_progress_on_a_terminal(self):
    self.slow()
    terminal, slave = pty.openpty()
    process = subprocess.Popen([PODIUM, "pull", NAME], env=self.env(), stdout=subprocess.PIPE, stderr=slave)
    os.close(slave)
    screen = b""
    while True:
      try:
        got = os.read(terminal, 4096)
      except OSError:
        break
      if not got:
        break
      screen += got
    os.close(terminal)
    out, _ = process.communicate(timeout=30)
    self.assertEqual(out.decode(), f"{self.snapshot}\n")
    text = screen.decode()
    self.assertRegex(text, r"\r\x1b\[Kmodel\.safetensors  \d+ kB of 1\.00 MB \(\d+%\)  \d+ kB/s  0:0\d left")
    self.assertRegex(text, r"1\.00 MB in \d+\.\d s, checksums right")


@unittest.skipUnless(PYTHON_HUB, "PODIUM_PYTHON_HUB names no Python with huggingface_hub")
class WithPython(PullCase):
  """Hugging Face's own client on the same cache."""

  def python(self, code, **extra):
    done = subprocess.run([PYTHON_HUB, "-c", code], env=self.env(HF_HUB_DISABLE_XET="1", **extra), capture_output=True,
                          timeout=120)
    self.assertEqual(done.returncode, 0, done.stderr.decode())
    return done.stdout.decode().strip()

  def test_it_finds_what_we_pulled(self):
    files = model()
    self.hub.add(NAME, files)
    self.pull(NAME)
    self.hub.requests.clear()
    code = (f"from huggingface_hub import hf_hub_download, snapshot_download, scan_cache_dir\n"
            f"print(snapshot_download('{NAME}'))\n"
            f"for name in {sorted(files)}: assert open(hf_hub_download('{NAME}', name), 'rb').read()\n"
            f"r, = scan_cache_dir().repos\n"
            f"print(r.repo_id, r.nb_files, r.size_on_disk, *(sorted(v.refs) for v in r.revisions))")
    size = sum(map(len, files.values()))
    self.assertEqual(self.python(code, HF_HUB_OFFLINE="1").splitlines(),
                     [str(self.snapshot), f"{NAME} {len(files)} {size} ['main']"])
    self.assertEqual(self.hub.requests, [])
    # Online, too, it finds the files and takes none again.
    self.python(f"from huggingface_hub import hf_hub_download as d\nfor name in {sorted(files)}: d('{NAME}', name)")
    self.assertEqual(self.hub.seen("resolve", "GET"), [])

  def test_what_it_pulled_is_not_pulled_again(self):
    files = model()
    self.hub.add(NAME, {**files, "README.md": b"# hi"})
    code = f"from huggingface_hub import hf_hub_download as d\nfor name in {sorted(files)}: d('{NAME}', name)"
    self.python(code)
    self.hub.requests.clear()
    self.assertEqual(self.pull(NAME)[0], f"{self.snapshot}\n")
    self.assertEqual(len(self.hub.requests), 1)
    self.assert_whole(files)

  def test_both_at_once(self):
    # Slow enough that the other comes while the first is at it.
    self.hub.step, self.hub.pause = 10_000, 0.1
    files = model(1_000_000)
    self.hub.add(NAME, files)
    ours = subprocess.Popen([PODIUM, "pull", NAME], env=self.env(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    code = f"from huggingface_hub import hf_hub_download as d\nfor name in {sorted(files)}: d('{NAME}', name)"
    self.python(code)
    out, err = ours.communicate(timeout=60)
    self.assertEqual(ours.returncode, 0, err)
    self.assert_whole(files)
    self.assertEqual(len(self.hub.seen(method="GET", door="cdn")), 1)  # they wait for each other's locks


if __name__ == "__main__":
  unittest.main()
