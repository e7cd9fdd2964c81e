#!/usr/bin/env python3
"""podium score and podium eval as users meet them: forms of data, mistakes, interrupts, files that were cut off."""

import json
import os
import pty
import signal
import subprocess
import time
import unittest

from podium_process import MODEL, PODIUM, SANITIZED, Case, environment, measure

QUERIES = ["what is a tomato", "如何重置路由器"]
DOCUMENTS = ["The tomato is the edible berry of a plant.", "Trains run twice a day.", "按住复位按钮十秒钟。"]
PAIRS = [{"query": q, "document": d, "n": n} for n, (q, d) in enumerate((q, d) for q in QUERIES for d in DOCUMENTS)]


def jsonl(rows):
  return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def rows(text):
  return [json.loads(line) for line in text.splitlines()]


class Score(Case):

  def scores(self, *words, stdin, code=0):
    return self.podium("score", *words, stdin=stdin, code=code)[0]

  def test_scores_are_those_of_rank(self):
    scored = rows(self.scores(stdin=jsonl(PAIRS)))
    self.assertEqual([{k: row[k] for k in ("query", "document", "n")} for row in scored], PAIRS)
    for query in QUERIES:
      ranked = rows(self.podium("rank", "-q", query, *DOCUMENTS)[0])
      want = {r["document"]: (r["score"], r["tokens"], r["truncated"]) for r in ranked}
      got = {r["document"]: (r["score"], r["tokens"], r["truncated"]) for r in scored if r["query"] == query}
      self.assertEqual(got, want)

  def test_every_form_gives_the_same_scores(self):
    want = [row["score"] for row in rows(self.scores(stdin=jsonl(PAIRS)))]
    tsv = "".join(f"{row['query']}\t{row['document']}\n" for row in PAIRS)
    lists = [{"query": q, "documents": [{"text": d} for d in DOCUMENTS]} for q in QUERIES]
    def columns(text):
      return [float(line.split("\t")[2]) for line in text.splitlines()]
    self.assertEqual(columns(self.scores(stdin=tsv)), want)
    self.assertEqual(columns(self.scores(stdin="\ufeff" + tsv.replace("\n", "\r\n"))), want)
    self.assertEqual(columns(self.scores("--input", "tsv", self.file("pairs.txt", tsv), stdin="")), want)
    nested = rows(self.scores(stdin=jsonl(lists)))
    self.assertEqual([s for row in nested for s in row["scores"]], want)
    self.assertEqual(nested[0]["truncated"], [False] * 3)
    renamed = [{"q": r["query"], "body": r["document"], "score": "mine"} for r in PAIRS]
    out = self.scores("--query-field", "q", "--document-field", "body", "--score-field", "s", stdin=jsonl(renamed))
    self.assertEqual([(r["score"], r["s"]) for r in rows(out)], [("mine", s) for s in want])
    header = "text\tid\tquery\n" + "".join(f"{r['document']}\t{r['n']}\t{r['query']}\n" for r in PAIRS)
    out = self.scores("--header", "--query-field", "query", "--document-field", "text", stdin=header)
    self.assertEqual(out.splitlines()[0], "text\tid\tquery\tscore\ttokens\ttruncated")
    self.assertEqual([float(line.split("\t")[3]) for line in out.splitlines()[1:]], want)
    out = self.scores("-q", QUERIES[1], stdin="".join(d + "\n" for d in DOCUMENTS))
    self.assertEqual([float(line.split("\t")[1]) for line in out.splitlines()], want[3:])

  def test_a_line_keeps_its_bytes(self):
    line = '  { "query":"a\\u00e9" , "document":"b", "big": 12345678901234567890123, "x" : {"y":[1.50]} }  '
    out = self.scores("--scores", "raw", stdin=line + "\n\n")
    self.assertTrue(out.startswith(line.rstrip()[:-1] + ',"score":'), out)
    self.assertEqual(out.count("\n"), 1)
    json.loads(out)

  def test_order_is_kept_over_many_lines(self):
    many = [{"query": QUERIES[n % 2], "document": f"{n} " + "word " * (n % 9), "n": n} for n in range(1500)]
    path = self.file("many.jsonl", jsonl(many))
    out = self.folder / "out.jsonl"
    self.podium("score", path, "-o", out)
    scored = rows(out.read_text())
    self.assertEqual([r["n"] for r in scored], list(range(1500)))
    one = rows(self.scores(stdin=jsonl(many[777:778])))
    self.assertEqual(one[0]["score"], scored[777]["score"])

  @unittest.skipIf(SANITIZED, "a sanitizer keeps freed memory")
  def test_memory_does_not_grow_with_the_file(self):
    peaks = []
    for count in (1000, 100_000):
      some = jsonl([{"n": n, "query": QUERIES[0], "document": f"{n} " + "word " * 8} for n in range(40)])
      path = self.file(f"{count}.jsonl", some * (count // 40))
      out = self.folder / "out.jsonl"
      code, _, peak, _ = measure(["score", path, "-o", out, "--force"])
      self.assertEqual(code, 0)
      self.assertEqual(out.read_bytes().count(b"\n"), count)
      peaks.append(peak)
    self.assertLess(peaks[1], peaks[0] + 30, peaks)  # all lines at once would take over 100

  def test_a_run(self):
    pairs = [{"qid": f"q{QUERIES.index(r['query'])}", "pid": r["n"], **r} for r in PAIRS]
    out = self.scores("--format", "trec", stdin=jsonl(pairs))
    lines = [line.split() for line in out.splitlines()]
    self.assertEqual([len(line) for line in lines], [6] * 6)
    self.assertEqual([(l[0], l[3]) for l in lines], [(q, str(r)) for q in ("q0", "q1") for r in (1, 2, 3)])
    for query in ("q0", "q1"):
      scores = [float(l[4]) for l in lines if l[0] == query]
      self.assertEqual(scores, sorted(scores, reverse=True))
    lists = [{"id": f"q{n}", "query": q, "documents": [{"id": str(3 * n + i), "text": d} for i, d in enumerate(DOCUMENTS)]}
             for n, q in enumerate(QUERIES)]
    self.assertEqual(self.scores("--format", "trec", stdin=jsonl(lists)), out)
    tsv = "".join(f"{p['qid']}\t{p['pid']}\t{p['query']}\t{p['document']}\n" for p in pairs)
    words = ("--query-id-field", 1, "--document-id-field", 2, "--query-field", 3, "--document-field", 4)
    self.assertEqual(self.scores("--format", "trec", *words, stdin=tsv), out)
    self.fails("score", "--format", "trec", stdin=jsonl(PAIRS), says=["standard input:1:", "--query-id-field"])

  def test_bad_lines(self):
    good = jsonl(PAIRS[:1])
    cases = [("[1]", "expected an object, got array"), ('{"query": "q"}', 'no "document", "text"'),
             ('{"document": "d"}', 'no "query"'), ('{"query": "q", "document": 1}', "got integer"), ("{", "byte"),
             ('{"query": "q", "documents": [1]}', "document 0"), ('{"query": "q", "document": "d", "score": 1}', "--score-field"),
             ('{"query": "q", "documents": "d"}', "must be an array")]
    for line, says in cases:
      out, err = self.podium("score", stdin=good + line + "\n" + good, code=1)
      self.assertEqual(out.count("\n"), 1, line)  # what came before is there
      self.assertIn("standard input:2: ", err)
      self.assertIn(says, err)
      out, err = self.podium("score", "--on-error", "skip", stdin=good + line + "\n" + good)
      self.assertEqual(out.count("\n"), 2)
      self.assertIn("1 lines skipped", err)
      self.assertIn("standard input:2: ", err)
    giant = good.encode() + b'{"query":"' + b"x" * (64 << 20) + b'","document":"d"}\n' + good.encode()
    out, err = self.podium("score", "--on-error", "skip", stdin=giant)
    self.assertEqual(out.count("\n"), 2)
    self.assertIn("line longer than 67108864 bytes", err)
    self.fails("score", stdin="just one column\n", says=["standard input:1:", "1 column "])
    self.fails("score", "/no/such", says=["/no/such"])
    self.fails("score", self.folder, says=["a folder"])
    self.fails("score", "--query-field", "name", "--input", "tsv", stdin="a\tb\n", says=["--query-field", "--header"])

  def test_empty_input(self):
    self.assertEqual(self.scores(stdin=""), "")
    self.assertEqual(self.scores("--input", "tsv", stdin="\n\n"), "")
    self.assertEqual(rows(self.scores(stdin='{"query": "", "documents": []}'))[0]["scores"], [])

  def test_an_output_that_exists_is_not_lost(self):
    path = self.file("in.jsonl", jsonl(PAIRS))
    out = self.folder / "out"
    self.podium("score", path, "-o", out)
    want = out.read_bytes()
    self.fails("score", path, "-o", out, says=["exists", "--resume", "--force"])
    self.fails("score", path, "-o", path, "--force", says=["is the input too"])
    self.assertEqual(out.read_bytes(), want)
    self.podium("score", path, "-o", out, "--force")
    self.assertEqual(out.read_bytes(), want)


class Resume(Case):

  def setUp(self):
    super().setUp()
    self.lines = [{"query": "q", "document": f"document {n}"} for n in range(40)]
    self.path = self.file("in.jsonl", jsonl(self.lines))
    self.out = self.folder / "out.jsonl"
    self.podium("score", self.path, "-o", self.out)
    self.whole = self.out.read_bytes()

  def test_from_anywhere(self):
    ends = [n for n, byte in enumerate(self.whole) if byte == 10]
    for cut in (0, 1, ends[0], ends[0] + 1, ends[20] - 3, ends[20] + 7, ends[38], ends[39], len(self.whole)):
      self.out.write_bytes(self.whole[:cut])
      self.podium("score", self.path, "-o", self.out, "--resume")
      self.assertEqual(self.out.read_bytes(), self.whole, cut)
    self.out.unlink()
    self.podium("score", self.path, "-o", self.out, "--resume")
    self.assertEqual(self.out.read_bytes(), self.whole)

  def test_what_does_not_fit(self):
    half = self.whole[: len(self.whole) // 2]
    def refused(*words, says, source=self.path):
      self.out.write_bytes(half)
      self.fails("score", source, "-o", self.out, "--resume", *words, says=says)
      self.assertEqual(self.out.read_bytes(), half)
    other = self.file("other.jsonl", jsonl(self.lines[1:]))
    refused(source=other, says=["out.jsonl:1: ", "other.jsonl:1;"])
    short = self.file("short.jsonl", jsonl(self.lines[:5]))
    refused(source=short, says=["out.jsonl:6: ", "has ended"])
    refused("--scores", "raw", says=["other scores than this model gives"])
    self.fails("score", self.path, "--resume", says=["--output"], code=2)

  def test_tsv_with_a_header_and_bad_lines(self):
    path = self.file("in.tsv", "query\ttext\n" + "".join(f"q\td{n}\n" if n % 7 else "bad\n" for n in range(30)))
    out = self.folder / "out.tsv"
    words = ("score", path, "-o", out, "--header", "--on-error", "skip")
    self.podium(*words)
    whole = out.read_bytes()
    self.assertEqual(whole.count(b"\n"), 26)
    for cut in (5, 40, len(whole) // 2, len(whole) - 1, len(whole)):
      out.write_bytes(whole[:cut])
      err = self.podium(*words, "--resume")[1]
      self.assertEqual(out.read_bytes(), whole)
      self.assertIn("5 lines skipped in all", err)

  def test_after_an_interrupt(self):
    long = [{"query": "q", "document": f"{n} " + "word " * 300} for n in range(600)]
    path = self.file("long.jsonl", jsonl(long))
    out = self.folder / "long.out"
    process = subprocess.Popen([PODIUM, "score", path, "-o", out], stderr=subprocess.PIPE, env=environment())
    deadline = time.monotonic() + 120
    while (not out.exists() or out.stat().st_size == 0) and time.monotonic() < deadline:
      time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    self.assertEqual(process.returncode, 130, err)
    self.assertIn(b"--resume", err)
    standing = out.read_bytes()
    self.assertTrue(standing.endswith(b"\n"))
    count = len(rows(standing.decode()))
    self.assertTrue(0 < count < 600)
    short = self.file("short.jsonl", jsonl(long[: count + 20]))
    self.podium("score", short, "-o", out, "--resume")
    resumed = out.read_bytes()
    self.assertTrue(resumed.startswith(standing))
    self.podium("score", short, "-o", out, "--force")
    self.assertEqual(out.read_bytes(), resumed)


class Streams(Case):

  def test_a_closed_pipe_ends_it_quietly(self):
    path = self.file("many.jsonl", jsonl([{"query": "q", "document": str(n)} for n in range(20000)]))
    command = f"'{PODIUM}' score '{path}' 2>'{self.folder}/err' | head -1; echo ${{PIPESTATUS[0]}}"
    out = subprocess.run(["bash", "-c", command], capture_output=True, env=environment(), timeout=300).stdout.decode()
    self.assertEqual(out.splitlines()[-1], "0")
    self.assertEqual((self.folder / "err").read_text(), "")

  def test_a_full_disk_is_an_error(self):
    out, err = self.podium("score", "-o", "/dev/full", stdin=jsonl(PAIRS), code=1)
    self.assertIn("No space left", err)
    self.assertIn("/dev/full", err)

  def test_a_slow_writer_gets_its_answers(self):
    process = subprocess.Popen([PODIUM, "score"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment())
    for row in PAIRS[:3]:
      process.stdin.write(jsonl([row]).encode())
      process.stdin.flush()
      self.assertEqual(json.loads(process.stdout.readline())["n"], row["n"])
    process.stdin.close()
    self.assertEqual(process.wait(timeout=60), 0)
    process.stdout.close()

  @unittest.skipIf(SANITIZED, "sanitizers make mlock do nothing")
  def test_weights_are_locked_in_memory(self):
    packed = self.folder / "model.podium"
    self.podium("pack", MODEL, "-o", packed)
    for words in (("--precision", "fp32"), ("--precision", "int8"), ("-m", packed), ("-m", packed, "--in-place")):
      process = subprocess.Popen([PODIUM, "score", "--mlock", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 env=environment())
      process.stdin.write(jsonl(PAIRS[:1]).encode())
      process.stdin.flush()
      process.stdout.readline()
      with open(f"/proc/{process.pid}/status", encoding="utf-8") as file:
        locked = next(int(line.split()[1]) for line in file if line.startswith("VmLck:"))
      _, errors = process.communicate(timeout=60)
      if b"cannot lock" in errors:
        self.skipTest(errors.decode())
      self.assertEqual(process.returncode, 0, errors)
      self.assertGreater(locked, 20 << 10, words)  # KiB: 21 million weights of layers, and the embeddings

  def test_progress_is_for_terminals(self):
    path = self.file("in.jsonl", jsonl([{"query": "q", "document": f"{n} " + "word " * 100} for n in range(300)]))
    out = self.folder / "out"
    self.assertEqual(self.podium("score", path, "-o", out)[1], "")
    master, slave = pty.openpty()
    process = subprocess.Popen([PODIUM, "score", path, "-o", out, "--force"], stderr=slave, env=environment(TERM="xterm"))
    os.close(slave)
    seen = b""
    while True:
      try:
        part = os.read(master, 65536)
      except OSError:
        break
      if not part:
        break
      seen += part
    os.close(master)
    self.assertEqual(process.wait(timeout=60), 0)
    self.assertIn(b"%", seen)
    self.assertIn(b"300 pairs in ", seen)


class Eval(Case):
  QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 a 2\nq3 0 z 1\n"
  RUN = "q1 Q0 b 1 2.0 t\nq1 Q0 a 2 1.0 t\nq2 Q0 a 1 1 t\nnever Q0 a 1 1 t\n"

  def test_a_run(self):
    qrels, run = self.file("qrels", self.QRELS), self.file("run", self.RUN)
    words = ("eval", "--qrels", qrels, "--run", run, "--metrics", "mrr,ndcg@10,P@1")
    out, err = self.podium(*words)
    found = json.loads(out)
    self.assertAlmostEqual(found["metrics"]["mrr"], (0.5 + 1 + 0) / 3)
    self.assertAlmostEqual(found["metrics"]["ndcg@10"], (0.6309297535714575 + 1) / 3)
    self.assertEqual((found["queries"], found["missing"], found["unjudged"], found["model"]), (3, 1, 1, None))
    self.assertEqual(found["ties"], "score descending, then document id descending")
    self.assertIn("1 judged queries are missing", err)
    found = json.loads(self.podium(*words, "--skip-missing", "--per-query", "--interval")[0])
    self.assertAlmostEqual(found["metrics"]["mrr"], 0.75)
    self.assertEqual([(q["query"], q["mrr"], q["relevant"]) for q in found["per_query"]], [("q1", 0.5, 1), ("q2", 1, 1)])
    low, high = found["intervals"]["mrr"]
    self.assertTrue(0.5 <= low <= 0.75 <= high <= 1)
    table = self.podium(*words, "--format", "table", "--per-query", "--interval")[0]
    self.assertIn("0.5000", table)
    self.assertIn("3 queries", table)

  def test_a_model_ranks_every_form(self):
    documents = [{"id": f"d{n}", "text": d} for n, d in enumerate(DOCUMENTS)]
    best = {QUERIES[0]: "d0", QUERIES[1]: "d2"}
    inner = self.file("lists.jsonl", jsonl([{"query": q, "documents": documents,
                                            "labels": [int(d["id"] == best[q]) for d in documents]} for q in QUERIES]))
    self.file("lo.queries.jsonl", jsonl([{"id": f"q{n}", "query": q, "relevant": {best[q]: 1},
                                          "candidates": ["d2", "d1", "d0"]} for n, q in enumerate(QUERIES)]))
    self.file("lo.passages.jsonl", jsonl(documents))
    self.file("beir/corpus.jsonl", jsonl([{"_id": d["id"], "title": "", "text": d["text"]} for d in documents]))
    self.file("beir/queries.jsonl", jsonl([{"_id": f"q{n}", "text": q} for n, q in enumerate(QUERIES)]))
    self.file("beir/qrels/test.tsv", "query-id\tcorpus-id\tscore\n" +
              "".join(f"q{n}\t{best[q]}\t1\n" for n, q in enumerate(QUERIES)))
    run = self.file("first.txt", "".join(f"q{n} Q0 {d['id']} {i} {-i} t\n" for n in range(2) for i, d in enumerate(documents)))
    model = ("--model", environment()["PODIUM_MODEL"])
    forms = [(inner,), (self.folder / "lo.queries.jsonl",), (self.folder / "beir", "--run", run, *model)]
    for form in forms:
      found = json.loads(self.podium("eval", *form, "--metrics", "mrr,ndcg_exp@10")[0])
      self.assertEqual(found["metrics"], {"mrr": 1, "ndcg_exp@10": 1}, form)
      self.assertEqual((found["model"], found["precision"]), ("podium-mini-zh-en", "fp32"))
    # What was ranked can be evaluated again, and without the model the first run is what is looked at.
    written = self.folder / "run.txt"
    self.podium("eval", self.folder / "beir", "--run", run, *model, "--write-run", written)
    again = json.loads(self.podium("eval", "--data", self.folder / "beir", "--run", written, "--metrics", "mrr")[0])
    self.assertEqual(again["metrics"]["mrr"], 1)
    first = json.loads(self.podium("eval", self.folder / "beir", "--run", run, "--metrics", "mrr")[0])
    self.assertAlmostEqual(first["metrics"]["mrr"], (1 + 1 / 3) / 2)

  def test_mistakes(self):
    qrels, run = self.file("qrels", self.QRELS), self.file("run", self.RUN)
    self.fails("eval", "--qrels", qrels, says=["--run"], code=2)
    self.fails("eval", "--qrels", qrels, "--run", run, "--metrics", "bpref", says=['"bpref"', "ndcg_exp"], code=2)
    self.fails("eval", "--qrels", qrels, "--run", self.file("bad", "q Q0 d 1 nan t\n"), says=["bad:1: score"])
    self.fails("eval", "--qrels", self.file("bad", "q 0 d one\n"), "--run", run, says=["bad:1: grade"])
    self.fails("eval", self.file("l.jsonl", '{"query": "q", "documents": ["a"]}\n'), says=["no labels"])
    self.fails("eval", "/no/such", says=["/no/such"])


class Help(Case):

  def test_help_of_a_command(self):
    for command in ("rank", "score", "eval"):
      self.assertEqual(self.podium("help", command)[0], self.podium(command, "--help")[0])
    self.assertEqual(self.podium("help")[0], self.podium("--help")[0])
    self.fails("help", "scoer", says=['unknown command "scoer"', "did you mean score?"], code=2)

  def test_tsv_steers_no_terminal(self):
    out = self.podium("rank", "-q", "q", "--format", "tsv", "a\x1b[31mb\x9bc\x07")[0]
    self.assertIn("a\\x1b[31mb", out)
    self.assertNotIn("\x1b", out)


if __name__ == "__main__":
  unittest.main()
