#!/usr/bin/env python3
"""Draws where the time of a pass goes, one bar a profile: shares of clock samples by kind of work. What is no part of a
pass (loading, measuring the peak) is left out.

  perf record -e cpu-clock -o large.data build/release/bench/model_bench --model … --precision int8 --threads 1 --workload 128
  perf report -i large.data --stdio -F sample,symbol > large.txt
  bench/model/profile.py "large, 128=large.txt" … --svg docs/profile.svg
"""

import argparse
import pathlib
import re

WORK = (
    ("products with a residual", "#2b6cb0", r"\)0, true"),
    ("product with GELU", "#4299e1", r"\)1, false"),
    ("q, k, v", "#90cdf4", r"\)2, false"),
    ("attention", "#dd6b20", r"Softmax|AttentionOf|AttentionTiles|AttentionBf16|StoreBf16"),
    ("halves to bytes", "#2f855a", r"QuantizeRow<true>"),
    ("norm, floats to bytes", "#9ae6b4", r"LayerNorm|QuantizeRow<false>"),
    ("embeddings", "#a0aec0", r"::Embed\b|EmbedRows"),
)
LEFT, WIDTH, BAR, GAP, TOP = 130, 640, 28, 12, 58


def shares(path):
  counts = [0] * len(WORK)
  for line in pathlib.Path(path).read_text().splitlines():
    match = re.match(r"\s*(\d+)\s+\[\.\]\s+(.*)", line)
    for i, (_, _, pattern) in enumerate(WORK if match else ()):
      if re.search(pattern, match[2]):
        counts[i] += int(match[1])
        break
  total = sum(counts)
  if total == 0:
    raise SystemExit(f"{path}: no samples of a pass; expected perf report -F sample,symbol")
  return [count / total for count in counts]


def main():
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("profiles", nargs="+", metavar="NAME=FILE")
  parser.add_argument("--svg", required=True)
  args = parser.parse_args()
  height = TOP + len(args.profiles) * (BAR + GAP)
  out = [
      f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 20}" height="{height}" '
      'font-family="sans-serif" font-size="12">', '<rect width="100%" height="100%" fill="white"/>'
  ]
  for i, (name, colour, _) in enumerate(WORK):
    x, y = LEFT + i % 4 * 165, 10 + i // 4 * 20
    out.append(f'<rect x="{x}" y="{y}" width="12" height="12" fill="{colour}"/>'
               f'<text x="{x + 17}" y="{y + 10}">{name}</text>')
  for row, profile in enumerate(args.profiles):
    name, path = profile.split("=", 1)
    y, x = TOP + row * (BAR + GAP), float(LEFT)
    out.append(f'<text x="{LEFT - 10}" y="{y + 18}" text-anchor="end">{name}</text>')
    for share, (_, colour, _) in zip(shares(path), WORK):
      out.append(f'<rect x="{x:.1f}" y="{y}" width="{share * WIDTH:.1f}" height="{BAR}" fill="{colour}"/>')
      if share > 0.03:
        out.append(f'<text x="{x + share * WIDTH / 2:.1f}" y="{y + 18}" text-anchor="middle">{share * 100:.0f}</text>')
      x += share * WIDTH
    print(name, *(f"{work[0]} {share * 100:.1f}," for share, work in zip(shares(path), WORK)))
  out.append("</svg>")
  pathlib.Path(args.svg).write_text("\n".join(out) + "\n")


if __name__ == "__main__":
  main()
