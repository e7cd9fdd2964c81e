"""Runs the program under test and measures it."""

import os
import resource
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
MODEL = ROOT / "models" / "podium-mini-zh-en"
PODIUM = os.environ.get("PODIUM", str(ROOT / "build" / "release" / "podium"))
EXAMPLE = os.environ.get("PODIUM_EXAMPLE", "")
SANITIZED = bool(os.environ.get("PODIUM_SANITIZE"))


def environment(**extra):
  env = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR", "PODIUM_MODEL")}
  env["PODIUM_MODEL"] = str(MODEL)
  env.update(extra)
  return {k: v for k, v in env.items() if v is not None}


class Case(unittest.TestCase):
  """A test with a folder of its own."""

  def setUp(self):
    folder = tempfile.TemporaryDirectory()
    self.addCleanup(folder.cleanup)
    self.folder = Path(folder.name)

  def file(self, name, content):
    path = self.folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(path)

  def podium(self, *words, stdin=b"", code=0, env=None, timeout=300):
    """(standard output, standard error) as text; checks the exit code."""
    done = subprocess.run([PODIUM, *map(str, words)], input=stdin if isinstance(stdin, bytes) else stdin.encode(),
                          capture_output=True, env=env or environment(), timeout=timeout)
    out, err = done.stdout.decode(), done.stderr.decode()
    self.assertEqual(done.returncode, code, f"podium {words}\n{out[:2000]}\n{err[:2000]}")
    return out, err

  def fails(self, *words, says, code=1, stdin=b"", env=None):
    """A run that must end with this code and a message that has all these words, and print no result."""
    out, err = self.podium(*words, stdin=stdin, code=code, env=env)
    self.assertEqual(out, "")
    self.assertTrue(err.startswith("podium: "), err)
    for word in says:
      self.assertIn(word, err)


def processor_seconds():
  """Of all programs that ended here."""
  usage = resource.getrusage(resource.RUSAGE_CHILDREN)
  return usage.ru_utime + usage.ru_stime


def measure(words, stdin_path=None, env=None):
  """(exit code, seconds, peak resident MiB, standard output) of one run.

  The seconds are the smaller of the time that passed, which counts what other programs of a busy machine take, and of
  the processor time, which counts each thread.

  The peak is the kernel's own high-water mark, read every few milliseconds: what wait() reports would count
  this test's memory too, which the child has until it becomes the program.
  """
  with tempfile.TemporaryFile() as out, open(stdin_path or os.devnull, "rb") as source:
    start, used = time.monotonic(), processor_seconds()
    process = subprocess.Popen([PODIUM, *map(str, words)], stdin=source, stdout=out, env=env or environment())
    peak = 0
    while process.poll() is None:
      try:
        status = Path(f"/proc/{process.pid}/status").read_text()
      except OSError:
        status = ""
      peak = max([peak] + [int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")])
      time.sleep(0.003)
    seconds = min(time.monotonic() - start, processor_seconds() - used)
    out.seek(0)
    return process.returncode, seconds, peak / 1024, out.read().decode()
