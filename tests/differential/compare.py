"""Our ids against the `tokenizers` library's, live, on made-up texts and tokenizer files.

Prints the seed; --seed and --first make the same inputs again. Each difference is reduced to a small text and written to a
file of the --out folder. Exit code 1 when there is one.
"""
import argparse
import collections
import gzip
import json
import os
import pathlib
import random
import signal
import struct
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
os.environ["TOKENIZERS_PARALLELISM"] = "false"

from tokenizers import Tokenizer  # noqa: E402

import corpus  # noqa: E402
from make_files import FileMaker  # noqa: E402
from make_texts import TextMaker  # noqa: E402

ALL = 0xFFFFFFFF
SECONDS_MAX = 120  # for one answer of ours
FINDINGS_MAX = 20
TOO_SHORT = "too short"


class Ours:
  """The program encode_server with one tokenizer file."""

  def __init__(self, program):
    self.program = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

  def close(self):
    self.program.stdin.close()
    return self.program.wait()

  def _send(self, kind, *parts):
    message = [kind]
    for part in parts:
      message.append(struct.pack("<I", part if isinstance(part, int) else len(part)))
      if not isinstance(part, int):
        message.append(part)
    signal.alarm(SECONDS_MAX)
    self.program.stdin.write(b"".join(message))
    self.program.stdin.flush()

  def _read(self, size):
    data = self.program.stdout.read(size)
    if len(data) != size:
      raise RuntimeError(f"encode_server ended with {self.program.wait()}")
    return data

  def _number(self):
    return struct.unpack("<I", self._read(4))[0]

  def _ids(self):
    count = self._number()
    return list(struct.unpack(f"<{count}i", self._read(4 * count)))

  def load(self, file):
    """None, or why it was refused."""
    self._send(b"L", file.encode())
    code, message = self._number(), self._read(self._number()).decode("utf-8", "replace")
    signal.alarm(0)
    return None if code == 0 else message

  def encode(self, text, wanted=ALL):
    self._send(b"E", wanted, text)
    complete, ids = self._number(), self._ids()
    signal.alarm(0)
    return ids, bool(complete)

  def pair(self, rule, limit, query, document):
    """None when the rule leaves nothing of the document; TOO_SHORT when the limit leaves nothing of any."""
    self._send(b"P", corpus.RULES.index(rule), limit, query, document)
    status, ids, types = self._number(), self._ids(), list(self._read(self._number()))
    signal.alarm(0)
    return {0: ids + types, 2: TOO_SHORT, 3: None}[status]


class Refused(Exception):
  """The library failed on an input."""


class Theirs:
  def __init__(self, file):
    try:
      self.tokenizer = Tokenizer.from_str(file)
    except BaseException as error:  # a panic is no Exception
      self._raise(error)
    self.tokenizer.no_truncation()
    self.tokenizer.no_padding()

  def _raise(self, error):
    if isinstance(error, (KeyboardInterrupt, SystemExit, TimeoutError)):
      raise error
    raise Refused(str(error)) from None

  def encode(self, text):
    try:
      return corpus.encode(self.tokenizer, text)
    except BaseException as error:
      self._raise(error)

  def pair(self, rule, limit, query, document):
    try:
      return corpus.encode_pair_by(rule, self.tokenizer, limit, query, document)
    except BaseException as error:
      self._raise(error)


def reduce(data, differs):
  """A smaller text that still differs: stretches of characters (or of broken bytes) are left out while they can be."""
  text = data.decode("utf-8", "surrogateescape")
  size, until = max(1, len(text) // 2), time.monotonic() + 20
  while time.monotonic() < until:
    at, removed = 0, False
    while at < len(text) and time.monotonic() < until:
      shorter = text[:at] + text[at + size:]
      if differs(shorter.encode("utf-8", "surrogateescape")):
        text, removed = shorter, True
      else:
        at += size
    if size == 1 and not removed:
      break
    size = max(1, size // 2)
  return text.encode("utf-8", "surrogateescape")


class Comparison:
  def __init__(self, options):
    self.options = options
    self.counts = collections.Counter()
    self.refusals = collections.Counter()
    self.seen = set()

  def finding(self, kind, tokenizer, where, details, file=None):
    key = (kind, tokenizer, details.get("text"))
    if key in self.seen:
      return
    self.seen.add(key)
    self.counts["findings"] += 1
    name = f"{kind}-{len(self.seen)}"
    report = {"kind": kind, "tokenizer": tokenizer, "seed": self.options.seed, "input": where, **details}
    folder = pathlib.Path(self.options.out)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps(report, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    if file is not None:
      (folder / f"{name}.tokenizer.json").write_text(file, encoding="utf-8")
    print(f"DIFFERENCE {folder / name}.json: {json.dumps(report, ensure_ascii=False)[:600]}", flush=True)

  def text(self, name, ours, theirs, data, where, rng, file=None):
    try:
      expected = theirs.encode(data)
    except Refused:
      self.counts["texts that the library fails on"] += 1
      return
    got, complete = ours.encode(data)
    self.counts["comparisons"] += 1
    self.counts["ids"] += len(got)
    if got != expected or not complete:
      def differs(shorter):
        try:
          return ours.encode(shorter)[0] != theirs.encode(shorter)
        except Refused:
          return False
      small = reduce(data, differs)
      self.finding("ids", name, where, {"text": corpus.escape(small), "ours": ours.encode(small)[0][:300],
                                        "theirs": theirs.encode(small)[:300]}, file)
    elif rng.random() < 0.1:
      wanted = rng.randrange(len(got) + 2)
      part, complete = ours.encode(data, wanted)
      self.counts["prefixes"] += 1
      if part != got[:len(part)] or len(part) < min(wanted, len(got)) or (complete and part != got):
        self.finding("prefix", name, where, {"text": corpus.escape(data)[:5000], "wanted": wanted, "ours": part[:300]}, file)

  def pair(self, name, ours, theirs, query, document, where, rng, file=None):
    limit = rng.choice([rng.randrange(5, 40), rng.randrange(5, 600)])
    rule = rng.choice(corpus.RULES)
    got = ours.pair(rule, limit, query, document)
    if got == TOO_SHORT:
      return
    try:
      expected = theirs.pair(rule, limit, query, document)
    except Refused:
      self.counts["pairs that the library fails on"] += 1
      return
    self.counts["pairs"] += 1
    if got != expected:
      self.finding("pair", name, where, {"rule": rule, "limit": limit, "query": corpus.escape(query)[:5000], "text": corpus.escape(document)[:5000],
                                         "ours": got and got[:600], "theirs": expected and expected[:600]}, file)


def lines_below(folder, share, rng):
  """Lines of all files below a folder, each once."""
  seen = set()
  for path in sorted(folder.rglob("*")):
    if path.is_file():
      with (gzip.open(path) if path.suffix == ".gz" else path.open("rb")) as file:
        for line in file:
          line = line.rstrip(b"\n")
          if rng.random() < share and hash(line) not in seen:
            seen.add(hash(line))
            yield f"{path.relative_to(folder)}", line


def main():
  parser = argparse.ArgumentParser(description=__doc__)
  parser.add_argument("--seconds", type=float, default=25)
  parser.add_argument("--seed", type=int, default=None)
  parser.add_argument("--first", type=int, default=0, help="number of the first input")
  parser.add_argument("--server", default=str(ROOT / "build/release/tests/differential/encode_server"))
  parser.add_argument("--tokenizers", default=os.environ.get("PODIUM_TEST_TOKENIZERS", str(ROOT / ".deps" / "tokenizers")))
  parser.add_argument("--files", type=float, default=0.3, help="share of the time for changed tokenizer files")
  parser.add_argument("--corpus", help="compare the lines of the files below this folder instead, once each")
  parser.add_argument("--share", type=float, default=1, help="of the lines of --corpus")
  parser.add_argument("--out", default="differences")
  options = parser.parse_args()
  if options.seed is None:
    options.seed = random.SystemRandom().randrange(1 << 32)
  print("differential: seed", options.seed, flush=True)

  def late(*_):
    raise TimeoutError(f"no answer after {SECONDS_MAX} s")
  signal.signal(signal.SIGALRM, late)

  files = {}
  for name, (path, change) in corpus.tokenizer_files(pathlib.Path(options.tokenizers)).items():
    if path.exists():
      file = json.loads(path.read_text(encoding="utf-8"))
      if change:
        change(file)
      files[name] = json.dumps(file, ensure_ascii=False)
    else:
      print(f"differential: {name} is left out: run scripts/fetch-tokenizers")
  sides = {}
  for name, file in files.items():
    ours = Ours(options.server)
    refusal = ours.load(file)
    if refusal:
      sys.exit(f"differential: {name}: {refusal}")
    sides[name] = ours, Theirs(file)
  changed = Ours(options.server)

  comparison = Comparison(options)
  counts = comparison.counts
  lines = [data for _, _, data in corpus.texts()]
  maker, file_maker = TextMaker(options.seed, lines), FileMaker(files["mini"], files["bert_mini"])

  def all_sides(data, where, rng):
    counts["texts"] += 1
    for name, (ours, theirs) in sides.items():
      comparison.text(name, ours, theirs, data, where, rng)
      if rng.random() < 0.03:
        comparison.pair(name, ours, theirs, rng.choice(lines)[:4000], data, where, rng)

  def changed_file(where, n, rng):
    file, changes = file_maker.file(rng)
    text = json.dumps(file, ensure_ascii=False)
    counts["files"] += 1
    refusal = changed.load(text)
    try:
      theirs = Theirs(text)
    except Refused as error:
      counts["files that the library refuses"] += 1
      if refusal is None:
        comparison.finding("accepted", str(changes), where, {"text": str(error)}, text)
      return
    if refusal is not None:
      counts["files that we refuse by name"] += 1
      comparison.refusals[refusal[:90]] += 1
      if not refusal.startswith("tokenizer.json: "):
        comparison.finding("refusal", str(changes), where, {"text": refusal}, text)
      return
    counts["files compared"] += 1
    for i in range(12):
      comparison.text("changed " + str(changes), changed, theirs, maker.text(n * 12 + i)[:20000], where, rng, text)
    for i in range(2):
      comparison.pair("changed " + str(changes), changed, theirs, rng.choice(lines)[:500], maker.text(n * 12 + i)[:2000], where, rng, text)

  start = time.monotonic()
  spent_on_files, n = 0.0, options.first
  where = None
  try:
    if options.corpus:
      rng = random.Random(options.seed)
      for where, line in lines_below(pathlib.Path(options.corpus), options.share, rng):
        all_sides(line, where, rng)
        if counts["findings"] >= FINDINGS_MAX:
          break
    else:
      while time.monotonic() - start < options.seconds and counts["findings"] < FINDINGS_MAX:
        rng = random.Random(f"{options.seed}/{n}")
        where, began = n, time.monotonic()
        if spent_on_files < options.files * (began - start):
          changed_file(n, n, rng)
          spent_on_files += time.monotonic() - began
        else:
          all_sides(maker.text(n), n, rng)
        n += 1
  except (RuntimeError, TimeoutError, BrokenPipeError) as error:
    comparison.finding("crash", "", where, {"text": repr(error)})
  for ours, _ in sides.values():
    ours.program.stdin.close()
  changed.program.stdin.close()
  print(f"differential: {time.monotonic() - start:.0f} s, seed {options.seed}, inputs {options.first} to {n}")
  for name in sorted(counts):
    print(f"  {name}: {counts[name]}")
  print(f"  tokenizers: {' '.join(sides)}")
  print(f"  kinds of refusals: {len(comparison.refusals)}")
  for message, count in comparison.refusals.most_common(15):
    print(f"    {count} {message}")
  return 1 if counts["findings"] else 0


if __name__ == "__main__":
  sys.exit(main())
