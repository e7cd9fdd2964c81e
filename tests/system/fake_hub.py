"""A small imitation of the hub: its API, /resolve with the hub's headers, and a CDN on another port. With faults."""

import hashlib
import json
import socket
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

COMMIT = "953dc6f6f85a1b2dbfca4c34a2796e7dde08d41e"


def git_sha1(content):
  return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def digest(name, content):
  """As the hub has it: large files in LFS by SHA-256, the others in git."""
  return hashlib.sha256(content).hexdigest() if is_lfs(name) else git_sha1(content)


def is_lfs(name):
  return name.endswith((".safetensors", ".bin", ".onnx"))


class Reply:
  """What a fault sends instead of the right answer."""

  def __init__(self, status=200, headers=None, body=b"", cut=None, stall_after=None):
    self.status, self.headers, self.body = status, headers or {}, body
    self.cut = cut  # close the connection after so many bytes of the body
    self.stall_after = stall_after  # and say nothing more after so many


class Handler(BaseHTTPRequestHandler):
  protocol_version = "HTTP/1.1"

  def log_message(self, *_):
    pass

  def do_HEAD(self):
    self.answer(False)

  def do_GET(self):
    self.answer(True)

  def answer(self, with_body):
    hub = self.server.hub
    path = urllib.parse.urlsplit(self.path).path
    request = {"door": self.server.door, "method": self.command, "path": path, "url": self.path,
               "headers": {k.lower(): v for k, v in self.headers.items()}}
    with hub.lock:
      hub.requests.append(request)
      fault = hub.take_fault(request)
    reply = fault(request) if fault else None
    reply = reply or hub.reply(request)
    try:
      self.send(reply, with_body)
    except (BrokenPipeError, ConnectionResetError):
      self.close_connection = True

  def send(self, reply, with_body):
    self.send_response(reply.status)
    headers = {"Content-Length": str(len(reply.body)), **reply.headers}
    for name, value in headers.items():
      if value is not None:
        self.send_header(name, value)
    if headers["Content-Length"] is None:
      self.send_header("Connection", "close")
      self.close_connection = True
    self.end_headers()
    if not with_body:
      return
    if reply.cut is not None:
      self.wfile.write(reply.body[:reply.cut])
      self.wfile.flush()
      self.connection.shutdown(socket.SHUT_RDWR)
      self.close_connection = True
      return
    step = self.server.hub.step or max(1, len(reply.body))
    for at in range(0, len(reply.body), step):
      if reply.stall_after is not None and at >= reply.stall_after:
        self.server.hub.stop.wait(60)
        return
      self.wfile.write(reply.body[at:at + step])
      self.wfile.flush()
      if self.server.hub.pause:
        time.sleep(self.server.hub.pause)


class Server(ThreadingHTTPServer):
  daemon_threads = True

  def handle_error(self, *_):
    pass  # a client that was killed


class FakeHub:

  def __init__(self, tls=None):
    self.lock = threading.Lock()
    self.stop = threading.Event()
    self.requests, self.faults = [], []
    self.repositories = {}
    self.step, self.pause = None, 0  # bytes and seconds of one piece of a body
    self.servers = []
    for door in ("hub", "cdn"):
      server = Server(("127.0.0.1", 0), Handler)
      server.hub, server.door = self, door
      if tls:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
      threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
      self.servers.append(server)
    scheme = "https" if tls else "http"
    self.endpoint, self.cdn = (f"{scheme}://127.0.0.1:{server.server_address[1]}" for server in self.servers)

  def close(self):
    self.stop.set()
    for server in self.servers:
      server.shutdown()
      server.server_close()

  def add(self, name, files, commit=COMMIT, refs=("main",)):
    repository = self.repositories.setdefault(name, {"refs": {}, "commits": {}})
    repository["commits"][commit] = files
    for ref in (*refs, commit):
      repository["refs"][ref] = commit

  def fault(self, make, path="", method="GET", door=None, times=1):
    """The next `times` requests whose path has this in it get make(request) (None: the right answer)."""
    self.faults.append({"make": make, "path": path, "method": method, "door": door, "times": times})

  def take_fault(self, request):
    for fault in self.faults:
      if fault["times"] > 0 and fault["path"] in request["path"] and fault["method"] in ("", request["method"]) \
          and fault["door"] in (None, request["door"]):
        fault["times"] -= 1
        return fault["make"]
    return None

  def seen(self, path="", method="", door=None):
    with self.lock:
      return [r for r in self.requests if path in r["path"] and r["method"].startswith(method)
              and door in (None, r["door"])]

  def reply(self, request):
    parts = [urllib.parse.unquote(part) for part in request["path"].strip("/").split("/")]
    if request["door"] == "cdn":
      return self.content(self.blob(parts[-1]), request, {"ETag": '"0123456789abcdef"'})
    if parts[:2] == ["api", "models"] and "revision" in parts:
      at = parts.index("revision")
      return self.describe("/".join(parts[2:at]), parts[at + 1])
    if "resolve" in parts:
      at = parts.index("resolve")
      return self.resolve("/".join(parts[:at]), parts[at + 1], "/".join(parts[at + 2:]), request)
    return self.not_found("EntryNotFound")

  def not_found(self, code, status=404):
    return Reply(status, {"X-Error-Code": code, "X-Error-Message": "not found"})

  def find(self, name, revision):
    repository = self.repositories.get(name)
    if not repository:
      return None, self.not_found("RepoNotFound", 401)
    commit = repository["refs"].get(revision)
    if not commit:
      return None, self.not_found("RevisionNotFound")
    return (commit, repository["commits"][commit]), None

  def describe(self, name, revision):
    found, error = self.find(name, revision)
    if error:
      return error
    commit, files = found
    body = {"id": name, "modelId": name, "sha": commit, "private": False, "gated": False,
            "siblings": [{"rfilename": file} for file in sorted(files)]}
    return Reply(200, {"Content-Type": "application/json"}, json.dumps(body).encode())

  def resolve(self, name, revision, file, request):
    found, error = self.find(name, revision)
    if error:
      return error
    commit, files = found
    if file not in files:
      return self.not_found("EntryNotFound")
    content = files[file]
    headers = {"X-Repo-Commit": commit}
    if not is_lfs(file):
      return self.content(content, request, {**headers, "ETag": f'"{git_sha1(content)}"'})
    sha = digest(file, content)
    return Reply(302, {**headers, "X-Linked-Size": str(len(content)), "X-Linked-ETag": f'"{sha}"',
                       "Location": f"{self.cdn}/blobs/{sha}?signature=secret"})

  def blob(self, sha):
    for repository in self.repositories.values():
      for files in repository["commits"].values():
        for name, content in files.items():
          if digest(name, content) == sha:
            return content
    return b""

  def content(self, content, request, headers):
    wanted = request["headers"].get("range")
    if not wanted:
      return Reply(200, {"Accept-Ranges": "bytes", **headers}, content)
    start = int(wanted.removeprefix("bytes=").split("-")[0])
    if start >= len(content):
      return Reply(416, {"Content-Range": f"bytes */{len(content)}", **headers})
    return Reply(206, {"Content-Range": f"bytes {start}-{len(content) - 1}/{len(content)}", **headers}, content[start:])
