#!/usr/bin/env python3
"""Latency of the two everyday tasks, by kernel table: 10 short documents (20 to 40 tokens) and 50 documents of mixed length.

  bench/model/headline.py MODEL [--bench build/release/bench/model_bench] [--isa amx,avx512_vnni,avx_vnni,avx2] [--runs 200]
                          [--seconds 180]

MODEL is a folder or a packed file, random weights of v2-m3's shape for the README (bench/peers/make_model.py large). int8, two threads.
A table of a processor that is not at hand is left out. Tasks that would take longer than --seconds run less often, and the row says so.
"""

import argparse
import json
import subprocess

TASKS = {"short": "10 short documents", "var": "50 documents"}
RUNS_MIN = 20


def measure(options, isa, task, runs):
  """None where the table does not run here."""
  command = [options.bench, "--model", options.model, "--precision", "int8", "--threads", "2", "--isa", isa, "--workload", task]
  done = subprocess.run([*command, "--repeat", str(runs)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
  if done.returncode != 0:
    print(f"<!-- {isa}: {done.stderr.strip()} -->")
    return None
  return json.loads(done.stdout)


def main():
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("model")
  parser.add_argument("--bench", default="build/release/bench/model_bench")
  parser.add_argument("--isa", default="amx,avx512_vnni,avx_vnni,avx2")
  parser.add_argument("--runs", type=int, default=200)
  parser.add_argument("--seconds", type=float, default=180)
  options = parser.parse_args()
  print("| table | task | P50, ms | P99, ms | runs | tokens/s, best |", "|---|---|---|---|---|---|", sep="\n", flush=True)
  for isa in options.isa.split(","):
    for task, words in TASKS.items():
      first = measure(options, isa, task, 2)
      if first is None:
        break
      runs = min(options.runs, max(RUNS_MIN, int(options.seconds * 1e3 / first["p50_ms"])))
      got = measure(options, isa, task, runs)
      print(f"| {isa} | {words} | {got['p50_ms']:.0f} | {got['p99_ms']:.0f} | {runs} | {got['tokens_per_s']:,.0f} |", flush=True)


if __name__ == "__main__":
  main()
