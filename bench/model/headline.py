#!/usr/bin/env python3
"""Latency of the two everyday tasks, by kernel table: 10 short documents (20 to 40 tokens) and 50 documents of mixed length.

  bench/model/headline.py MODEL [--bench build/release/bench/model_bench] [--isa amx,avx512_vnni,avx_vnni,avx2] [--runs 200]
                          [--samples FILE] [--seconds S]

MODEL is a folder or a packed file, random weights of v2-m3's shape for the README (bench/peers/make_model.py large). int8, two threads.
A table of a processor that is not at hand is left out. Slow tables take an hour for 200 runs: with --samples the times of all runs are
kept in FILE, a call starts no turn after --seconds, and the next one goes on from there. Prints the table of what there is.
"""

import argparse
import json
import pathlib
import subprocess
import time

TASKS = {"short": "10 short documents", "var": "50 documents"}
TURN_SECONDS = 36  # of runs by one process


def run(options, isa, task, runs):
  """Times in ms; none where the table does not run here."""
  command = [options.bench, "--model", options.model, "--precision", "int8", "--threads", "2", "--isa", isa, "--workload", task]
  done = subprocess.run([*command, "--repeat", str(runs)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
  if done.returncode != 0:
    print(f"<!-- {isa}: {done.stderr.strip()} -->")
    return []
  return json.loads(done.stdout)["times_ms"]


def percentile(ordered, share):
  return ordered[min(len(ordered) - 1, -(-len(ordered) * int(100 * share) // 100) - 1)]


def table(samples):
  print("| table | task | P50, ms | P99, ms | runs |", "|---|---|---|---|---|", sep="\n")
  for (isa, task), times in samples.items():
    if times:
      ordered = sorted(times)
      print(f"| {isa} | {TASKS[task]} | {percentile(ordered, 0.5):.0f} | {percentile(ordered, 0.99):.0f} | {len(times)} |")


def main():
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("model")
  parser.add_argument("--bench", default="build/release/bench/model_bench")
  parser.add_argument("--isa", default="amx,avx512_vnni,avx_vnni,avx2")
  parser.add_argument("--runs", type=int, default=200)
  parser.add_argument("--samples", type=pathlib.Path)
  parser.add_argument("--seconds", type=float, default=float("inf"))
  options = parser.parse_args()
  end = time.monotonic() + options.seconds
  rows = [(isa, task) for isa in options.isa.split(",") for task in TASKS]
  samples = {row: [] for row in rows}
  if options.samples and options.samples.exists():
    for line in options.samples.read_text().splitlines():
      turn = json.loads(line)
      samples.setdefault((turn["isa"], turn["task"]), []).extend(turn["times_ms"])
  while time.monotonic() < end:
    row = next((row for row in rows if len(samples[row]) < options.runs), None)
    if not row:
      break
    known = samples[row][-1] if samples[row] else TURN_SECONDS * 1e3
    turn = run(options, *row, min(options.runs - len(samples[row]), max(1, int(TURN_SECONDS * 1e3 / known))))
    if not turn:
      rows.remove(row)
      continue
    samples[row] += turn
    if options.samples:
      with options.samples.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"isa": row[0], "task": row[1], "times_ms": turn}) + "\n")
  table(samples)


if __name__ == "__main__":
  main()
