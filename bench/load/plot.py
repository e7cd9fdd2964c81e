#!/usr/bin/env python3
"""Draws what load.py printed: latency and throughput against users (closed loop), latency against rate (open loop).

  bench/load/load.py … --users 1,2,5,10 > closed.jsonl; bench/load/load.py … --rate 5,10,15 > open.jsonl
  bench/load/plot.py closed.jsonl open.jsonl --svg docs/load.svg
"""

import argparse
import json
import math
import pathlib

WIDTH, HEIGHT, LEFT, TOP, GAP = 300, 220, 60, 30, 70
COLOURS = {"p50_ms": "#2b6cb0", "p95_ms": "#dd6b20", "p99_ms": "#c53030", "requests_per_s": "#2f855a"}
LABELS = {"p50_ms": "P50", "p95_ms": "P95", "p99_ms": "P99", "requests_per_s": "requests/s"}


def ticks(low, high, log):
  if log:
    return [d * 10.0**e for e in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1) for d in (1, 2, 5)
            if low * 0.999 <= d * 10.0**e <= high * 1.001]
  step = 10.0**math.floor(math.log10(high)) / 2
  if high / step > 8:
    step *= 2
  return [i * step for i in range(int(high / step) + 1)]


class Panel:
  """Lines over one x; both axes plain or logarithmic."""

  def __init__(self, place, title, x_label, x_log, y_log):
    self.x0 = LEFT + place * (WIDTH + GAP)
    self.title, self.x_label, self.logs = title, x_label, (x_log, y_log)
    self.lines = []

  def add(self, name, points):
    self.lines.append((name, [(x, y) for x, y in points if y is not None]))

  def svg(self):
    spans = []
    for axis in (0, 1):
      values = [point[axis] for _, points in self.lines for point in points]
      spans.append((min(values) if self.logs[axis] else 0, max(values) * (1 if axis == 0 else 1.1)))

    def place(axis, value):
      low, high = spans[axis]
      share = math.log(value / low) / math.log(high / low) if self.logs[axis] else (value - low) / (high - low)
      return self.x0 + share * WIDTH if axis == 0 else TOP + (1 - share) * HEIGHT

    bottom = TOP + HEIGHT
    parts = [f'<text x="{self.x0}" y="{TOP - 10}" font-weight="bold">{self.title}</text>',
             f'<text x="{self.x0 + WIDTH / 2}" y="{bottom + 34}" text-anchor="middle">{self.x_label}</text>']
    for value in ticks(*spans[0], self.logs[0]):
      x = place(0, value)
      parts.append(f'<line x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{bottom}" stroke="#eee"/>'
                   f'<text x="{x:.1f}" y="{bottom + 15}" text-anchor="middle">{value:g}</text>')
    for value in ticks(*spans[1], self.logs[1]):
      y = place(1, value)
      parts.append(f'<line x1="{self.x0}" y1="{y:.1f}" x2="{self.x0 + WIDTH}" y2="{y:.1f}" stroke="#eee"/>'
                   f'<text x="{self.x0 - 6}" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>')
    for i, (name, points) in enumerate(self.lines):
      path = " ".join(f"{place(0, x):.1f},{place(1, y):.1f}" for x, y in points)
      parts.append(f'<polyline points="{path}" fill="none" stroke="{COLOURS[name]}" stroke-width="2"/>')
      parts += [f'<circle cx="{place(0, x):.1f}" cy="{place(1, y):.1f}" r="2.5" fill="{COLOURS[name]}"/>' for x, y in points]
      parts.append(f'<text x="{self.x0 + 8}" y="{TOP + 14 + 15 * i}" fill="{COLOURS[name]}">{LABELS[name]}</text>')
    parts.append(f'<rect x="{self.x0}" y="{TOP}" width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#999"/>')
    return "".join(parts)


def read(path):
  return [json.loads(line) for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines()]


def main():
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("closed")
  parser.add_argument("open")
  parser.add_argument("--svg", required=True)
  options = parser.parse_args()
  steps = sorted(read(options.closed), key=lambda step: step["users"])
  rates = sorted(read(options.open), key=lambda step: step["rate"])
  panels = [Panel(0, "Closed loop: requests/s", "users", True, False), Panel(1, "Closed loop: ms", "users", True, True),
            Panel(2, "Open loop: ms", "requests/s asked for", False, True)]
  panels[0].add("requests_per_s", [(step["users"], step["requests_per_s"]) for step in steps])
  for name in ("p50_ms", "p95_ms", "p99_ms"):
    panels[1].add(name, [(step["users"], step[name]) for step in steps])
    panels[2].add(name, [(step["rate"], step[name]) for step in rates])
  width = LEFT + len(panels) * (WIDTH + GAP) - GAP + 20
  pathlib.Path(options.svg).write_text(
      f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{TOP + HEIGHT + 46}" font-family="sans-serif" font-size="12">'
      f'<rect width="100%" height="100%" fill="white"/>{"".join(panel.svg() for panel in panels)}</svg>\n', encoding="utf-8")


if __name__ == "__main__":
  main()
