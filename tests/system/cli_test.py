#!/usr/bin/env python3
"""The command line as users meet it: inputs, formats, mistakes, signals, wrong and hostile files."""

import json
import os
import pty
import re
import shutil
import signal
import struct
import subprocess
import time
import unittest

from podium_process import EXAMPLE, MODEL, PODIUM, ROOT, Case, environment

TOMATO = ["Trains run twice a day.", "The tomato is the edible berry of a plant.", "The warranty is two years."]


def lines(out):
  return [json.loads(line) for line in out.splitlines()]


class Rank(Case):

  def test_real_text(self):
    cases = [
        ("what is a tomato", TOMATO, 1),
        ("什么是番茄", ["火车时刻表每年更新两次。", "番茄是茄科的一种植物，果实可以生吃，也可以做菜。", "保修期为两年。"], 1),
        ("如何重置路由器", ["保修期为两年。", "按住复位按钮十秒钟。"], 1),
        ("what is a tomato", ["火车时刻表每年更新两次。", "番茄是一种植物。"], 1),
    ]
    for query, documents, best in cases:
      results = lines(self.podium("rank", "-q", query, *documents)[0])
      self.assertEqual(results[0]["index"], best, query)
      self.assertEqual(results[0]["document"], documents[best])
      self.assertEqual(sorted(r["index"] for r in results), list(range(len(documents))))
      scores = [r["score"] for r in results]
      self.assertEqual(scores, sorted(scores, reverse=True))
      self.assertTrue(all(0 < s < 1 for s in scores))

  def test_every_input_form_ranks_the_same(self):
    want = self.podium("rank", "-q", "what is a tomato", *TOMATO)[0]
    plain = "\n".join(TOMATO) + "\n"
    objects = [{"text": TOMATO[0]}, {"document": TOMATO[1], "id": 7}, TOMATO[2]]
    request = {"query": "what is a tomato", "documents": objects}
    jsonl = "\n".join(json.dumps(o) for o in objects)
    files = {"a.txt": plain, "crlf": plain.replace("\n", "\r\n"), "b.json": json.dumps(TOMATO), "c": json.dumps(objects),
             "d": json.dumps(request, indent=2), "e": json.dumps(request), "f.jsonl": jsonl, "g": "\ufeff" + plain}
    for name, content in files.items():
      path = self.file(name, content)
      self.assertEqual(self.podium("rank", "-q", "what is a tomato", "-f", path)[0], want, name)
      self.assertEqual(self.podium("rank", "-q", "what is a tomato", "-f", "-", stdin=content)[0], want, name)
      self.assertEqual(self.podium("rank", "-q", "what is a tomato", stdin=content)[0], want, name)
    self.assertEqual(self.podium("rank", stdin=json.dumps(request))[0], want)
    field = json.dumps([{"text": "no", "body": d} for d in TOMATO])
    self.assertEqual(self.podium("rank", "-q", "what is a tomato", "--text-field", "body", stdin=field)[0], want)
    as_lines = lines(self.podium("rank", "-q", "q", "--input", "lines", stdin=field)[0])
    self.assertEqual(as_lines[0]["document"], field)

  def test_formats_agree(self):
    words = ["rank", "-q", "q", "--scores", "raw", "a\tb", "c\\d\ne", "f"]
    want = lines(self.podium(*words)[0])
    whole = json.loads(self.podium(*words, "--format", "json")[0])
    self.assertEqual(list(whole), ["query", "model", "precision", "isa", "results"])
    self.assertEqual((whole["query"], whole["model"], whole["precision"]), ("q", MODEL.name, "fp32"))
    self.assertEqual(whole["results"], want)
    self.assertEqual(list(want[0]), ["index", "score", "document", "tokens", "truncated"])
    tsv = [row.split("\t") for row in self.podium(*words, "--format", "tsv")[0].splitlines()]
    self.assertEqual([(int(i), float(s), int(t)) for i, s, t, _, _ in tsv],
                     [(r["index"], r["score"], r["tokens"]) for r in want])
    self.assertEqual({t for *_, t in tsv}, {"a\\tb", "c\\\\d\\ne", "f"})
    table = self.podium(*words, "--format", "table")[0].splitlines()
    self.assertEqual(len(table), 4)
    for row, result in zip(table[1:], want):
      self.assertIn(f"{result['score']:.3f}", row)

  def test_top_n(self):
    for top_n, want in ((0, 0), (1, 1), (3, 3), (100, 3), (-1, 3), (-100, 3)):
      self.assertEqual(len(lines(self.podium("rank", "-q", "q", "-n", top_n, *TOMATO)[0])), want, top_n)

  def test_empty_things(self):
    self.assertEqual(self.podium("rank", "-q", "q", stdin="")[0], "")
    self.assertEqual(json.loads(self.podium("rank", "-q", "q", "--format", "json", stdin="[]")[0])["results"], [])
    for query in ("", " ", "\u200b"):
      results = lines(self.podium("rank", "-q", query, "--", "", "text", "", " ")[0])
      self.assertEqual(sorted(r["index"] for r in results), [0, 1, 2, 3])
      score = {r["index"]: r["score"] for r in results}
      self.assertEqual(score[0], score[2])

  def test_duplicates_keep_input_order_and_score(self):
    results = lines(self.podium("rank", "-q", "what is a tomato", TOMATO[1], TOMATO[1], TOMATO[0], TOMATO[1])[0])
    self.assertEqual([r["index"] for r in results], [0, 1, 3, 2])
    self.assertEqual(len({r["score"] for r in results}), 2)

  def test_scores_depend_on_the_pair_only(self):
    documents = [f"{t} {n}" * (n % 7 + 1) for n in range(40) for t in TOMATO]
    def scores(*extra, take=documents):
      out = self.podium("rank", "-q", "tomato", "--scores", "raw", *extra, stdin=json.dumps(take))[0]
      return {r["document"]: r["score"] for r in lines(out)}
    want = scores()
    self.assertEqual(scores("--threads", 1), want)
    self.assertEqual(scores(take=documents[::-1]), want)
    for document in documents[:3] + documents[-3:]:
      self.assertEqual(scores(take=[document])[document], want[document])

  def test_tables_agree(self):
    out = self.podium("doctor")[0]
    runnable = [l.split()[1] for l in out.splitlines() if l.startswith("table ") and ("chosen" in l or "runs here" in l)]
    self.assertIn("scalar", runnable)
    scores = []
    for isa in runnable:
      out = self.podium("rank", "-q", "what is a tomato", "--scores", "raw", "--isa", isa, *TOMATO)[0]
      scores.append({r["index"]: r["score"] for r in lines(out)})
    for other in scores[1:]:
      for index, score in scores[0].items():
        self.assertAlmostEqual(score, other[index], delta=1e-4)

  def test_truncation_is_shown(self):
    results = lines(self.podium("rank", "-q", "q", "--max-length", 16, "word " * 40, "word")[0])
    self.assertEqual({r["index"]: r["truncated"] for r in results}, {0: True, 1: False})

  def test_invalid_utf8(self):
    out = self.podium("rank", "-q", b"q\xff".decode(errors="surrogateescape"), "--format", "json", stdin=b"a\xff\xc3b\n")[0]
    result = json.loads(out)
    self.assertEqual(result["query"], "q\ufffd")
    self.assertEqual(result["results"][0]["document"], "a\ufffd\ufffdb")
    replaced = json.loads(self.podium("rank", "-q", "q\ufffd", "--format", "json", stdin="a\ufffd\ufffdb\n")[0])
    self.assertEqual(result["results"][0]["score"], replaced["results"][0]["score"])

  def test_binary_garbage_is_text(self):
    garbage = bytes(range(256)) * 400
    results = lines(self.podium("rank", "-q", "q", "--input", "lines", stdin=garbage)[0])
    self.assertEqual(len(results), 401)

  def test_fifo(self):
    path = str(self.folder / "fifo")
    os.mkfifo(path)
    with subprocess.Popen(["sh", "-c", f"printf 'a\\nb\\n' > {path}"]):
      self.assertEqual(len(lines(self.podium("rank", "-q", "q", "-f", path)[0])), 2)

  def test_time_line_only_when_asked(self):
    self.assertEqual(self.podium("rank", "-q", "q", "a")[1], "")
    self.assertRegex(self.podium("rank", "-q", "q", "a", "--time")[1], r"1 documents? in [0-9.]+ ms")


class Mistakes(Case):

  def test_usage(self):
    self.fails("rank", "a", says=["no query"], code=2)
    self.fails("rank", "-q", "q", "-f", "x", "a", says=["not from both"], code=2)
    self.fails("rnak", says=["unknown command", "did you mean rank?"], code=2)
    self.fails("rank", "--topn", "1", says=["unknown option --topn", "--top-n"], code=2)
    self.fails("rank", "-q", "q", "--format", "xml", "a", says=["xml", "json", "tsv"], code=2)
    self.fails("tokenize", says=["no text"], code=2)
    self.fails("tokenize", "-q", "q", says=["--document"], code=2)

  def test_empty_values_are_refused(self):
    for option in ("--file", "--top-n", "--text-field", "--model", "--isa", "--precision", "--threads", "--max-length",
                   "--format", "--input", "--scores"):
      self.fails("rank", "-q", "q", "a", option, "", says=[option], code=2)
    self.podium("rank", "-q", "", "")  # texts may be empty

  def test_options_that_the_model_cannot_have(self):
    for option, value, says in (("--max-length", 513, ["513", "512"]), ("--max-length", 5, ["got 5", "at least 6"]),
                                ("--max-length", -1, ["-1"]), ("--threads", -1, ["threads", "-1"]),
                                ("--threads", 100000, ["threads", "1024"]), ("--precision", "int4", ["int4", "fp32"]),
                                ("--isa", "mmx", ["mmx", "scalar"])):
      self.fails("rank", "-q", "q", option, value, "a", says=says)

  def test_wrong_files(self):
    self.fails("rank", "-q", "q", "-f", "/no/such/file", says=["/no/such/file", "No such file"])
    self.fails("rank", "-q", "q", "-f", str(self.folder), says=[str(self.folder), "directory"])
    self.fails("rank", "-q", "q", "-f", self.file("a.json", '["a",'), says=["a.json"])
    self.fails("rank", "-q", "q", "-f", self.file("a.jsonl", '"a"\n{}\n'), says=["a.jsonl:2", "text"])
    self.fails("rank", "-q", "q", stdin="[x] plain", says=["standard input", "--input lines"])

  def test_models_that_are_not_there(self):
    empty = environment(PODIUM_MODEL=None, HOME=str(self.folder), HF_HOME=str(self.folder))
    self.fails("rank", "-q", "q", "a", "--model", "BAAI/bge-reranker-base", env=empty, says=["BAAI/bge-reranker-base"])
    self.fails("rank", "-q", "q", "a", "--model", str(self.folder), says=["config.json"])
    self.fails("rank", "-q", "q", "a", "--model", "/no/such\x1b[31m", says=["/no/such"])
    out, err = self.podium("doctor", "--model", "/no/such/model", code=1)
    self.assertIn("table scalar", out)
    self.assertIn("/no/such/model", err)

  def test_escapes_of_messages_never_reach_the_terminal(self):
    for words in (["rank", "-q", "q", "a", "--model", "/x\x1b[31m"], ["rank", "-q", "q", "-f", "/x\x1b[31m"]):
      self.assertNotIn("\x1b", self.podium(*words, code=1)[1])


class HostileModels(Case):

  def copy(self):
    """The bundled model's folder, its large files as links."""
    folder = self.folder / "model"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for path in MODEL.iterdir():
      if path.name in ("config.json", "tokenizer_config.json"):
        shutil.copy(path, folder)
      else:
        (folder / path.name).symlink_to(path)
    return folder

  def replace(self, folder, name, content):
    (folder / name).unlink(missing_ok=True)
    if content is not None:
      (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())

  def test_damaged_folders_are_refused_and_named(self):
    config = json.loads((MODEL / "config.json").read_text())
    def changed(**fields):
      return json.dumps({**config, **fields})
    def header(data):
      text = json.dumps(data).encode()
      return struct.pack("<Q", len(text)) + text
    cases = [
        ("config.json", None), ("config.json", ""), ("config.json", "[1]"), ("config.json", "{" * 100000),
        ("config.json", changed(hidden_size=0)), ("config.json", changed(hidden_size=-384)),
        ("config.json", changed(num_hidden_layers=10**9)), ("config.json", changed(num_hidden_layers=13)),
        ("config.json", changed(vocab_size=2**31)), ("config.json", changed(num_attention_heads=7)),
        ("config.json", changed(architectures=["GPT2LMHeadModel"], model_type="gpt2")),
        ("config.json", changed(id2label={"0": "a", "1": "b"}, label2id={"a": 0, "b": 1})),
        ("config.json", changed(hidden_act="swish9")),
        ("model.safetensors", None), ("model.safetensors", b""), ("model.safetensors", b"\xff" * 64),
        ("model.safetensors", struct.pack("<Q", 2**63) + b"{}"), ("model.safetensors", header({})),
        ("model.safetensors", header({"x": {"dtype": "F32", "shape": [2**62, 8], "data_offsets": [0, 4]}})),
        ("model.safetensors", (MODEL / "model.safetensors").read_bytes()[:1000000]),
        ("tokenizer.json", None), ("tokenizer.json", "{}"), ("tokenizer.json", "\x00\xff"),
        ("tokenizer.json", json.dumps({"model": {"type": "Unigram", "vocab": [["a", 0]] * 10}})),
    ]
    for name, content in cases:
      folder = self.copy()
      self.replace(folder, name, content)
      out, err = self.podium("rank", "-q", "q", "a", "--model", folder, code=1)
      self.assertEqual(out, "")
      self.assertIn(str(folder), err, (name, str(content)[:80]))
      self.assertLess(len(err), 3000)

  def test_a_pipe_in_place_of_a_file_does_not_hang(self):
    for name in ("config.json", "model.safetensors", "tokenizer.json"):
      folder = self.copy()
      (folder / name).unlink()
      os.mkfifo(folder / name)
      self.podium("rank", "-q", "q", "a", "--model", folder, code=1, timeout=20)

  def test_the_untouched_copy_works(self):
    self.podium("rank", "-q", "q", "a", "--model", self.copy())


class Signals(Case):

  def test_closed_pipe_ends_quietly(self):
    documents = self.file("many.txt", "short\n" * 50000)
    command = f"'{PODIUM}' rank -q q -f '{documents}' 2>'{self.folder}/err' | head -1; echo ${{PIPESTATUS[0]}}"
    out = subprocess.run(["bash", "-c", command], capture_output=True, env=environment(), timeout=300).stdout.decode()
    self.assertEqual(out.splitlines()[-1], "0")
    self.assertEqual((self.folder / "err").read_text(), "")

  def test_a_full_disk_is_an_error(self):
    with open("/dev/full", "wb") as full:
      done = subprocess.run([PODIUM, "rank", "-q", "q", "a"], stdout=full, stderr=subprocess.PIPE, env=environment())
    self.assertEqual(done.returncode, 1)
    self.assertIn(b"No space left", done.stderr)

  def interrupt(self, words, after, stdin):
    process = subprocess.Popen([PODIUM, *words], stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env=environment())
    time.sleep(after)
    process.send_signal(signal.SIGINT)
    start = time.monotonic()
    _, err = process.communicate(timeout=60)
    self.assertEqual(process.returncode, 130, err)
    return time.monotonic() - start

  def test_an_ignored_interrupt_stays_ignored(self):
    command = f"trap '' INT; exec {PODIUM} rank -q q -f -"
    process = subprocess.Popen(["bash", "-c", command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment())
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(b"one document\n", timeout=60)
    self.assertEqual(process.returncode, 0)
    self.assertIn(b"one document", out)

  def test_interrupt_while_computing(self):
    documents = self.file("long.txt", "\n".join(f"{n} " + "word " * 400 for n in range(3000)))
    self.assertLess(self.interrupt(["rank", "-q", "q", "-f", documents], 1.5, subprocess.DEVNULL), 20)

  def test_interrupt_while_reading(self):
    self.interrupt(["rank", "-q", "q", "-f", "-"], 0.5, subprocess.PIPE)


class ManualPage(Case):

  def test_names_every_command(self):
    out, _ = self.podium("--help")
    listed = out.split("Subcommands:\n")[1].split("\n\n")[0]
    commands = [line.split()[0] for line in listed.splitlines() if re.match(r"  \S", line)]
    self.assertGreater(len(commands), 5)
    page = (ROOT / "packaging" / "podium.1").read_text()
    for command in commands:
      self.assertIn(f".TP\n.B {command}\n", page)


class Terminal(Case):

  def on_terminal(self, words, columns):
    """What a terminal of this width would get."""
    master, slave = pty.openpty()
    import fcntl, termios
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen([PODIUM, *words], stdin=slave, stdout=slave, stderr=subprocess.PIPE, env=environment(TERM="xterm"))
    os.close(slave)
    out = b""
    while True:
      try:
        part = os.read(master, 65536)
      except OSError:
        break
      if not part:
        break
      out += part
    process.communicate(timeout=60)
    os.close(master)
    self.assertEqual(process.returncode, 0)
    return out.decode().replace("\r\n", "\n")

  def test_a_table_that_fits_and_injects_nothing(self):
    out = self.on_terminal(["rank", "-q", "番茄", "番茄" * 100, "evil \x1b]0;title\x07 \x9b31m", "e\u0301" * 300], 60)
    rows = out.splitlines()
    self.assertEqual(len(rows), 4)
    self.assertIn("document", rows[0])
    self.assertNotIn("\x1b", "\n".join(rows[1:]))
    self.assertNotIn("\x07", out)
    self.assertIn("␛", out)
    import unicodedata
    for row in rows[1:]:
      width = sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in row)
      self.assertLessEqual(width, 60, row)


class OtherCommands(Case):

  def test_version(self):
    out = self.podium("--version")[0]
    self.assertRegex(out, r"^podium \d+\.\d+\.\d+ \(commit ")
    self.assertIn("scalar", out)

  def test_tokenize(self):
    reference = json.loads((MODEL / "reference.jsonl").read_text().splitlines()[0])
    pair = json.loads(self.podium("tokenize", "-q", reference["query"], "-d", reference["document"])[0])
    self.assertEqual(pair["ids"], reference["input_ids"])
    self.assertEqual(len(pair["pieces"]), len(pair["ids"]))
    empty = json.loads(self.podium("tokenize", "-q", "番茄", "-d", "")[0])
    self.assertEqual(empty["ids"][-3:], [2, 2, 2])
    cut = json.loads(self.podium("tokenize", "-q", "a b c", "-d", "a " * 100, "--max-length", 20)[0])
    self.assertEqual((len(cut["ids"]), cut["truncated"]), (20, True))
    self.assertEqual(len(lines(self.podium("tokenize", "a", "b")[0])), 2)
    self.assertIn("▁Hello", self.podium("tokenize", "Hello", "--format", "table")[0])

  def test_inspect(self):
    facts = json.loads(self.podium("inspect")[0])
    self.assertEqual((facts["layers"], facts["hidden"], facts["vocabulary"]), (12, 384, 60000))
    self.assertEqual(facts["parameters"], 44680321)

  def test_verify(self):
    checks = json.loads(self.podium("inspect", "--verify")[0])["checks"]
    self.assertEqual(len(checks), 120)
    self.assertTrue(all(c["ok"] for c in checks))

  def test_verify_fails_on_a_wrong_reference(self):
    folder = self.folder / "model"
    folder.mkdir()
    for path in MODEL.iterdir():
      if path.name != "reference.jsonl":
        (folder / path.name).symlink_to(path)
    self.fails("inspect", "--verify", "--model", folder, says=["nothing to compare with"])
    line = json.loads((MODEL / "reference.jsonl").read_text().splitlines()[0])
    line["logit_fp32"] += 0.01
    (folder / "reference.jsonl").write_text(json.dumps(line))
    out, _ = self.podium("inspect", "--verify", "--format", "table", "--model", folder, code=1)
    self.assertIn("FAIL", out)

  def test_example_program(self):
    done = subprocess.run([EXAMPLE, str(MODEL), "what is a tomato", *TOMATO], capture_output=True)
    self.assertEqual(done.returncode, 0, done.stderr)
    self.assertIn("tomato is the edible", done.stdout.decode().splitlines()[0])
    self.assertEqual(subprocess.run([EXAMPLE, "/no/such", "q", "a"], capture_output=True).returncode, 1)


if __name__ == "__main__":
  unittest.main()
