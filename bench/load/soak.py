#!/usr/bin/env python3
"""Good requests, bad ones and clients that leave, mixed, for a while: does anything leak, and do the counters add up?

  bench/load/soak.py --start build/release/podium --seconds 600
  bench/load/soak.py --start build/release/podium --seconds 45 --users 20 --precision int8
  bench/load/soak.py --start build/release/podium --seconds 60 --ca cert.pem --tls-certificate-file cert.pem --tls-key-file cert.key

Starts `PODIUM serve` with the flags it does not know itself, on the loopback address. At the end, exit code 1 unless:
- each outcome in /metrics was counted as often as clients saw its status; a client that left after its last byte is counted once,
  as one that left or as answered; one that left within a body once; one that reset the connection at most once;
- nothing is inside any more: no request, no pair, no cost, no body, no connection;
- descriptors are as many as before; resident memory has not grown since the first third by more than 5 % (in runs of ten
  minutes or more) or 25 % (of five: starved beside other work, its working set is still growing then; looked at no sooner,
  before, memory that was reserved at the start is used for the first time);
- the server ends with exit code 0 and has logged no error.
"""

import argparse
import asyncio
import gzip
import json
import random
import re
import socket
import ssl
import statistics
import struct
import sys
import threading
import time
from collections import Counter

from load import document, resident_mb, serve

SECONDS_MAX = 24 * 3600
GROWTH_MAX = 1.05
GROWTH_MAX_SHORT = 1.25  # under LONG_SECONDS
LONG_SECONDS = 600
MEMORY_SECONDS_MIN = 300
# What a reply's status is called in the metrics; 400 is Validation but for requests without documents.
OUTCOMES = {200: "ok", 401: "Unauthorized", 404: "NotFound", 405: "MethodNotAllowed", 413: "TooLarge", 415: "UnsupportedMediaType",
            422: "Validation", 429: "Overloaded", 431: "TooLarge", 503: "Unhealthy", 504: "Timeout"}


def post(path, body, headers=""):
  data = body if isinstance(body, bytes) else json.dumps(body, ensure_ascii=False).encode()
  return f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(data)}\r\n{headers}\r\n".encode() + data


def good(rng):
  count = rng.choice((1, 1, 3, 10, 30, 100))
  documents = [document(rng, i) for i in range(count)]
  if rng.random() < 0.1:
    documents = [" ".join(documents)] * count  # long, and all the same
  query = f"如何 reset the router {rng.randrange(10**6)}"
  kind = rng.randrange(5)
  if kind == 0:
    return post("/rerank", {"query": query, "texts": documents, "return_text": True})
  if kind == 1:
    return post("/predict", {"inputs": [[query, d] for d in documents]})
  if kind == 2:
    return post("/tokenize", {"inputs": documents})
  if kind == 3:
    body = gzip.compress(json.dumps({"query": query, "documents": documents}).encode(), 1)
    return post("/v1/rerank", body, "Content-Encoding: gzip\r\n")
  return post("/v1/rerank", {"query": query, "documents": documents, "return_documents": True})


def large(rng):
  return post("/v1/rerank", {"query": "q", "documents": [rng.choice("abc") * 2000 + str(rng.random())] * 200, "return_documents": True})


def bad(rng):
  valid = {"query": "q", "documents": ["a"]}
  return rng.choice((
      lambda: post("/v1/rerank", b'{"query": '), lambda: post("/v1/rerank", {"query": "q"}),
      lambda: post("/rerank", {"texts": ["a"]}), lambda: post("/v1/rerank", b'{"query":"\xff","documents":["a"]}'),
      lambda: post("/v1/rerank", b"[" * 30_000), lambda: post("/nowhere", valid),
      lambda: b"GET /v1/rerank HTTP/1.1\r\nHost: x\r\n\r\n", lambda: post("/v1/rerank", valid, "Content-Encoding: br\r\n"),
      lambda: post("/v1/rerank", b"\x1f\x8b" + b"x" * 50, "Content-Encoding: gzip\r\n"),
      lambda: b"\x16\x03\x01\x02\x00 no HTTP at all\r\n\r\n",
      lambda: b"POST /v1/rerank HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n" + b"x" * 5000,
      lambda: b"GET /health HTTP/1.1\r\nHost: x\r\nX-Long: " + b"a" * 40_000 + b"\r\n\r\n"))()


class Soak:
  def __init__(self, port, options):
    self.port, self.options = port, options
    self.tls = ssl.create_default_context(cafile=options.ca) if options.ca else None
    self.seen = Counter()  # outcomes of replies
    self.left = self.resets = self.halves = self.lost = 0
    self.resident = []

  async def connect(self):
    return await asyncio.open_connection("127.0.0.1", self.port, ssl=self.tls, server_hostname="127.0.0.1" if self.tls else None)

  async def reply(self, reader):
    """(whether the connection goes on, body)."""
    while True:
      head = await reader.readuntil(b"\r\n\r\n")
      status = int(head.split(None, 2)[1])
      if status >= 200:
        break
    body = await reader.readexactly(int(re.search(rb"(?i)content-length: (\d+)", head).group(1)))
    outcome = OUTCOMES.get(status)
    if outcome is None or status == 503:
      outcome = json.loads(body)["error_type"]
    self.seen[outcome] += 1
    return not re.search(rb"(?i)connection: close", head), body

  async def user(self, number, end):
    rng = random.Random(self.options.seed * 1000 + number)
    reader = writer = None
    while time.monotonic() < end:
      if writer is None:
        reader, writer = await self.connect()
      kind = rng.random()
      goes_on = False
      try:
        if kind < 0.70:
          writer.write(good(rng))
          goes_on, _ = await self.reply(reader)
        elif kind < 0.72:
          writer.write(large(rng))
          goes_on, _ = await self.reply(reader)
        elif kind < 0.85:
          writer.write(bad(rng))
          goes_on, _ = await self.reply(reader)
        else:
          await self.leave(rng, writer, kind)
      except (OSError, asyncio.IncompleteReadError):
        self.lost += 1  # a request whose fate nobody knows
      if not goes_on:
        writer.close()
        writer = None
    if writer is not None:
      writer.close()

  async def leave(self, rng, writer, kind):
    data = good(rng)
    if kind < 0.90:  # says all and goes
      self.left += 1
      writer.write(data)
      await writer.drain()
      await asyncio.sleep(rng.choice((0, 0, 0.01, 0.1)))
    elif kind < 0.95:  # half a body
      self.halves += 1
      writer.write(data[:-1 - rng.randrange(10)])
      await writer.drain()
    else:
      self.resets += 1
      writer.write(data)
      await writer.drain()
      await asyncio.sleep(rng.choice((0, 0.001, 0.05)))
      writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
      writer.transport.abort()

  async def metrics(self):
    reader, writer = await self.connect()
    writer.write(b"GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    head = await reader.readuntil(b"\r\n\r\n")
    body = await reader.readexactly(int(re.search(rb"(?i)content-length: (\d+)", head).group(1)))
    writer.close()
    return {k: float(v) for k, v in (line.rsplit(" ", 1) for line in body.decode().splitlines() if line and line[0] != "#")}

  async def run(self, pid):
    before = await self.metrics()
    end = time.monotonic() + self.options.seconds
    users = [asyncio.ensure_future(self.user(i, end)) for i in range(self.options.users)]
    while time.monotonic() < end:
      self.resident.append(resident_mb(pid))
      await asyncio.sleep(0.5)
    await asyncio.gather(*users)
    for _ in range(300):  # what clients that left have asked for is dropped within a batch
      after = await self.metrics()
      if after["podium_http_connections"] == 1 and after["podium_queue_requests"] == 0:
        break
      await asyncio.sleep(0.1)
    return before, after


def verdict(soak, before, after):
  """What does not add up."""
  wrong = []
  def check(true, text):
    if not true:
      wrong.append(text)

  counted = Counter()
  for series, value in after.items():
    match = re.match(r'podium_requests_total{model="[^"]*",outcome="(\w+)",route="(\w+)"}', series)
    if match and match.groups() != ("ok", "metrics"):  # these counts themselves
      counted[match.group(1)] += int(value - before[series])
  # What became of the requests of those who left: done, dropped, refused, or too many tokens for /tokenize.
  excess = 0
  for outcome in set(counted) | set(soak.seen):
    more = counted[outcome] - soak.seen[outcome]
    check(more >= 0, f"{outcome}: clients saw {soak.seen[outcome]}, counted {counted[outcome]}")
    check(more == 0 or outcome in ("ok", "ClientLeft", "Overloaded", "Timeout", "TooLarge"), f"{outcome}: {more} were counted that nobody saw")
    excess += more
  least = soak.left + soak.halves
  check(least <= excess <= least + soak.resets + soak.lost,
        f"{excess} requests counted that nobody saw answered; {soak.left} left, {soak.halves} within a body, {soak.resets} reset")
  check(soak.lost == 0, f"{soak.lost} connections ended without a reply")
  refused = sum(after[s] - before[s] for s in after if s.startswith("podium_admission_rejections_total"))
  check(refused == counted["Overloaded"], f"{refused} rejections, {counted['Overloaded']} requests overloaded")
  for name, value in (("podium_queue_requests", 0), ("podium_queue_pairs", 0), ("podium_queue_cost_tokens", 0),
                      ("podium_http_body_bytes", 0), ("podium_http_connections", 1),
                      ("process_open_fds", before["process_open_fds"])):
    got = sum(v for series, v in after.items() if series.split("{")[0] == name)  # of all models
    check(got == value, f"{name}: {got}, expected {value}")
  third = len(soak.resident) // 3
  early, late = (statistics.median(part) for part in (soak.resident[third - third // 2:third + 1], soak.resident[-third // 2 or -1:]))
  growth_max = GROWTH_MAX if soak.options.seconds >= LONG_SECONDS else GROWTH_MAX_SHORT
  check(late <= early * growth_max or soak.options.seconds < MEMORY_SECONDS_MIN, f"resident memory grew from {early} to {late} MB")
  print(json.dumps({"seconds": soak.options.seconds, "users": soak.options.users, "seen": dict(soak.seen), "left": soak.left,
                    "resets": soak.resets, "halves": soak.halves, "lost": soak.lost, "counted": dict(counted),
                    "descriptors": after["process_open_fds"], "resident_mb": [soak.resident[0], early, late, max(soak.resident)]}))
  return wrong


def main():
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("--start", metavar="PODIUM", required=True)
  parser.add_argument("--seconds", type=float, default=600)
  parser.add_argument("--users", type=int, default=20)
  parser.add_argument("--seed", type=int, default=1)
  parser.add_argument("--ca", metavar="FILE", help="speak TLS and trust this certificate")
  options, flags = parser.parse_known_args()
  if not 0 < options.seconds <= SECONDS_MAX or not 0 < options.users <= 500:
    parser.error(f"at most {SECONDS_MAX} seconds and 500 users")
  server, port = serve(options.start, "--log-level", "error", *flags)
  if port is None:
    return 1
  log = []
  reader = threading.Thread(target=lambda: log.extend(server.stderr), daemon=True)
  reader.start()
  try:
    soak = Soak(port, options)
    wrong = verdict(soak, *asyncio.run(soak.run(server.pid)))
  finally:
    server.terminate()
    code = server.wait(120)
  reader.join()
  if code != 0:
    wrong.append(f"the server ended with {code}")
  wrong += [line.strip() for line in log if "error" in line]
  for text in wrong:
    print("soak:", text, file=sys.stderr)
  return 1 if wrong else 0


if __name__ == "__main__":
  sys.exit(main())
