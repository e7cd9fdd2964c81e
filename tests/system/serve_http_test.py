"""HTTP that cannot be read to its end: each such request is answered, counted and logged as any other."""

import json
import re
import socket
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

from podium_process import Case
from server_process import BODY, Server, metrics, read_all, read_reply, request_bytes, until

TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
START = b"POST /v1/rerank HTTP/1.1\r\nHost: x\r\n"
HEADERS_MAX = 8192
BODY_MAX = 200_000
CHUNKED = b"Transfer-Encoding: chunked\r\n"
LARGE = b'{"query": "q", "documents": ["' + b"x" * 300_000 + b'"]}'
CHUNKS = b"".join(b"2710\r\n%s\r\n" % LARGE[i:i + 10_000] for i in range(0, 300_000, 10_000))


def named(name):
  return f"X-Request-Id: {name}\r\ntraceparent: {TRACE}\r\n".encode()


class Broken(Case):
  @classmethod
  def setUpClass(cls):
    cls.server = Server("--body-bytes-max", BODY_MAX, "--header-seconds-max", 1, "--body-seconds-max", 1,
                        "--header-bytes-max", HEADERS_MAX, "--log-format", "json", "--cors-origins", "https://a.example")

  @classmethod
  def tearDownClass(cls):
    cls.server.__exit__()

  def alive(self):
    self.assertEqual(self.server.post("/v1/rerank", BODY)[0], 200)

  def lines(self, text):
    return [json.loads(line) for line in self.server.log if line[0] == "{" and text in line]

  def send(self, data, pieces=None):
    """The (status, head, body) of the answer to bytes sent in one write, or in `pieces`."""
    with self.server.connect() as connection:
      try:
        for piece in pieces or [data]:
          connection.sendall(piece)
      except (ConnectionResetError, BrokenPipeError):
        pass
      return read_reply(connection)[:3]

  def check(self, reply, status, outcome, name=None, **logged):
    """An answer has its id in the header and the body, and in the one line of the log."""
    head, body = reply[1], json.loads(reply[2])
    self.assertEqual((reply[0], body["error_type"]), (status, outcome), reply)
    self.assertEqual({body[key] for key in ("error", "message", "detail")}, {body["error"]})
    given = re.search(r"^X-Request-Id: (.*)\r$", head + "\r\n", re.MULTILINE | re.IGNORECASE).group(1)
    self.assertEqual(body["request_id"], given)
    if name:
      self.assertEqual(given, name)
      self.assertIn(f"traceparent: {TRACE}", head)
      logged["traceparent"] = TRACE
    else:
      self.assertRegex(given, "^[0-9a-f]{16}$")
    self.assertIn("Connection: close", head)
    line = until(lambda: self.lines(f'"{given}"'))
    self.assertEqual(len(line), 1)
    want = {"status": status, "outcome": outcome, "client": "127.0.0.1", "reason": body["error"], **logged}
    self.assertEqual({key: line[0].get(key) for key in want}, want)

  def test_every_reply_has_its_id(self):
    many = b"".join(b"X-%d: %s\r\n" % (i, b"a" * 50) for i in range(400))
    for i, (data, status, outcome) in enumerate((
        (b"Content-Length: 300000\r\n\r\n", 413, "TooLarge"),
        (b"Content-Length: 99999999999999999999\r\n\r\n", 413, "TooLarge"),
        (CHUNKED + b"\r\n" + CHUNKS, 413, "TooLarge"),
        (CHUNKED + b"\r\nZZ\r\n", 400, "Validation"),
        (CHUNKED + b"\r\n2;=\r\n{}\r\n0\r\n\r\n", 400, "Validation"),
        (b"Content-Length: -1\r\n\r\n", 400, "Validation"),
        (b"Content-Length: 3\r\n" + CHUNKED + b"\r\n0\r\n\r\n", 400, "Validation"),
        (b"Bad Name: x\r\n\r\n", 400, "Validation"),
        (many + b"\r\n", 431, "TooLarge"),
        (b"X-Long: " + b"a" * 20_000 + b"\r\n\r\n", 431, "TooLarge"))):
      name = f"broken-{i}"
      for where, request in ((name, START + named(name) + data), (None, START + data)):
        with self.subTest(request[:120]):
          self.check(self.send(request), status, outcome, where, method="POST", path="/v1/rerank")
    # The id may come behind what is wrong, in bytes that came later.
    for data in (b"Bad Name: x\r\n", b"Content-Length: 99999999999999999999\r\n"):
      status = 413 if b"99" in data else 400
      self.check(self.send(START + data + named(f"late-{status}") + b"\r\n"), status, "TooLarge" if status == 413 else "Validation",
                 f"late-{status}", method="POST", path="/v1/rerank")
    self.alive()

  def test_whose_end_nobody_can_tell_ends_the_connection(self):
    """What is behind such a head may be somebody's request; it is never answered."""
    hidden = request_bytes("/v1/rerank", BODY, "X-Request-Id: hidden\r\n")
    length = f"Content-Length: {len(hidden)}\r\n".encode()
    for codings in (b"xchunked", b"gzip", b"identity", b"", b"gzip, chunked", b"chunked, chunked", b"chunked, identity", b"chunked;a=b"):
      coding = b"Transfer-Encoding: " + codings + b"\r\n"
      for headers in (coding, length + coding, coding + length, coding + CHUNKED, CHUNKED + coding):
        for start in (START, b"GET /health HTTP/1.1\r\nHost: x\r\n"):
          with self.subTest(start + headers), self.server.connect() as connection:
            connection.sendall(start + headers + b"\r\n" + hidden + hidden)
            data = read_all(connection)
            self.assertEqual((data.count(b"HTTP/1.1 "), data[9:12]), (1, b"400"), data)
            self.assertIn(b"Connection: close", data)
    with self.server.connect() as connection:  # HTTP/1.0 knows none
      connection.sendall(b"POST /rerank HTTP/1.0\r\n" + CHUNKED + b"\r\n0\r\n\r\n" + hidden)
      self.assertEqual(read_all(connection).count(b"HTTP/1.0 "), 1)
    self.assertEqual(self.lines('"hidden"'), [])
    self.alive()

  def test_what_has_no_head(self):
    for data in (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"GET / HTTP/9.9\r\n\r\n", b"\r\n\r\n\r\n\r\n", b"A" * 100_000,
                 b"GET /a b HTTP/1.1\r\n\r\n"):
      with self.subTest(data[:40]):
        status = 431 if len(data) > HEADERS_MAX else 400
        self.check(self.send(data), status, "TooLarge" if status == 431 else "Validation")
    with self.server.connect() as connection:  # ended in the middle, by a client that can still hear
      connection.sendall(START + named("half") + b"Host")
      connection.shutdown(socket.SHUT_WR)
      self.check(read_reply(connection), 400, "Validation", "half", method="POST", path="/v1/rerank")
    self.alive()

  def test_dialect_and_origin(self):
    """As for every other reply: no body to HEAD, the version of the request, the headers for web pages."""
    with self.server.connect() as connection:
      connection.sendall(b"HEAD /health HTTP/1.0\r\nOrigin: https://a.example\r\nContent-Length: 300000\r\n\r\n")
      reply = read_all(connection)
    self.assertTrue(reply.startswith(b"HTTP/1.0 413 "), reply)
    self.assertIn(b"\r\nAccess-Control-Allow-Origin: https://a.example\r\n", reply)
    self.assertTrue(reply.endswith(b"\r\n\r\n"))
    for path, route in (("/predict", "predict"), ("/none", "other")):
      series = f'podium_requests_total{{model="",outcome="TooLarge",route="{route}"}}'
      before = metrics(self.server)[series]
      self.assertEqual(self.send(f"POST {path} HTTP/1.1\r\nContent-Length: 300000\r\n\r\n".encode())[0], 413)
      self.assertEqual(metrics(self.server)[series], before + 1)

  def test_headers_have_their_limit_however_they_arrive(self):
    def request(size, width):
      head, i = START + b"Content-Length: 2\r\n", 0
      while size - len(head) > width + 40:
        head += b"X-%d: %s\r\n" % (i, b"a" * width)
        i += 1
      return head + b"X-Last: " + b"b" * (size - len(head) - 12) + b"\r\n\r\n{}"
    cases = []
    for width in (3, 90, 5000):
      for size, status in ((HEADERS_MAX, 400), (HEADERS_MAX + 1, 431), (5 * HEADERS_MAX, 431)):
        data = request(size, width)
        self.assertEqual(data.index(b"\r\n\r\n") + 4, size)
        for pieces in ([data], [data[:size // 2], data[size // 2:]], [data[:size - 2], data[size - 2:]], [data[:10], data[10:]]):
          cases.append((pieces, status))
      cases.append(([bytes([b]) for b in request(HEADERS_MAX + 1, width)], 431))
    cases.append(([bytes([b]) for b in request(HEADERS_MAX, 90)], 400))

    def one(case):
      with self.server.connect() as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
          for i, piece in enumerate(case[0]):
            if 0 < i < 4:
              time.sleep(0.05)
            connection.sendall(piece)
        except (ConnectionResetError, BrokenPipeError):
          pass
        status, _, body, _ = read_reply(connection)
        return status, json.loads(body)["error"]
    with ThreadPoolExecutor(8) as pool:
      for (pieces, status), got in zip(cases, pool.map(one, cases)):
        want = "query: it is missing" if status == 400 else f"headers: at most {HEADERS_MAX} bytes are allowed"
        self.assertEqual(got, (status, want), [len(piece) for piece in pieces[:4]])
    self.alive()

  def test_pipelined_headers_have_it_too(self):
    good = request_bytes("/v1/rerank", BODY)
    bad = START + b"".join(b"X-%d: %s\r\n" % (i, b"a" * 90) for i in range(150)) + b"\r\n"
    with self.server.connect() as connection:
      connection.sendall(good + good + bad)
      rest = b""
      for status in (200, 200, 431):
        got, _, _, rest = read_reply(connection, rest)
        self.assertEqual(got, status)

  def test_slow_clients_are_let_go_with_a_line(self):
    """Nobody reads an answer by then; the log says what is known."""
    cases = (("slow-head", START + named("slow-head") + b"X-More:", "headers: not there within 1 s", {"method": "POST", "path": "/v1/rerank"}),
             ("slow-body", START + named("slow-body") + b"Content-Length: 100\r\n\r\n{", "body: not there within 1 s",
              {"method": "POST", "path": "/v1/rerank"}),
             ("slow-chunk", START + named("slow-chunk") + CHUNKED + b"\r\n5\r\n{", "body: not there within 1 s", {"method": "POST"}))
    series = 'podium_requests_total{model="",outcome="Timeout",route="rerank"}'
    before = metrics(self.server)[series]
    start = time.monotonic()
    connections = [self.server.connect() for _ in cases]
    for connection, (_, data, _, _) in zip(connections, cases):
      connection.sendall(data)
    drip = self.server.connect()  # a byte now and then gains no time
    drip.sendall(b"POST /v1/rera")
    for byte in b"nk HT":
      time.sleep(0.1)
      drip.sendall(bytes([byte]))
    for connection in (*connections, drip):
      self.assertEqual(read_all(connection), b"")
      connection.close()
    self.assertLess(time.monotonic() - start, 30)
    for name, _, reason, known in cases:
      lines = until(lambda: self.lines(f'"{name}"'))
      self.assertEqual(len(lines), 1)
      want = {"status": 408, "outcome": "Timeout", "reason": reason, "client": "127.0.0.1", "traceparent": TRACE, **known}
      self.assertEqual({key: lines[0].get(key) for key in want}, want)
    nameless = until(lambda: [line for line in self.lines('"Timeout"') if "path" not in line])
    self.assertEqual([line["reason"] for line in nameless], ["headers: not there within 1 s"])
    self.assertEqual(metrics(self.server)[series], before + 3)
    self.alive()

  def test_who_leaves_in_the_middle_is_logged(self):
    with self.server.connect() as connection:
      connection.sendall(START + named("left") + b"Content-Length: 100\r\n\r\n{")
      time.sleep(0.1)
    lines = until(lambda: self.lines('"left"'))
    self.assertEqual((len(lines), lines[0]["status"], lines[0]["outcome"]), (1, 499, "ClientLeft"))
    self.assertIn("body: cut off", lines[0]["reason"])

  def test_a_connection_without_a_request_is_no_request(self):
    before = len(self.lines('"event"'))
    self.server.connect().close()
    with self.server.connect() as connection:
      connection.sendall(request_bytes("/v1/rerank", BODY, extra="X-Request-Id: only\r\n"))
      self.assertEqual(read_reply(connection)[0], 200)
    until(lambda: self.lines('"only"'))
    time.sleep(0.2)
    self.assertEqual(len(self.lines('"event"')), before + 1)


class Asked(Case):
  @classmethod
  def setUpClass(cls):
    cls.server = Server("--served-model-name", "mini,org/mini", "--timeout-ms", 30_000)

  @classmethod
  def tearDownClass(cls):
    cls.server.__exit__()

  def raw(self, target, body=BODY, extra=""):
    with self.server.connect() as connection:
      connection.sendall(request_bytes(target, body, extra=extra))
      status, _, reply, _ = read_reply(connection)
      return status, json.loads(reply)

  def test_targets(self):
    for target in ("http://host/rerank", "HTTP://HOST:1234//v1/rerank", "https://other.example/v2/rerank?a=b", "/%72erank", "/v1/%72%65rank",
                   "/rerank?shape=ranked%5Fdocuments", "http://host/rerank?shape=full"):
      status, reply = self.raw(target)
      self.assertEqual((status, "ranked_documents" in reply), (200, "ranked%5F" in target), target)
    for target in ("/v1%2Frerank", "/%2Frerank", "/rerank%3Fshape=full", "http://host", "ftp://host/rerank", "/%zz", "*"):
      status, reply = self.raw(target)
      self.assertEqual((status, reply["error_type"]), (404, "NotFound"), target)
    for name in ("mini", "org/mini", "org%2Fmini", "org%2fm%69ni"):
      self.assertEqual(self.server.ask("GET", f"/v1/models/{name}")[2]["id"], name.replace("%2F", "/").replace("%2f", "/").replace("%69", "i"))
    self.assertEqual(self.server.ask("GET", "/v1/models/%FF%00%0A")[0], 404)

  def test_shapes_that_are_none(self):
    for body, status in ((BODY, 400), ({"query": "q", "texts": ["a"]}, 422)):
      for shape, shown in (("bogus", "bogus"), ("Full", "Full"), ("%FF%00", "\ufffd\0"), ("a+b", "a b")):
        got, reply = self.raw(f"/rerank?shape={shape}", body)
        self.assertEqual((got, reply["error"]), (status, f'shape: got "{shown}", allowed: ranked_documents, full'))
    for shape in ("", "full"):
      self.assertEqual(self.raw(f"/v1/rerank?shape={shape}&x=y")[0], 200)
    for query in ("shape=full&shape=zz", "shape=full&shape=full", "shape&shape=full", "shape=ranked_documents&x=1&%73hape=full"):
      self.assertEqual(self.raw(f"/rerank?{query}")[0], 400, query)

  def test_time_limits_at_their_edges(self):
    for value in ("600000", "600001", "2147483647", "2147483648", "9223372036854775807", "9223372036854775808", "18446744073709551616", "9" * 100):
      self.assertEqual(self.raw("/v1/rerank", extra=f"X-Request-Timeout-Ms: {value}\r\n")[0], 200, value)
    for value in ("0", "-1", "-9223372036854775808", "1.5", "1e3", "soon", "+5"):
      for body, status in ((BODY, 400), ({"query": "q", "texts": ["a"]}, 422)):
        got, reply = self.raw("/rerank", body, extra=f"X-Request-Timeout-Ms: {value}\r\n")
        self.assertEqual((got, reply["error_type"]), (status, "Validation"))
        self.assertIn(f'X-Request-Timeout-Ms: got "{value}", expected whole milliseconds', reply["error"])
    # Nothing else runs: what is said is that the limit is too short.
    status, reply = self.raw("/v1/rerank", {"query": "q", "documents": [f"{i} " + "text " * 300 for i in range(100)]}, "X-Request-Timeout-Ms: 150\r\n")
    self.assertEqual((status, reply["error_type"]), (429, "Overloaded"))
    self.assertRegex(reply["error"], r"^the request's time limit is too short: it takes about \d+ ms also when nothing else runs, and has \d+(\.\d)? ms left$")


class Refused(Case):
  def test_connections_beyond_the_limit_are_logged(self):
    with Server("--connections-max", 1, "--log-format", "json") as server:
      with server.connect() as held:
        held.sendall(b"GET")
        until(lambda: False, 0.2)
        with server.connect() as one_more:
          status, head, body, _ = read_reply(one_more)
        reply = json.loads(body)
        self.assertEqual((status, reply["error_type"]), (503, "Overloaded"))
        self.assertIn("\r\nRetry-After: 1\r\n", head)
        self.assertIn(f"X-Request-Id: {reply['request_id']}", head)
        line = json.loads(until(lambda: next((line for line in server.log if reply["request_id"] in line), None)))
        self.assertEqual((line["status"], line["outcome"], line["reason"]), (503, "Overloaded", reply["error"]))

  def test_probes_that_say_no_have_their_id(self):
    with Server("--drain-delay-ms", 20_000) as server:
      server.process.terminate()
      self.assertTrue(until(lambda: server.ask("GET", "/health/ready")[0] == 503))
      status, headers, reply = server.ask("GET", "/health/ready", headers={"X-Request-Id": "probe"})
      self.assertEqual((status, headers["X-Request-Id"], reply["request_id"]), (503, "probe", "probe"))


if __name__ == "__main__":
  unittest.main()
