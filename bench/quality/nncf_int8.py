#!/usr/bin/env python3
"""int8 of OpenVINO's NNCF and of Podium on the same model and lists, both against fp32 of Podium.

  VENV/bin/python bench/quality/nncf_int8.py [--podium build/release/podium] [--packed FILE] [--queries 125]

VENV is that of bench/peers/setup with `nncf` (3.4.0 as measured). NNCF quantises after its own recipe for transformers, calibrated on
300 pairs of the other half of the lists; its floats stay fp32 (INFERENCE_PRECISION_HINT f32). --packed is a file of `podium pack`,
else the folder is packed at load.
"""

import argparse
import json
import os
import statistics
import subprocess
import tempfile
from pathlib import Path

import measure

TOKENS_MAX = 512
BATCH = 8


def nncf_model(pairs):
  import nncf
  import openvino
  import torch
  import transformers
  model = transformers.AutoModelForSequenceClassification.from_pretrained(measure.MODEL, attn_implementation="eager").float().eval()
  example = {"input_ids": torch.ones(2, 16, dtype=torch.long), "attention_mask": torch.ones(2, 16, dtype=torch.long)}
  with torch.no_grad():
    plain = openvino.convert_model(model, example_input=example)
  plain.reshape({name: [-1, -1] for name in ("input_ids", "attention_mask")})
  batches = [batch_of([pair]) for pair in pairs]
  quantized = nncf.quantize(plain, nncf.Dataset(batches), model_type=nncf.ModelType.TRANSFORMER, subset_size=len(batches))
  return openvino.Core().compile_model(quantized, "CPU", {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": os.cpu_count()})


def tokenizer():
  import tokenizers
  loaded = tokenizers.Tokenizer.from_file(str(measure.MODEL / "tokenizer.json"))
  loaded.enable_truncation(TOKENS_MAX, strategy="longest_first")
  return loaded


TOKENIZER = None


def batch_of(pairs):
  import numpy
  global TOKENIZER
  TOKENIZER = TOKENIZER or tokenizer()
  ids = [TOKENIZER.encode(*pair).ids for pair in pairs]
  width = max(map(len, ids))
  return {"input_ids": numpy.array([row + [1] * (width - len(row)) for row in ids]),
          "attention_mask": numpy.array([[1] * len(row) + [0] * (width - len(row)) for row in ids])}


def nncf_scores(compiled, pairs):
  order = sorted(range(len(pairs)), key=lambda i: len(pairs[i][0]) + len(pairs[i][1]))
  scores = [0.0] * len(pairs)
  for begin in range(0, len(order), BATCH):
    part = order[begin:begin + BATCH]
    for i, logit in zip(part, compiled(batch_of([pairs[i] for i in part]))[0][:, 0]):
      scores[i] = float(logit)
  return scores


def podium_scores(program, model, precision, pairs):
  with tempfile.TemporaryDirectory() as folder:
    file = Path(folder) / "pairs.jsonl"
    file.write_text("".join(json.dumps({"query": query, "document": document}) + "\n" for query, document in pairs))
    out = subprocess.run([program, "score", file, "--model", model, "--precision", precision, "--scores", "raw"], check=True,
                         stdout=subprocess.PIPE).stdout
  return [json.loads(line)["score"] for line in out.splitlines()]


def figures(lists, reference, scores):
  """mean |Δlogit| in standard deviations, top-10 overlap, mean difference of nDCG@10."""
  at, overlaps, gains = 0, [], []
  for row, pairs in lists:
    grades = [row["relevant"].get(candidate, 0) for candidate in row["candidates"]]
    orders = [sorted(range(len(pairs)), key=lambda i, side=side: -side[at + i]) for side in (reference, scores)]
    top = [set(order[:10]) for order in orders]
    overlaps.append(len(top[0] & top[1]) / len(top[0]))
    ndcg = [measure.ndcg([grades[i] for i in order], row["relevant"].values()) for order in orders]
    gains.append(ndcg[1] - ndcg[0])
    at += len(pairs)
  error = statistics.mean(abs(a - b) for a, b in zip(reference, scores)) / statistics.pstdev(reference)
  return error, statistics.mean(overlaps), statistics.mean(gains)


def main():
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("--podium", default=measure.ROOT / "build" / "release" / "podium", type=Path)
  parser.add_argument("--packed", type=Path)
  parser.add_argument("--queries", default=measure.CARD_QUERIES, type=int)
  options = parser.parse_args()
  everything = {language: measure.read_lists(language, 2 * measure.CARD_QUERIES) for language in measure.CARD}
  others = [pair for language, rows in everything.items()
            for _, pairs in measure.lists_of(language, rows[measure.CARD_QUERIES:]) for pair in pairs]
  compiled = nncf_model(others[::len(others) // measure.CALIBRATION_PAIRS][:measure.CALIBRATION_PAIRS])
  print("| | pairs | mean Δlogit, standard deviations | top-10 overlap | nDCG@10 |", "|---|---|---|---|---|", sep="\n")
  for language, rows in everything.items():
    lists = measure.lists_of(language, rows[:options.queries])
    pairs = [pair for _, own in lists for pair in own]
    reference = podium_scores(options.podium, measure.MODEL, "fp32", pairs)
    packed = options.packed or measure.MODEL
    for name, scores in (("Podium", podium_scores(options.podium, packed, "int8", pairs)), ("NNCF", nncf_scores(compiled, pairs))):
      error, overlap, gain = figures(lists, reference, scores)
      print(f"| {language}, {name} | {len(pairs)} | {error:.4f} | {overlap:.3f} | {gain:+.4f} |", flush=True)


if __name__ == "__main__":
  main()
