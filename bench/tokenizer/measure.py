#!/usr/bin/env python3
"""Token ids per second of Podium and of the `tokenizers` library, one thread each, on the same texts in turns.

Usage: measure.py BINARY FOLDER TEXTS [ROUNDS]

BINARY is build/release/bench/tokenizer_bench, FOLDER holds a tokenizer.json, each line of TEXTS is a JSON string. Needs
tools/requirements-tokens.txt. Prints the ratio of each round (median, lowest, highest), tokens per second of the best
rounds and the seconds to load; fails when the ids are not the same. A busy machine makes the ratio worthless: look at
the spread.
"""
import json
import os
import statistics
import subprocess
import sys
import time

os.environ["TOKENIZERS_PARALLELISM"] = "false"
from tokenizers import Tokenizer  # noqa: E402: reads the variable above


def digest(rows):
  value = 0xCBF29CE484222325
  for row in rows:
    for number in [*row, -1]:
      for byte in (number & 0xFFFFFFFF).to_bytes(4, "little"):
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
  return f"{value:016x}"


def main():
  binary, folder, path = sys.argv[1:4]
  rounds = int(sys.argv[4]) if len(sys.argv) > 4 else 5
  with open(path, encoding="utf-8") as lines:
    texts = [json.loads(line) for line in lines]
  ours = subprocess.Popen([binary, folder, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

  def ask(command):
    ours.stdin.write(command + "\n")
    ours.stdin.flush()
    return ours.stdout.readline().split()

  loads, ratios, speeds = [], [], []
  for _ in range(rounds):
    start = time.perf_counter()
    tokenizer = Tokenizer.from_file(folder + "/tokenizer.json")
    theirs = time.perf_counter() - start
    loads.append((float(ask("load")[0]), theirs))
  tokenizer.no_truncation()
  tokenizer.no_padding()
  for _ in range(rounds):
    start = time.perf_counter()
    encodings = [tokenizer.encode(text, add_special_tokens=False) for text in texts]
    theirs = time.perf_counter() - start
    rows = [encoding.ids for encoding in encodings]
    count, tokens, seconds, got = ask("run")
    if (int(count), int(tokens), got) != (len(texts), sum(map(len, rows)), digest(rows)):
      sys.exit("measure.py: the ids are not the same")
    ratios.append(theirs / float(seconds))
    speeds.append((int(tokens) / float(seconds) / 1e6, int(tokens) / theirs / 1e6))
  print(f"{len(texts)} texts, ratio {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})")
  print("million tokens a second: podium %.2f, tokenizers %.2f" % tuple(max(column) for column in zip(*speeds)))
  print("seconds to load: podium %.3f, tokenizers %.3f" % tuple(min(column) for column in zip(*loads)))


if __name__ == "__main__":
  main()
