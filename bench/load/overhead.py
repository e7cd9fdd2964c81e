#!/usr/bin/env python3
"""What the server itself adds: to a request of one document when it has little to do, to a probe when it has too much.

  bench/load/overhead.py --start build/release/podium --precision int8
  bench/load/overhead.py --start build/release/podium --rate 5 --seconds 60      # other flags go to `podium serve`

Starts `PODIUM serve` on the loopback address and prints one line of JSON:
- "overhead_ms": last byte read to reply ready to be written, less tokenizing, waiting for the lane and computing, from the log of
  requests at a constant rate; "with_client_ms" is the same with the client's whole time, which holds two trips through the kernel and
  this program's own waking, so it bounds what the log cannot see. "busy" says which share of the time the engine computed;
- "saturated": the times of /health and /metrics while --users ask for 50 documents at once, in a closed loop.
"""

import argparse
import asyncio
import json
import os
import random
import re
import socket
import sys
import tempfile
import threading
import time

import load

SECONDS_MAX = 600
STAGES = ("tokenize_ms", "queue_ms", "compute_ms")
QUANTILES = (0.5, 0.9, 0.99, 1.0)


class Connection:
  """Blocking, so that as little as can be lies between a reply and the clock."""

  def __init__(self, port):
    self.socket = socket.create_connection(("127.0.0.1", port))
    self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

  def ask(self, data):
    """(seconds, body)"""
    start = time.perf_counter()
    self.socket.sendall(data)
    reply = b""
    while True:
      reply += self.socket.recv(1 << 20)
      end = time.perf_counter()
      head, separator, body = reply.partition(b"\r\n\r\n")
      if separator and len(body) >= int(re.search(rb"(?i)content-length: (\d+)", head).group(1)):
        return end - start, body

  def get(self, path):
    return self.ask(b"GET " + path.encode() + b" HTTP/1.1\r\nHost: localhost\r\n\r\n")


def quantiles(values):
  values = sorted(values)
  return [round(values[min(len(values) - 1, int(q * len(values)))], 3) for q in QUANTILES]


def busy_seconds(connection):
  text = connection.get("/metrics")[1].decode()
  return sum(float(value) for value in re.findall(r"^podium_compute_busy_seconds_total\S* (\S+)$", text, re.M))


def low_use(port, log, options):
  rng = random.Random(options.seed)
  connection = Connection(port)
  seen = {}
  before, start = busy_seconds(connection), time.perf_counter()
  for i in range(int(options.rate * options.seconds)):
    data = load.request(rng, 1).replace(b"Host: ", f"X-Request-Id: o{i}\r\nHost: ".encode(), 1)
    time.sleep(max(0.0, start + i / options.rate - time.perf_counter()))
    seen[f"o{i}"] = 1000 * connection.ask(data)[0]
  busy = (busy_seconds(connection) - before) / (time.perf_counter() - start)
  time.sleep(0.5)  # the log's own thread
  server, client, stages = [], [], []
  with open(log, encoding="utf-8") as lines:
    for line in map(json.loads, lines):
      if line.get("event") == "request" and line["request_id"] in seen and line["outcome"] == "ok":
        spent = sum(line[stage] for stage in STAGES)
        server.append(line["total_ms"] - spent)
        client.append(seen[line["request_id"]] - spent)
        stages.append(line)
  return {"requests": len(server), "of": len(seen), "rate": options.rate, "busy": round(busy, 4), "overhead_ms": quantiles(server),
          "with_client_ms": quantiles(client), **{stage: quantiles(line[stage] for line in stages) for stage in STAGES}}


def saturated(port, options):
  running = threading.Thread(target=lambda: asyncio.run(load.closed(port, options.users, options.saturated_seconds + 2, 50, options.seed)))
  running.start()
  time.sleep(1)
  connection = Connection(port)
  times = {"/health": [], "/metrics": []}
  end = time.perf_counter() + options.saturated_seconds
  while time.perf_counter() < end:
    for path, taken in times.items():
      taken.append(1000 * connection.get(path)[0])
      time.sleep(0.01)
  running.join()
  return {"users": options.users, "probes": len(times["/health"]), **{f"{path}_ms": quantiles(taken) for path, taken in times.items()}}


def main():
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("--start", metavar="PODIUM", required=True)
  parser.add_argument("--rate", type=float, default=20, help="requests a second; choose it for a busy share of at most a tenth")
  parser.add_argument("--seconds", type=float, default=60)
  parser.add_argument("--users", type=int, default=50)
  parser.add_argument("--saturated-seconds", type=float, default=15, help="0: leave that part out")
  parser.add_argument("--seed", type=int, default=1)
  options, flags = parser.parse_known_args()
  if not 0 < options.seconds <= SECONDS_MAX or not 0 <= options.saturated_seconds <= SECONDS_MAX or not 0 < options.users <= 500:
    parser.error(f"at most {SECONDS_MAX} seconds and 500 users")
  descriptor, log = tempfile.mkstemp(suffix=".jsonl")
  os.close(descriptor)
  server, port = load.serve(options.start, "--log-format", "json", "--log-file", log, *flags)
  try:
    if port is None:
      return 1
    threading.Thread(target=lambda: sys.stderr.writelines(server.stderr), daemon=True).start()
    print(json.dumps({"quantiles": QUANTILES, **low_use(port, log, options),
                      "saturated": saturated(port, options) if options.saturated_seconds else None}), flush=True)
  finally:
    server.terminate()
    server.wait()
    os.unlink(log)
  return 0


if __name__ == "__main__":
  sys.exit(main())
