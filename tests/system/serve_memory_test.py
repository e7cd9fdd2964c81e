"""The most memory that the server prints at its start is not passed, whatever is sent."""

import http.client
import re
import threading
import unittest
from pathlib import Path

from podium_process import SANITIZED
from server_process import Server

MIB = 1 << 20
BODY = 8 * MIB


def filled(head, piece, tail):
  """A body of as many pieces as fit."""
  return head + piece * ((BODY - len(head) - len(tail)) // len(piece)) + tail


BODIES = {
    "numbers": filled(b"[", b"1,", b"1]"),
    "strings": filled(b'{"query":"a","documents":[', b'"",', b'""]}'),
    "arrays": filled(b'{"query":"a","documents":[', b"[],", b"[]]}"),
    "members": filled(b'{"query":"a","texts":["a"],"x":{', b'"":1,', b'"":1}}'),
    "one document": filled(b'{"query":"a","documents":["', b"x y ", b'"]}'),
    "escapes": filled(b'{"query":"a","documents":["', b"\\u00e9 ", b'"]}'),
}


def peak_mib(server):
  return int(re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{server.process.pid}/status").read_text()).group(1)) / 1024


@unittest.skipIf(SANITIZED, "a sanitizer's own memory is not the server's")
class Memory(unittest.TestCase):

  def test_bodies_stay_within_what_is_printed(self):
    for threads, inside in ((1, 16 * MIB), (2, 64 * MIB)):
      with self.subTest(threads=threads), Server("--body-bytes-max", BODY, "--body-bytes-inside-max", inside, "--text-threads", threads,
                                                 "--token-cache-bytes", 0, "--connections-max", 16) as server:
        printed = int(re.search(r"at most (\d+) MB of memory", "".join(server.log)).group(1))
        for name, body in BODIES.items():
          statuses = []

          def ask():
            try:
              statuses.append(server.post("/rerank", body)[0])
            except (OSError, http.client.HTTPException):
              statuses.append("cut")  # refused before all of it was sent

          clients = [threading.Thread(target=ask) for _ in range(8)]
          for client in clients:
            client.start()
          for client in clients:
            client.join()
          self.assertEqual(len(statuses), 8)
          self.assertTrue(set(statuses) - {"cut"}, name)
          self.assertLess(peak_mib(server), printed, name)
        self.assertEqual(server.post("/rerank", {"query": "a", "documents": ["b"]})[0], 200)


if __name__ == "__main__":
  unittest.main()
