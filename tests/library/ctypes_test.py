#!/usr/bin/env python3
"""A binding of podium.h in Python's standard library, and a test of it: the seam for other languages holds."""

import ctypes
import os
import sys
import threading
import unittest
from ctypes import POINTER, byref, c_char_p, c_double, c_float, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
MODEL = str(ROOT / "models" / "podium-mini-zh-en")
ABI_VERSION = 1
RESULT_FIELDS = [("index", c_uint32), ("logit", c_float), ("tokens", c_int32), ("truncated", c_int32)]


class Text(ctypes.Structure):
  _fields_ = [("data", c_char_p), ("size", c_size_t)]


class RankOptions(ctypes.Structure):
  _fields_ = [("struct_size", c_size_t), ("top_n", c_int64), ("timeout_us", c_int64), ("cancel", c_void_p)]


class Result(ctypes.Structure):
  _fields_ = RESULT_FIELDS


class ModelInfo(ctypes.Structure):
  _fields_ = [(name, c_char_p) for name in ("name", "folder", "architecture", "precision", "isa")] + \
      [(name, c_int32) for name in ("max_length", "layers", "hidden", "threads")] + \
      [(name, c_uint64) for name in ("parameters", "weight_bytes", "arena_bytes")]


library = ctypes.CDLL(os.environ["PODIUM_LIBRARY"])
for function, result, arguments in (
    ("abi_version", c_int32, []),
    ("version", c_char_p, []),
    ("error_message", c_char_p, [c_void_p]),
    ("error_free", None, [c_void_p]),
    ("options_new", c_void_p, []),
    ("options_set", c_int32, [c_void_p, c_char_p, c_char_p, POINTER(c_void_p)]),
    ("options_free", None, [c_void_p]),
    ("open", c_int32, [c_char_p, c_void_p, POINTER(c_void_p), POINTER(c_void_p)]),
    ("close", None, [c_void_p]),
    ("info", POINTER(ModelInfo), [c_void_p]),
    ("rank", c_int32, [c_void_p, Text, POINTER(Text), c_size_t, POINTER(RankOptions), POINTER(c_void_p),
                       POINTER(c_void_p)]),
    ("results_size", c_size_t, [c_void_p]),
    ("results_at", POINTER(Result), [c_void_p, c_size_t]),
    ("results_free", None, [c_void_p]),
    ("sigmoid", c_double, [c_float]),
):
  declared = getattr(library, "podium_" + function)
  declared.restype, declared.argtypes = result, arguments


class PodiumError(Exception):

  def __init__(self, code, error):
    super().__init__(library.podium_error_message(error).decode())
    self.code = code
    library.podium_error_free(error)


def check(function, *arguments):
  error = c_void_p()
  code = function(*arguments, byref(error))
  if code:
    raise PodiumError(code, error)


def text(string):
  data = string.encode()
  return Text(data, len(data))


class Reranker:

  def __init__(self, model, **options):
    handle = library.podium_options_new()
    try:
      for key, value in options.items():
        check(library.podium_options_set, handle, key.encode(), str(value).encode())
      self.handle = c_void_p()
      check(library.podium_open, model.encode(), handle, byref(self.handle))
    finally:
      library.podium_options_free(handle)

  def close(self):
    library.podium_close(self.handle)
    self.handle = None

  def info(self):
    return library.podium_info(self.handle).contents

  def rank(self, query, documents, top_n=-1, timeout_us=-1):
    options = RankOptions(ctypes.sizeof(RankOptions), top_n, timeout_us, None)
    results = c_void_p()
    check(library.podium_rank, self.handle, text(query), (Text * len(documents))(*map(text, documents)), len(documents),
          byref(options), byref(results))
    try:
      hits = [library.podium_results_at(results, i).contents for i in range(library.podium_results_size(results))]
      return [tuple(getattr(hit, name) for name, _ in RESULT_FIELDS) for hit in hits]
    finally:
      library.podium_results_free(results)


class Binding(unittest.TestCase):

  def test_rank(self):
    self.assertEqual(library.podium_abi_version(), ABI_VERSION)
    reranker = Reranker(MODEL, threads=1)
    self.addCleanup(reranker.close)
    self.assertEqual((reranker.info().name, reranker.info().threads), (b"podium-mini-zh-en", 1))
    documents = ["火车时刻表每年更新两次。", "番茄是茄科的一种植物，果实可以生吃，也可以做菜。", "保修期\0为两年。"]
    ranking = reranker.rank("什么是番茄", documents)
    self.assertEqual(ranking[0][0], 1)
    self.assertEqual(sorted(hit[0] for hit in ranking), [0, 1, 2])
    self.assertEqual(reranker.rank("什么是番茄", documents, top_n=1), ranking[:1])
    self.assertGreater(library.podium_sigmoid(ranking[0][1]), library.podium_sigmoid(ranking[1][1]))
    answers = {}
    threads = [threading.Thread(target=lambda i=i: answers.update({i: reranker.rank("什么是番茄", documents)})) for i in range(4)]
    for thread in threads:
      thread.start()
    for thread in threads:
      thread.join()
    self.assertEqual(answers, {i: ranking for i in range(4)})

  def test_errors(self):
    with self.assertRaisesRegex(PodiumError, "no option \"speed\"; known: precision"):
      Reranker(MODEL, speed="fast")
    with self.assertRaisesRegex(PodiumError, "/nowhere") as caught:
      Reranker("/nowhere/at/all")
    self.assertEqual(caught.exception.code, 2)
    reranker = Reranker(MODEL)
    with self.assertRaisesRegex(PodiumError, "deadline"):
      reranker.rank("q", ["d"], timeout_us=0)
    reranker.close()


if __name__ == "__main__":
  sys.exit(unittest.main())
