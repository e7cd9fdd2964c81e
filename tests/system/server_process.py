"""A real `podium serve` on a free port, and HTTP as bytes."""

import atexit
import http.client
import json
import re
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import podium_process
from podium_process import PODIUM, SANITIZED, environment

QUERY = "what is a tomato"
DOCUMENTS = ["Trains run twice a day.", "A tomato is a berry.", "番茄是一种浆果。"]
BODY = {"query": QUERY, "documents": DOCUMENTS}


def first_layers(count, folder, out):
  """The model in `folder` without its later layers: a model too, which ranks the texts above as the whole one does."""
  out.mkdir()
  for file in folder.glob("*.json"):
    (out / file.name).write_bytes(file.read_bytes())
  config = json.loads((folder / "config.json").read_text())
  (out / "config.json").write_text(json.dumps({**config, "num_hidden_layers": count}))
  data = (folder / "model.safetensors").read_bytes()
  start = 8 + struct.unpack("<Q", data[:8])[0]
  tensors, pieces, size = {}, [], 0
  for name, tensor in json.loads(data[8:start]).items():
    layer = re.search(r"\.layer\.(\d+)\.", name)
    if name != "__metadata__" and not (layer and int(layer.group(1)) >= count):
      begin, end = tensor["data_offsets"]
      tensors[name] = {**tensor, "data_offsets": [size, size + end - begin]}
      pieces.append(data[start + begin:start + end])
      size += end - begin
  header = json.dumps(tensors).encode()
  header += b" " * (-len(header) % 8)
  (out / "model.safetensors").write_bytes(b"".join((struct.pack("<Q", len(header)), header, *pieces)))


if SANITIZED:  # a quarter of the arithmetic, which has tests of its own; the server is all there
  folder = tempfile.TemporaryDirectory()
  atexit.register(folder.cleanup)
  whole = podium_process.MODEL
  podium_process.MODEL = Path(folder.name) / whole.name
  first_layers(3, whole, podium_process.MODEL)


class Server:
  """Started and ready; ended by stop(), or killed when the test ends."""

  def __init__(self, *flags, env=None, follow=True):
    words = ["--port", "0", *map(str, flags)]
    if "--drain-delay-ms" not in words:
      words += ["--drain-delay-ms", "0"]
    self.process = subprocess.Popen([PODIUM, "serve", *words],
                                    stderr=subprocess.PIPE, stdout=subprocess.PIPE, env=env or environment(), text=True)
    self.log = []
    self.port = self.admin_port = None
    for line in self.process.stderr:
      self.log.append(line)
      match = re.search(r"on https?://[^ ]*:(\d+)$", line.strip())
      if match and "metrics and health" in line:
        self.admin_port = int(match.group(1))
      elif match:
        self.port = int(match.group(1))
        break
    if self.port is None:
      self.process.wait()
      self.process.stdout.close()
      self.process.stderr.close()
      raise RuntimeError("no server: " + "".join(self.log))
    self.reader = threading.Thread(target=lambda: self.log.extend(self.process.stderr), daemon=True)
    if follow:  # else nobody reads the log
      self.reader.start()

  def __enter__(self):
    return self

  def __exit__(self, *_):
    if self.process.poll() is None:
      self.process.kill()
    self.process.wait()
    if self.reader.ident:
      self.reader.join()
    self.process.stdout.close()
    self.process.stderr.close()

  def stop(self, how=signal.SIGTERM, timeout=60):
    """Its exit code."""
    self.process.send_signal(how)
    return self.process.wait(timeout)

  def connect(self, timeout=60):
    return socket.create_connection(("127.0.0.1", self.port), timeout=timeout)

  def ask(self, method, path, body=None, headers=None, timeout=120, port=None, tls=None):
    """(status, headers, parsed JSON or text); through TLS with the ssl.SSLContext `tls`."""
    where = ("127.0.0.1", port or self.port)
    connection = http.client.HTTPSConnection(*where, timeout=timeout, context=tls) if tls else \
        http.client.HTTPConnection(*where, timeout=timeout)
    try:
      data = body if body is None or isinstance(body, (bytes, str)) else json.dumps(body)
      connection.request(method, path, data.encode() if isinstance(data, str) else data, headers or {})
      reply = connection.getresponse()
      text = reply.read().decode()
      kind = reply.getheader("Content-Type") or ""
      return reply.status, reply.headers, json.loads(text) if "json" in kind and text else text
    finally:
      connection.close()

  def post(self, path, body, **headers):
    return self.ask("POST", path, body, {"Content-Type": "application/json", **headers})


def request_bytes(path, body, extra="", version="1.1"):
  data = body if isinstance(body, bytes) else json.dumps(body).encode()
  return (f"POST {path} HTTP/{version}\r\nHost: x\r\nContent-Length: {len(data)}\r\n{extra}\r\n").encode() + data


def read_all(connection):
  """Until the server closes."""
  data = b""
  while True:
    try:
      piece = connection.recv(65536)
    except ConnectionResetError:
      return data
    if not piece:
      return data
    data += piece


def read_reply(connection, data=b""):
  """(status, headers as text, body, what came behind it) of the next final reply."""
  while True:
    while b"\r\n\r\n" not in data:
      piece = connection.recv(65536)
      if not piece:
        raise EOFError(data)
      data += piece
    head, data = data.split(b"\r\n\r\n", 1)
    status = int(head.split()[1])
    if status >= 200:
      break
  match = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
  length = int(match.group(1)) if match else 0
  while len(data) < length:
    piece = connection.recv(65536)
    if not piece:
      raise EOFError(data)
    data += piece
  return status, head.decode(), data[:length], data[length:]


def until(condition, seconds=30):
  """Waits for a condition; what it gave last."""
  end = time.monotonic() + seconds
  while not (result := condition()) and time.monotonic() < end:
    time.sleep(0.01)
  return result


def metrics(server):
  """{series: value} of the server's metrics."""
  _, headers, text = server.ask("GET", "/metrics")
  assert headers["Content-Type"].startswith("text/plain; version=0.0.4"), headers
  return metrics_of(text)


def metrics_of(text):
  return {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1]) for line in text.splitlines() if line and line[0] != "#"}
