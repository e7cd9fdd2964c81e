"""Who may speak to the server, and how: TLS, other origins (CORS), the admin port."""

import json
import os
import signal
import socket
import ssl
import struct
import subprocess
import time
import unittest

from podium_process import Case
from server_process import BODY, Server, metrics, metrics_of, read_all, read_reply, request_bytes, until


def certificate(folder, name, kind=("ec", "-pkeyopt", "ec_paramgen_curve:P-256"), days=30):
  """Paths of a certificate for localhost, its own issuer, and its key."""
  files = str(folder / f"{name}.pem"), str(folder / f"{name}.key")
  subprocess.run(["openssl", "req", "-x509", "-nodes", "-newkey", *kind, "-keyout", files[1], "-out", files[0], "-days", str(days),
                  "-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"], check=True, capture_output=True)
  return files


def trusting(file, **settings):
  context = ssl.create_default_context(cafile=file)
  for name, value in settings.items():
    setattr(context, name, value)
  return context


class Tls(Case):
  def secure(self, server, file, **settings):
    """A connection after its handshake."""
    raw = server.connect(30)
    try:
      return trusting(file, **settings).wrap_socket(raw, server_hostname="127.0.0.1")
    except Exception:
      raw.close()
      raise

  def test_https(self):
    file, key = certificate(self.folder, "first")
    with Server("--tls-certificate-file", file, "--tls-key-file", key, "--handshake-seconds-max", 1, "--connections-max", 20,
                "--log-format", "json", "--log-level", "debug", "--header-seconds-max", 2) as server:
      good = trusting(file)
      post = lambda body, **more: server.ask("POST", "/v1/rerank", body, tls=good, **more)
      status, _, reply = post(BODY)
      self.assertEqual((status, len(reply["results"])), (200, 3))
      # Larger than TLS's records, both ways.
      large = {"query": "q", "documents": [c * 3000 for c in "xyz"] * 20, "return_documents": True}
      status, _, reply = post(large, headers={"X-Request-Timeout-Ms": "600000"})
      self.assertEqual(status, 200, reply)
      texts = {r["index"]: r["document"]["text"] for r in reply["results"]}
      self.assertEqual([texts[i] for i in range(60)], large["documents"])
      self.assertEqual(server.ask("POST", "/v1/rerank", BODY, tls=trusting(file, maximum_version=ssl.TLSVersion.TLSv1_2))[0], 200)
      old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
      old.check_hostname, old.verify_mode = False, ssl.CERT_NONE
      old.set_ciphers("DEFAULT@SECLEVEL=0")
      with self.subTest("TLS 1.1"), self.assertRaises((ssl.SSLError, OSError)):
        import warnings
        with warnings.catch_warnings():
          warnings.simplefilter("ignore", DeprecationWarning)
          old.minimum_version, old.maximum_version = ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1
        server.ask("GET", "/health", tls=old)
      for offered, chosen in ((["h2", "http/1.1"], "http/1.1"), (["h2"], None)):
        context = trusting(file)
        context.set_alpn_protocols(offered)
        with server.connect() as raw, context.wrap_socket(raw, server_hostname="localhost") as connection:
          self.assertEqual(connection.selected_alpn_protocol(), chosen)
      # One connection: keep-alive, pipelining, a proper end.
      with self.secure(server, file) as connection:
        connection.sendall(request_bytes("/v1/rerank", BODY) * 3)
        rest = b""
        for _ in range(3):
          status, _, body, rest = read_reply(connection, rest)
          self.assertEqual((status, len(json.loads(body)["results"])), (200, 3))
        connection.sendall(request_bytes("/v1/rerank", BODY, "Connection: close\r\n"))
        self.assertEqual(read_reply(connection)[0], 200)
        self.assertEqual(connection.recv(10), b"")  # close_notify: else this raises
      with self.secure(server, file) as connection:  # refused with its body unread
        connection.sendall(b"POST /v1/rerank HTTP/1.1\r\nHost: x\r\nContent-Length: 999999999\r\n\r\n" + b"x" * 100_000)
        self.assertEqual(read_reply(connection)[0], 413)
      self.hostile(server, file)
      self.leaving(server, file)
      self.reloading(server, file, key)
      self.assertEqual(server.stop(), 0)

  def hostile(self, server, file):
    failed = metrics_of(server.ask("GET", "/metrics", tls=trusting(file))[2])["podium_tls_handshake_failures_total"]
    status, headers, reply = server.ask("GET", "/health")  # plain HTTP
    self.assertEqual((status, headers["Connection"]), (400, "close"))
    self.assertIn("https", reply["error"])
    hello = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"
    for data in (b"", b"\x00" * 1000, b"SSH-2.0-x\r\n", b"\xff" * 70_000, hello, hello + b"\x00" * 600,
                 b"\x15\x03\x01\x00\x02\x02\x28", b"\x17\x03\x03\xff\xff" + b"a" * 70_000):
      with self.subTest(data[:10]), server.connect(30) as connection:
        try:
          connection.sendall(data)
          connection.shutdown(socket.SHUT_WR)
        except OSError:
          pass
        self.assertNotIn(b"HTTP/1.1 2", read_all(connection))
    # Handshakes that do not go on are ended, and until then they are connections like others.
    slow = [server.connect(30) for _ in range(20)]
    try:
      for i, connection in enumerate(slow):
        connection.sendall(hello[:i % len(hello)])
      time.sleep(0.2)
      with server.connect(30) as one_more:
        self.assertEqual(read_all(one_more), b"")
      start = time.monotonic()
      for connection in slow:
        self.assertEqual(read_all(connection), b"")
      self.assertLess(time.monotonic() - start, 20)
    finally:
      for connection in slow:
        connection.close()
    status, _, text = server.ask("GET", "/metrics", tls=trusting(file))
    self.assertEqual(status, 200)
    self.assertEqual(metrics_of(text)["podium_tls_handshake_failures_total"] - failed, 29)
    self.assertTrue(any("tls_handshake_failed" in line for line in server.log))
    with self.secure(server, file) as connection:  # the limits of HTTP hold inside
      connection.sendall(b"POST /v1/rerank HTTP/1.1\r\nHost:")
      self.assertEqual(connection.recv(100), b"")
    self.assertTrue(until(lambda: any("headers: not there within" in line for line in server.log)))
    with self.secure(server, file) as connection, server.connect() as other:  # garbage after the handshake
      os.dup2(connection.fileno(), other.fileno())
      other.sendall(b"\x17\x03\x03\x00\x20" + b"a" * 32)
      self.assertNotIn(b"HTTP", read_all(other))

  def leaving(self, server, file):
    body = {"query": "q", "documents": [f"{i} " + "text " * 400 for i in range(1000)]}
    for how in range(6):  # far more than ten seconds of work each
      connection = self.secure(server, file)
      connection.sendall(request_bytes("/v1/rerank", body))
      if how % 3 == 1:
        connection.setblocking(False)
        try:
          connection.unwrap()  # close_notify, and a moment later the end
        except ssl.SSLWantReadError:
          pass
        time.sleep(0.05)
      elif how % 3 == 2:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
      connection.close()
    start = time.monotonic()
    self.assertEqual(server.ask("POST", "/v1/rerank", BODY, tls=trusting(file))[0], 200)
    left = lambda: metrics_of(server.ask("GET", "/metrics", tls=trusting(file))[2])
    self.assertTrue(until(lambda: left()["podium_queue_requests"] == 0))
    self.assertLess(time.monotonic() - start, 20)

  def reloading(self, server, file, key):
    before = self.secure(server, file)
    def subject():
      der = ssl.get_server_certificate(("127.0.0.1", server.port))
      return subprocess.run(["openssl", "x509", "-noout", "-subject"], input=der.encode(), capture_output=True, check=True).stdout.decode()
    self.assertIn("first", subject())
    second = certificate(self.folder, "second")
    for bad in (b"", b"no certificate", (self.folder / "second.pem").read_bytes()):  # the last: of another key
      failures = sum("reload_failed" in line for line in server.log)
      self.file("first.pem", bad)
      server.process.send_signal(signal.SIGHUP)
      self.assertTrue(until(lambda: sum("reload_failed" in line for line in server.log) > failures))
      self.assertIn("first", subject())
    os.replace(second[1], key)
    server.process.send_signal(signal.SIGHUP)
    self.assertTrue(until(lambda: "second" in subject()))
    self.assertEqual(server.ask("GET", "/health", tls=trusting(file))[0], 200)
    with before:  # goes on with what it began with
      before.sendall(request_bytes("/v1/rerank", BODY))
      self.assertEqual(read_reply(before)[0], 200)

  def test_files_that_cannot_be(self):
    file, key = certificate(self.folder, "one")
    other, other_key = certificate(self.folder, "other")
    _, rsa_key = certificate(self.folder, "rsa", ("rsa:2048",))
    locked = str(self.folder / "locked.key")
    subprocess.run(["openssl", "ec", "-in", key, "-aes256", "-passout", "pass:x", "-out", locked], check=True, capture_output=True)
    empty, none = self.file("empty.pem", ""), str(self.folder / "none.pem")
    for certificate_file, key_file, says in ((file, other_key, [other_key, "not the key", file]), (file, rsa_key, [rsa_key, "not the key"]),
                                             (none, key, [none]), (file, none, [none]), (empty, key, [empty, "no certificate"]),
                                             (key, key, [key, "no certificate"]), (file, file, [file, "no private key"]),
                                             (file, empty, [empty, "no private key"]), (file, locked, [locked, "passphrase"]),
                                             (file, "", ["both or none"])):
      self.fails("serve", "--port", "0", *(["--tls-certificate-file", certificate_file] if certificate_file else []),
                 *(["--tls-key-file", key_file] if key_file else []), says=says)


class Cors(Case):
  ORIGIN = "https://app.example"

  def preflight(self, server, path, method, origin=ORIGIN):
    return server.ask("OPTIONS", path, headers={"Origin": origin, "Access-Control-Request-Method": method,
                                                "Access-Control-Request-Headers": "authorization,content-type"})

  def test_pages_of_listed_origins(self):
    keys = self.file("keys", "the-key\n")
    with Server("--cors-origins", self.ORIGIN + ",http://localhost:3000", "--api-keys-file", keys, "--body-bytes-max", 2000) as server:
      for path, method in (("/v1/rerank", "POST"), ("/predict", "POST"), ("/tokenize", "POST"), ("/info", "GET"), ("/v1/models", "GET"),
                           ("/v1/models/any", "GET"), ("/health", "GET"), ("/metrics", "GET")):
        status, headers, _ = self.preflight(server, path, method)
        self.assertEqual((status, headers["Access-Control-Allow-Origin"]), (204, self.ORIGIN), path)
        self.assertIn(method, headers["Access-Control-Allow-Methods"])
        self.assertEqual(headers["Access-Control-Allow-Headers"], "authorization,content-type")
        self.assertIn("Origin", headers.get_all("Vary"))
      self.assertNotIn("Access-Control-Allow-Origin", self.preflight(server, "/v1/rerank", "POST", "https://evil.example")[1])
      self.assertEqual(self.preflight(server, "/none", "POST")[0], 404)
      key, page = {"Authorization": "Bearer the-key"}, {"Origin": self.ORIGIN}
      for want, path, body, given in ((200, "/v1/rerank", BODY, {**key, **page}), (400, "/v1/rerank", {"query": "q"}, {**key, **page}),
                                      (401, "/v1/rerank", BODY, page), (404, "/none", BODY, page),
                                      (413, "/v1/rerank", {"query": "x" * 3000}, {**key, **page})):
        status, headers, _ = server.ask("POST", path, body, given)
        self.assertEqual((status, headers["Access-Control-Allow-Origin"], headers["Vary"]), (want, self.ORIGIN, "Origin"))
        self.assertIn("X-Request-Id", headers["Access-Control-Expose-Headers"])
      status, headers, _ = server.ask("POST", "/v1/rerank", BODY, {**key, "Origin": "https://evil.example"})
      self.assertEqual((status, headers["Vary"]), (200, "Origin"))
      self.assertNotIn("Access-Control-Allow-Origin", headers)

  def test_any_and_none(self):
    with Server("--cors-origins", "*") as server:
      self.assertEqual(self.preflight(server, "/v1/rerank", "POST")[1]["Access-Control-Allow-Origin"], "*")
      self.assertEqual(server.post("/v1/rerank", BODY, Origin="null")[1]["Access-Control-Allow-Origin"], "*")
      self.assertEqual(server.ask("OPTIONS", "/v1/rerank")[0], 405)  # not a browser's question
    self.fails("serve", "--cors-origins", "app.example", says=["cors-origins", "app.example", "https://"])


class AdminPort(Case):
  def test_metrics_are_there_only(self):
    with Server("--admin-port", 0, "--connections-max", 2) as server:
      admin = server.admin_port
      self.assertNotIn(admin, (None, server.port))
      for path in ("/health", "/health/live", "/health/ready", "/metrics"):
        self.assertEqual(server.ask("GET", path, port=admin)[0], 200, path)
      for path in ("/info", "/v1/models"):
        self.assertEqual(server.ask("GET", path, port=admin)[0], 404, path)
      self.assertEqual(server.ask("POST", "/v1/rerank", BODY, port=admin)[0], 404)
      self.assertEqual(server.ask("GET", "/metrics")[0], 404)
      self.assertEqual(server.ask("GET", "/health")[0], 200)
      self.assertEqual(server.post("/v1/rerank", BODY)[0], 200)
      # A port that is full does not hide how it is.
      self.assertTrue(until(lambda: metrics_of(server.ask("GET", "/metrics", port=admin)[2])["podium_http_connections"] == 1))
      held = [server.connect() for _ in range(2)]
      self.assertTrue(until(lambda: server.ask("GET", "/health")[0] == 503))
      self.assertEqual(metrics_of(server.ask("GET", "/metrics", port=admin)[2])["podium_http_connections"], 3)
      for connection in held:
        connection.close()

  def test_it_stays_until_the_end(self):
    with Server("--admin-port", 0, "--drain-ms-max", 60_000) as server, server.connect() as busy:
      busy.sendall(b"POST /v1/rerank HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
      self.assertTrue(until(lambda: metrics_of(server.ask("GET", "/metrics", port=server.admin_port)[2])["podium_http_body_bytes"] == 100))
      server.process.send_signal(signal.SIGTERM)
      def refused():
        try:
          server.connect().close()
        except ConnectionRefusedError:
          return True
        return False
      self.assertTrue(until(refused))
      self.assertEqual(server.ask("GET", "/health/ready", port=server.admin_port)[0], 503)
      self.assertEqual(server.ask("GET", "/metrics", port=server.admin_port)[0], 200)
      busy.close()
      self.assertEqual(server.process.wait(20), 0)


if __name__ == "__main__":
  unittest.main()
