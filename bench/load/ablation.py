#!/usr/bin/env python3
"""What each step brings, on one machine and one model: from the server of the tutorials to Podium with everything.

  bench/load/ablation.py run --podium build/release/podium --model models/podium-mini-zh-en --venv VENV --out results.jsonl [--rows 1,2]
  bench/load/ablation.py report results.jsonl --svg docs/ablation.svg       # the table in Markdown, and the picture

VENV is made with `python3 -m venv VENV && VENV/bin/pip install -r bench/load/requirements.txt`. Each row is a server of its own,
started, loaded and ended; rows may be measured in turns (--rows), results are added to the file. Load: --users in a closed loop,
each request with --documents distinct ones drawn from a pool, so that the last row's cache has something to find and the others,
which keep nothing, do the same work as ever; then, with --rate-search, the highest constant rate (open loop) at which every
request is answered with 200 and P99 is at most 500 ms. --isa is Podium's kernel table; unless it is amx, all are kept from AMX.
"""

import argparse
import asyncio
import json
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import time

import load

HERE = pathlib.Path(__file__).parent
sys.path.append(str(HERE.parent / "peers"))
import tiles  # noqa: E402

BAR_MS = 500
ROWS = [("FastAPI + transformers, fp32", "transformers", []),
        ("FastAPI + ONNX Runtime, int8", "onnxruntime", []),
        ("Podium, fp32, packed", "podium", ["--precision", "fp32", "--batch-requests-max", "1", "--token-cache-bytes", "0"]),
        ("+ int8", "podium", ["--precision", "int8", "--batch-requests-max", "1", "--token-cache-bytes", "0"]),
        ("+ dynamic batching", "podium", ["--precision", "int8", "--token-cache-bytes", "0"]),
        ("+ token cache", "podium", ["--precision", "int8"])]


def free_port():
  with socket.socket() as one:
    one.bind(("127.0.0.1", 0))
    return one.getsockname()[1]


class Server:
  def __init__(self, kind, flags, options):
    self.port = free_port()
    python = str(pathlib.Path(options.venv) / "bin" / "python")
    if kind == "podium":
      command = [options.podium, "serve", "--model", options.model, "--port", str(self.port), "--log-level", "warning",
                 "--drain-delay-ms", "0", "--isa", options.isa, *flags]
    elif kind == "transformers":
      command = [python, str(HERE / "tutorial_server.py"), kind, options.model, str(self.port)]
    else:
      onnx = pathlib.Path(options.onnx or pathlib.Path(tempfile.gettempdir()) / "podium-ablation" / "model.onnx")
      if not onnx.exists():
        subprocess.run([python, str(HERE / "tutorial_server.py"), "export", options.model, str(onnx)], check=True)
      command = [python, str(HERE / "tutorial_server.py"), kind, str(onnx), str(self.port)]
    self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True,
                                    preexec_fn=None if options.isa == "amx" else tiles.refuse_tiles)
    threading.Thread(target=lambda: sys.stderr.writelines(self.process.stderr), daemon=True).start()
    end = time.monotonic() + 120
    while True:
      try:
        socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
        break
      except OSError:
        if time.monotonic() > end or self.process.poll() is not None:
          raise SystemExit(f"no server: {command}")
        time.sleep(0.1)

  def end(self):
    self.process.terminate()
    self.process.wait()


def times(done):
  return sorted(t for status, t in done if status == 200)


def closed(port, seconds, options):
  start = time.perf_counter()
  done = asyncio.run(load.closed(port, options.users, seconds, options.documents, options.seed))
  took = time.perf_counter() - start
  good = times(done)
  return {"requests_per_s": len(good) / took, "p50_ms": load.percentile(good, 0.5), "p99_ms": load.percentile(good, 0.99),
          "requests": len(done), "other": len(done) - len(good)}


def meets(port, rate, options):
  done = asyncio.run(load.opened(port, rate, max(options.seconds, 3 / rate), options.documents, options.seed))
  good = times(done)
  p99 = load.percentile(good, 0.99)
  print(f"  {rate:.1f} requests/s: P99 {p99} ms, other than 200: {len(done) - len(good)}", file=sys.stderr)
  time.sleep(0.5)
  return len(good) == len(done) and p99 <= BAR_MS, p99


def highest_rate(port, ceiling, options):
  low, high = 0.0, ceiling
  for _ in range(options.rate_steps):
    rate = (low + high) / 2 if low or high < ceiling else 0.7 * high
    low, high = (rate, high) if meets(port, rate, options)[0] else (low, rate)
  return low


def measure(number, options):
  name, kind, flags = ROWS[number - 1]
  print(f"{number} {name}", file=sys.stderr)
  server = Server(kind, flags, options)
  try:
    warm = closed(server.port, 3, options)  # and what a cache can know it knows
    if warm["other"]:
      raise SystemExit(f"{name}: {warm['other']} of {warm['requests']} requests were not answered with 200")
    result = {"row": number, "name": name, "isa": options.isa, "documents": options.documents, "users": options.users, "seconds": options.seconds}
    result.update(closed(server.port, options.seconds, options))
    result["resident_mb"] = load.resident_mb(server.process.pid)
    if options.rate_search:
      result["rate_500ms"] = highest_rate(server.port, 1.1 * result["requests_per_s"], options)
  finally:
    server.end()
  with open(options.out, "a", encoding="utf-8") as out:
    out.write(json.dumps(result) + "\n")
  print(json.dumps(result), flush=True)


def latest(results):
  """The last result of each row, per kernel table and number of documents."""
  groups = {}
  for result in results:
    groups.setdefault((result["isa"], result["documents"]), {})[result["row"]] = result
  return dict(sorted(groups.items(), key=lambda group: (group[0][0], -group[0][1])))


def title(isa, documents, rows):
  return f'{isa}, {documents} document{"s" * (documents != 1)} a request, {next(iter(rows.values()))["users"]} users'


def table(group, rows):
  first = rows[min(rows)]
  print(f"\n{title(*group, rows)}, {first['seconds']:g} s a row:\n")
  print("| | P50 ms | P99 ms | requests/s | times the first | highest rate with P99 ≤ 500 ms | resident MB |")
  print("|---|---|---|---|---|---|---|")
  for number in sorted(rows):
    r = rows[number]
    rate = "–" if "rate_500ms" not in r else f"{r['rate_500ms']:.1f}" if r["rate_500ms"] > 0 else "none"
    print(f"| {r['name']} | {r['p50_ms']:.0f} | {r['p99_ms']:.0f} | {r['requests_per_s']:.1f} | {r['requests_per_s'] / first['requests_per_s']:.2f} "
          f"| {rate} | {r['resident_mb']:.0f} |")


def picture(groups, path):
  """Bars of requests/s, a group for each number of documents; plain SVG."""
  bar, gap, left, width = 20, 34, 230, 420
  parts, y = [], 10
  for group, rows in groups.items():
    most = max(r["requests_per_s"] for r in rows.values())
    parts.append(f'<text x="10" y="{y + 14}" font-weight="bold">{title(*group, rows)}: requests/s (P50 / P99 ms)</text>')
    y += 24
    for number in sorted(rows):
      r = rows[number]
      length = width * r["requests_per_s"] / most
      parts.append(f'<text x="{left - 8}" y="{y + 14}" text-anchor="end">{r["name"]}</text>'
                   f'<rect x="{left}" y="{y}" width="{length:.1f}" height="{bar - 4}" fill="{"#888" if number < 3 else "#2b6cb0"}"/>'
                   f'<text x="{left + length + 6:.1f}" y="{y + 13}">{r["requests_per_s"]:.1f} ({r["p50_ms"]:.0f} / {r["p99_ms"]:.0f})</text>')
      y += bar
    y += gap - bar
  pathlib.Path(path).write_text(
      f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 150}" height="{y}" font-family="sans-serif" font-size="12">'
      f'<rect width="100%" height="100%" fill="white"/>{"".join(parts)}</svg>\n', encoding="utf-8")


def main():
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  commands = parser.add_subparsers(dest="command", required=True)
  run = commands.add_parser("run")
  run.add_argument("--podium", required=True)
  run.add_argument("--model", required=True, help="a folder")
  run.add_argument("--venv", required=True)
  run.add_argument("--onnx", help="where the int8 graph is, or is to be; default: a temporary folder")
  run.add_argument("--out", required=True)
  run.add_argument("--rows", type=lambda text: [int(part) for part in text.split(",")], default=list(range(1, len(ROWS) + 1)))
  run.add_argument("--isa", default="amx")
  run.add_argument("--users", type=int, default=16)
  run.add_argument("--documents", type=int, default=50)
  run.add_argument("--seconds", type=float, default=12)
  run.add_argument("--pool", type=int, default=5000)
  run.add_argument("--seed", type=int, default=1)
  run.add_argument("--rate-search", action="store_true")
  run.add_argument("--rate-steps", type=int, default=5)
  report = commands.add_parser("report")
  report.add_argument("results")
  report.add_argument("--svg")
  options = parser.parse_args()
  if options.command == "run":
    load.fill_pool(options.pool)
    for number in options.rows:
      measure(number, options)
  else:
    with open(options.results, encoding="utf-8") as file:
      groups = latest(json.loads(line) for line in file)
    for group, rows in groups.items():
      table(group, rows)
    if options.svg:
      picture(groups, options.svg)


if __name__ == "__main__":
  main()
