#!/usr/bin/env python3
"""Load for a rerank server on this machine: closed loop (N users) or open loop (a constant rate).

  bench/load/load.py --port 8080 --users 50 --seconds 20
  bench/load/load.py --port 8080 --rate 40 --seconds 20
  bench/load/load.py --start build/release/podium --users 1,10,50,100,200 --seconds 10   # starts and ends the server
  bench/load/load.py --start build/release/podium --precision int8 --rate 20,40,80 --seconds 10

Each request has --documents distinct documents, half Chinese, half English; no two requests share one, so neither caches nor
duplicates help, unless --pool N lets them draw from N documents. In the open loop a request's time counts from when it was due, not from when it could be sent (no coordinated
omission). Sends to the loopback address only. Prints one line of JSON per step: requests by status, P50/P95/P99 in ms of those
with status 200, requests and documents per second, tokens per second that the engine computed (where the server tells them, as Podium
does in /metrics), and the server's own resident memory: at the start, the medians of the second and the last sixth, the most. plot.py draws
such lines.
"""

import argparse
import asyncio
import json
import random
import re
import statistics
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

EN = ("the router must be reset after every update because old settings remain in memory a tomato is botanically a berry trains "
      "run twice a day between the harbour and the old town warranty claims need a receipt and the serial number of the device "
      "cold water slows the reaction while heat speeds it up engineers measured the load of the bridge for a whole year").split()
ZH = ("如何重置路由器的密码", "番茄在植物学上是一种浆果", "列车每天往返两次", "保修需要收据和序列号", "温度升高时反应速度加快", "桥梁的荷载测量了一整年",
      "数据库索引可以加快查询", "合同自签字之日起生效", "向量检索之后再进行重排序", "模型在处理器上完成推理")
CONNECTIONS_MAX = 1000
SECONDS_MAX = 3600


def document(rng, number):
  if number % 2:
    return f"{rng.choice(ZH)}，{rng.choice(ZH)}，编号{rng.randrange(10**6)}。"
  return " ".join(rng.choices(EN, k=14)) + f" {rng.randrange(10**6)}."


POOL = []  # of documents that requests share, each with POOL_QUERIES queries; empty: no two requests share one
POOL_QUERIES = 200


def request(rng, count):
  query = rng.randrange(POOL_QUERIES if POOL else 10**6)
  documents = rng.sample(POOL, count) if POOL else [document(rng, i) for i in range(count)]
  body = json.dumps({"query": f"如何 reset the router {query}", "documents": documents}, ensure_ascii=False).encode()
  return b"POST /v1/rerank HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body


def fill_pool(size):
  rng = random.Random(7)
  POOL[:] = [document(rng, i) for i in range(size)]


class Client:
  def __init__(self, port):
    self.port = port
    self.reader = self.writer = None

  async def ask(self, data):
    """The status; 0 when the connection failed."""
    try:
      if self.writer is None:
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
      self.writer.write(data)
      head = await self.reader.readuntil(b"\r\n\r\n")
      length = int(re.search(rb"(?i)content-length: (\d+)", head).group(1))
      await self.reader.readexactly(length)
      if re.search(rb"(?i)connection: close", head):
        self.close()
      return int(head.split(None, 2)[1])
    except (OSError, asyncio.IncompleteReadError):
      self.close()
      return 0

  def close(self):
    if self.writer is not None:
      self.writer.close()
    self.reader = self.writer = None


async def closed(port, users, seconds, documents, seed):
  done = []
  end = time.perf_counter() + seconds

  async def user(number):
    rng = random.Random(seed * 1000 + number)
    client = Client(port)
    while (start := time.perf_counter()) < end:
      status = await client.ask(request(rng, documents))
      done.append((status, time.perf_counter() - start))
    client.close()

  await asyncio.gather(*(user(i) for i in range(users)))
  return done


async def opened(port, rate, seconds, documents, seed):
  done = []
  idle = []
  rng = random.Random(seed)
  tasks = set()
  start = time.perf_counter()

  async def one(due, data):
    client = idle.pop() if idle else Client(port)
    status = await client.ask(data)
    done.append((status, time.perf_counter() - due))
    idle.append(client)

  for i in range(int(rate * seconds)):
    due = start + i / rate
    data = request(rng, documents)
    await asyncio.sleep(max(0.0, due - time.perf_counter()))
    if len(tasks) >= CONNECTIONS_MAX:
      done.append((-1, 0.0))  # this generator's own limit
      continue
    task = asyncio.ensure_future(one(due, data))
    tasks.add(task)
    task.add_done_callback(tasks.discard)
  await asyncio.gather(*tasks)
  for client in idle:
    client.close()
  return done


def resident_mb(pid):
  try:
    return round(int(open(f"/proc/{pid}/statm", encoding="ascii").read().split()[1]) * 4096 / 1e6, 1)
  except OSError:
    return None


def computed_tokens(port):
  """Since the server's start; None where it does not tell."""
  try:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=60) as reply:
      found = re.findall(r"^podium_batch_tokens_total\S* (\S+)$", reply.read().decode(), re.MULTILINE)
  except urllib.error.URLError:
    return None
  return sum(map(float, found)) if found else None


class Watch:
  """Resident memory while something runs."""

  def __init__(self, pid):
    self.pid, self.seen, self.ended = pid, [resident_mb(pid)], threading.Event()
    self.thread = threading.Thread(target=self.look, daemon=True)
    self.thread.start()

  def look(self):
    while not self.ended.wait(0.5):
      self.seen.append(resident_mb(self.pid))

  def end(self):
    """[at the start, second sixth, last sixth, most]"""
    self.ended.set()
    self.thread.join()
    sixth = max(1, len(self.seen) // 6)
    return [self.seen[0], statistics.median(self.seen[sixth:2 * sixth] or self.seen), statistics.median(self.seen[-sixth:]), max(self.seen)]


def percentile(values, share):
  return round(1000 * values[min(len(values) - 1, int(share * len(values)))], 1) if values else None


def step(port, pid, load, options):
  watch = Watch(pid) if pid else None
  tokens = computed_tokens(port)
  start = time.perf_counter()
  if options.rate:
    done = asyncio.run(opened(port, load, options.seconds, options.documents, options.seed))
  else:
    done = asyncio.run(closed(port, int(load), options.seconds, options.documents, options.seed))
  seconds = time.perf_counter() - start
  times = sorted(t for status, t in done if status == 200)
  statuses = {}
  for status, _ in done:
    statuses[str(status)] = statuses.get(str(status), 0) + 1
  print(json.dumps({"users" if options.users else "rate": load, "seconds": round(seconds, 1), "statuses": statuses,
                    "p50_ms": percentile(times, 0.5), "p95_ms": percentile(times, 0.95), "p99_ms": percentile(times, 0.99),
                    "requests_per_s": round(len(times) / seconds, 2),
                    "documents": options.documents, "documents_per_s": round(len(times) * options.documents / seconds),
                    "tokens_per_s": None if tokens is None else round((computed_tokens(port) - tokens) / seconds),
                    "resident_mb": watch.end() if watch else None}), flush=True)
  return done


def numbers(text):
  return [float(part) if "." in part else int(part) for part in text.split(",")]


def serve(podium, *flags):
  """A server on a free port of the loopback address: (process, port), None where it ended before it listened. What it writes to
  stderr is passed on up to there; who calls reads the rest."""
  server = subprocess.Popen([podium, "serve", "--port", "0", "--drain-delay-ms", "0", *flags], stderr=subprocess.PIPE, text=True)
  for line in server.stderr:
    sys.stderr.write(line)
    match = re.search(r"on https?://127\.0\.0\.1:(\d+)$", line.strip())
    if match and "metrics and health" not in line:
      return server, int(match.group(1))
  return server, None


def main():
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("--port", type=int, help="of a server that runs already, on 127.0.0.1")
  parser.add_argument("--start", metavar="PODIUM", help="start `PODIUM serve` for the time of the run")
  parser.add_argument("--users", type=numbers, help="closed loop: users, one step for each number")
  parser.add_argument("--rate", type=numbers, help="open loop: requests a second, one step for each number")
  parser.add_argument("--seconds", type=float, default=10)
  parser.add_argument("--documents", type=int, default=50)
  parser.add_argument("--seed", type=int, default=1)
  parser.add_argument("--pool", type=int, default=0, help="draw documents from this many, and queries from 200; 0: all are new")
  options, flags = parser.parse_known_args()
  fill_pool(options.pool)
  if bool(options.users) == bool(options.rate) or bool(options.port) == bool(options.start):
    parser.error("one of --users and --rate, and one of --port and --start")
  if not 0 < options.seconds <= SECONDS_MAX or max(options.users or [0]) > CONNECTIONS_MAX:
    parser.error(f"at most {SECONDS_MAX} seconds and {CONNECTIONS_MAX} users")
  server = None
  port, pid = options.port, None
  if options.start:
    server, port = serve(options.start, "--log-level", "warning", *flags)
    pid = server.pid
    if port is None:
      return 1
    threading.Thread(target=lambda: sys.stderr.writelines(server.stderr), daemon=True).start()
  elif flags:
    parser.error(f"unknown: {flags}")
  try:
    for load in options.users or options.rate:
      step(port, pid, load, options)
  finally:
    if server is not None:
      server.terminate()
      server.wait()
  return 0


if __name__ == "__main__":
  sys.exit(main())
