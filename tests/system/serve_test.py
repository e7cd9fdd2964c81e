"""The server as clients see it: dialects, odd HTTP, limits, leaving, stopping."""

import gzip
import http.client
import json
import os
import resource
import signal
import socket
import struct
import subprocess
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import podium_process
from podium_process import PODIUM, ROOT, SANITIZED, Case, environment
from server_process import BODY, DOCUMENTS, QUERY, Server, metrics, read_all, read_reply, request_bytes, until

EXCHANGE = {"@RD": '[{"index":0,"relevance_score":0.5,"document":{"text":"Ana baked the loaf."}},'
                   '{"index":1,"relevance_score":0.5,"document":{"text":"Rain fell."}}]',
            "@R": '[{"index":0,"relevance_score":0.5},{"index":1,"relevance_score":0.5}]',
            "@Q": '"who baked it"', "@D": '["Ana baked the loaf.","Rain fell."]'}


def exchanges():
  """(client, path, request, what the reply must hold)."""
  for name in sorted((ROOT / "tests" / "exchanges").glob("*.txt")):
    for block in name.read_text().split("\n\n"):
      lines = [line for line in block.split("\n") if line and not line.startswith("#")]
      if lines:
        for short, text in EXCHANGE.items():
          lines = [line.replace(short, text) for line in lines]
        yield lines[0][8:], lines[1][5:], lines[2], json.loads(lines[3][4:])


def missing(wanted, got, where="reply"):
  """Where `got` lacks something of `wanted`; scores count by their type."""
  if isinstance(wanted, dict):
    for key, value in wanted.items():
      if not isinstance(got, dict) or key not in got:
        return f"{where}.{key}"
      if wrong := (got[key] != value and f"{where}.{key}" if key == "index" else missing(value, got[key], f"{where}.{key}")):
        return wrong
  elif isinstance(wanted, list):
    if not isinstance(got, list) or len(got) != len(wanted):
      return where
    for i, value in enumerate(wanted):
      if wrong := missing(value, got[i], f"{where}[{i}]"):
        return wrong
  elif isinstance(wanted, float):
    return "" if isinstance(got, float) and 0 <= got <= 1 else where
  elif isinstance(wanted, int):
    return "" if isinstance(got, int) and got >= (1 if "total_tokens" in where else 0) else where
  else:
    return "" if got == wanted else where
  return ""


class Serve(Case):
  @classmethod
  def setUpClass(cls):
    cls.server = Server("--body-bytes-max", 200_000, "--documents-max", 100, "--header-seconds-max", 1,
                        "--body-seconds-max", 1, "--header-bytes-max", 8192)

  @classmethod
  def tearDownClass(cls):
    cls.server.__exit__()

  def alive(self):
    status, _, reply = self.server.post("/v1/rerank", BODY)
    self.assertEqual(status, 200)
    self.assertEqual([r["index"] for r in reply["results"]][2], 0)

  def test_every_clients_exchange(self):
    count = 0
    for client, path, request, wanted in exchanges():
      with self.subTest(client):
        status, headers, got = self.server.post(path, request)
        self.assertEqual(status, 200, got)
        self.assertEqual(missing(wanted, got), "", got)
        self.assertEqual(headers["Content-Type"], "application/json")
      count += 1
    self.assertGreater(count, 60)

  def test_scores_are_those_of_the_command_line(self):
    out, _ = self.podium("rank", "-q", QUERY, "--format", "json", *DOCUMENTS)
    want = {r["index"]: r["score"] for r in json.loads(out)["results"]}
    _, _, got = self.server.post("/v1/rerank", BODY)
    for result in got["results"]:
      self.assertAlmostEqual(result["relevance_score"], want[result["index"]], delta=1e-7)
    _, _, raw = self.server.post("/rerank", {"query": QUERY, "texts": DOCUMENTS, "raw_scores": True})
    self.assertEqual([r["index"] for r in raw], [r["index"] for r in got["results"]])

  def test_shapes(self):
    _, _, bare = self.server.post("/rerank", BODY)
    self.assertEqual(bare["count"], 3)
    self.assertGreater(bare["latency_ms"], 0)
    self.assertEqual(bare["results"][0]["score"], bare["results"][0]["relevance_score"])
    _, _, ranked = self.server.post("/rerank?shape=ranked_documents", {**BODY, "top_k": 2})
    self.assertEqual(set(ranked), {"ranked_documents", "latency_ms", "count"})
    self.assertEqual(ranked["count"], 2)
    self.assertEqual(ranked["ranked_documents"][0]["text"], DOCUMENTS[bare["results"][0]["index"]])
    _, _, best = self.server.post("/v1/rerank", {**BODY, "min_score": bare["results"][1]["score"]})
    self.assertEqual(len(best["results"]), 2)

  def test_paths(self):
    for path in ("//rerank", "/v1//rerank/", "/v2/rerank", "/v1/v1/rerank", "/v1/v2/rerank", "/reranking"):
      self.assertEqual(self.server.post(path, BODY)[0], 200, path)
    status, _, reply = self.server.post("/v3/none", BODY)
    self.assertEqual((status, reply["error_type"]), (404, "NotFound"))
    self.assertEqual(self.server.ask("GET", "/v1/cluster/auth")[0], 404)
    status, headers, _ = self.server.ask("GET", "/v1/rerank")
    self.assertEqual((status, headers["Allow"]), (405, "POST"))
    self.assertEqual(self.server.ask("GET", "/.well-known/ready")[0], 204)
    self.assertEqual(self.server.ask("GET", "/meta")[2], {})
    for path in ("/health", "/health/live", "/health/ready"):
      self.assertEqual(self.server.ask("GET", path)[2], {"status": "ok"})

  def test_errors_are_json_with_every_field(self):
    for path, body, want in (("/v1/rerank", b"{", 400), ("/v1/rerank", {"query": "q"}, 400), ("/rerank", {"texts": ["a"]}, 422),
                             ("/rerank", {"query": "q", "texts": []}, 400),
                             ("/v1/rerank", {"query": "q", "documents": ["a"] * 101}, 400),
                             ("/v1/rerank", b'{"query":"\xff","documents":["a"]}', 400),
                             ("/v1/rerank", b'{"query":"\\ud800","documents":["a"]}', 400),
                             ("/v1/rerank", b"[" * 50_000 + b"]" * 50_000, 400),
                             ("/v1/rerank", b'{"query":"a\x00b","documents":["a"]}', 400)):
      status, headers, reply = self.server.ask("POST", path, body, {"X-Request-Id": "abc"})
      self.assertEqual(status, want, reply)
      self.assertEqual(reply["error"], reply["message"])
      self.assertEqual("detail" in reply, want != 422)
      self.assertEqual((reply["request_id"], headers["X-Request-Id"]), ("abc", "abc"))
    self.alive()

  def test_too_long_with_truncation_off(self):
    text = "word " * 2000
    status, _, reply = self.server.post("/rerank", {"query": "q", "texts": [text], "truncate": False})
    self.assertEqual(status, 422)
    self.assertRegex(reply["error"], r"\d{4} tokens, at most \d+")
    self.assertEqual(self.server.post("/rerank", {"query": "q", "texts": [text]})[0], 200)

  def test_chunked_and_expect(self):
    data = json.dumps(BODY).encode()
    with self.server.connect() as connection:
      connection.sendall(b"POST /v1/rerank HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
      for i in range(0, len(data), 7):
        connection.sendall(b"%x\r\n%s\r\n" % (len(data[i:i + 7]), data[i:i + 7]))
      connection.sendall(b"0\r\n\r\n")
      self.assertEqual(read_reply(connection)[0], 200)
      connection.sendall(f"POST /v1/rerank HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: {len(data)}\r\n\r\n".encode())
      interim = connection.recv(1000)
      self.assertTrue(interim.startswith(b"HTTP/1.1 100"), interim)
      connection.sendall(data)
      self.assertEqual(read_reply(connection)[0], 200)
      # What is refused anyway is refused before its body is sent.
      connection.sendall(b"POST /none HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 100\r\n\r\n")
      self.assertEqual(read_reply(connection)[0], 404)

  def test_pipelined_requests_are_answered_in_order(self):
    with self.server.connect() as connection:
      wanted = [3, 1, 2, 3, 1]
      connection.sendall(b"".join(request_bytes("/v1/rerank", {"query": "q", "documents": DOCUMENTS[:n]}) for n in wanted))
      rest = b""
      got = []
      for _ in wanted:
        status, _, body, rest = read_reply(connection, rest)
        self.assertEqual(status, 200)
        got.append(len(json.loads(body)["results"]))
      self.assertEqual(got, wanted)

  def test_a_client_that_has_no_more_to_say_is_answered(self):
    with self.server.connect() as connection:
      connection.sendall(request_bytes("/v1/rerank", {"query": "q", "documents": ["text " * 200] * 90}))
      connection.shutdown(socket.SHUT_WR)
      status, _, body, _ = read_reply(connection)
      self.assertEqual((status, len(json.loads(body)["results"])), (200, 90))

  def test_old_http(self):
    with self.server.connect() as connection:
      connection.sendall(request_bytes("/v1/rerank", BODY, version="1.0"))
      data = read_all(connection)
      self.assertIn(b" 200 ", data.split(b"\r\n")[0])

  def test_time_limit_of_a_request(self):
    for bad in ("0", "-5", "soon", "1.5"):
      self.assertEqual(self.server.post("/v1/rerank", BODY, **{"X-Request-Timeout-Ms": bad})[0], 400)
    status, headers, reply = self.server.post("/v1/rerank", {"query": "q", "documents": ["text " * 300] * 100},
                                              **{"X-Request-Timeout-Ms": "1"})
    self.assertEqual((status, reply["error_type"]), (429, "Overloaded"))
    self.assertTrue(1 <= int(headers["Retry-After"]) <= 60)
    self.assertGreaterEqual(int(headers["retry-after-ms"]), 1000)
    self.assertEqual(self.server.post("/v1/rerank", BODY, **{"X-Request-Timeout-Ms": "30000"})[0], 200)

  def test_many_at_once(self):
    def one(i):
      documents = [f"document {i} {j} tomato" for j in range(1 + i % 20)]
      status, _, reply = self.server.post("/v1/rerank", {"query": QUERY, "documents": documents})
      return status == 200 and sorted(r["index"] for r in reply["results"]) == list(range(len(documents)))
    with ThreadPoolExecutor(32) as pool:
      self.assertTrue(all(pool.map(one, range(200))))


class Routes(Case):
  @classmethod
  def setUpClass(cls):
    cls.server = Server("--log-format", "json", "--served-model-name", "mini,*")

  @classmethod
  def tearDownClass(cls):
    cls.server.__exit__()

  def logged(self, request_id):
    return until(lambda: next((json.loads(line) for line in self.server.log if f'"{request_id}"' in line), None))

  def test_probes(self):
    _, _, info = self.server.ask("GET", "/info")
    self.assertEqual(list(info["model_type"]), ["reranker"])
    self.assertEqual((info["max_input_length"], info["max_client_batch_size"]), (512, 1000))
    self.assertIn(info["isa"], info.values())
    status, headers, _ = self.server.ask("OPTIONS", "/info", headers={"Origin": "https://a.example", "Access-Control-Request-Method": "GET"})
    self.assertEqual((status, headers["Access-Control-Allow-Origin"]), (405, None))
    _, _, models = self.server.ask("GET", "/v1/models")
    self.assertEqual([m["id"] for m in models["data"]], ["mini"])
    self.assertEqual(self.server.ask("GET", "/v1/models/any")[2]["model_type"], "rerank")
    status, headers, body = self.server.ask("HEAD", "/info")
    self.assertEqual((status, body), (200, ""))
    self.assertGreater(int(headers["Content-Length"]), 100)

  def test_tokenize_equals_the_command_line(self):
    text = "Hello, 世界!"
    out, _ = self.podium("tokenize", text, "--format", "json")
    want = json.loads(out)
    _, _, whole = self.server.post("/tokenize", {"inputs": text})
    self.assertEqual([t["id"] for t in whole[0]], want["ids"])
    self.assertEqual([t["text"] for t in whole[0]], want["pieces"])
    _, _, bare = self.server.post("/tokenize", {"inputs": [text, ""], "add_special_tokens": False})
    self.assertEqual(bare, [[t for t in whole[0] if not t["special"]], []])
    self.assertEqual(self.server.post("/tokenize", {"inputs": ["a " * 500_000]})[0], 413)

  def test_predict_scores_as_rerank_does(self):
    _, _, rerank = self.server.post("/rerank", {"query": QUERY, "texts": DOCUMENTS})
    want = {r["index"]: r["score"] for r in rerank}
    _, _, predict = self.server.post("/predict", {"inputs": [[QUERY, d] for d in DOCUMENTS]})
    self.assertEqual([p[0]["score"] for p in predict], [want[i] for i in range(3)])
    _, _, one = self.server.post("/predict", {"inputs": [QUERY, DOCUMENTS[1]]})
    self.assertEqual(one[0]["score"], want[1])

  def test_gzip(self):
    body = gzip.compress(json.dumps(BODY).encode())
    for coding in ("gzip", "GZIP", "x-gzip"):
      self.assertEqual(self.server.ask("POST", "/v1/rerank", body, {"Content-Encoding": coding})[0], 200, coding)
    self.assertEqual(self.server.ask("POST", "/v1/rerank", body, {"Content-Encoding": "gzip, br"})[0], 415)
    self.assertEqual(self.server.ask("POST", "/v1/rerank", body[:-9], {"Content-Encoding": "gzip"})[0], 400)
    bomb = gzip.compress(b"[" + b" " * 100_000_000)
    self.assertEqual(self.server.ask("POST", "/v1/rerank", bomb, {"Content-Encoding": "gzip"})[0], 413)
    self.assertEqual(self.server.ask("POST", "/v1/rerank", body, {"Content-Encoding": "br"})[0], 415)

  def test_one_log_line_a_request_without_its_texts(self):
    trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    _, headers, _ = self.server.post("/v1/rerank", {"query": "secret words", "documents": DOCUMENTS},
                                     **{"X-Request-Id": "log-me-1", "traceparent": trace})
    self.assertEqual((headers["X-Request-Id"], headers["traceparent"]), ("log-me-1", trace))
    line = self.logged("log-me-1")
    self.assertEqual({k: line[k] for k in ("event", "status", "outcome", "documents", "path", "traceparent")},
                     {"event": "request", "status": 200, "outcome": "ok", "documents": 3, "path": "/v1/rerank", "traceparent": trace})
    self.assertGreater(line["total_ms"], line["compute_ms"])
    self.assertEqual(sum("log-me-1" in text for text in self.server.log), 1)
    self.assertNotIn("secret", "".join(self.server.log))
    self.assertNotIn("tomato", "".join(self.server.log))
    # Ids that cannot be trusted are replaced.
    _, headers, _ = self.server.post("/v1/rerank", BODY, **{"X-Request-Id": "a b" * 100})
    self.assertRegex(headers["X-Request-Id"], "^[0-9a-f]{16}$")

  def test_metrics_add_up(self):
    before = metrics(self.server)
    self.server.post("/v1/rerank", {"query": "q", "documents": [f"d{i}" for i in range(10)]})
    self.server.post("/v1/rerank", {"query": "q", "documents": ["same"] * 4})
    self.server.post("/rerank", {"query": "q", "texts": 7})
    self.server.post("/nowhere/at/all", {})
    after = metrics(self.server)
    self.assertEqual(set(before), set(after))
    grown = {k: after[k] - before[k] for k in after}
    self.assertEqual(grown['podium_requests_total{model="mini",outcome="ok",route="rerank"}'], 2)
    self.assertEqual(grown['podium_requests_total{model="",outcome="Validation",route="rerank"}'], 1)
    self.assertEqual(grown['podium_requests_total{model="",outcome="NotFound",route="other"}'], 1)
    self.assertEqual(grown['podium_request_documents_total{model="mini"}'], 14)
    self.assertEqual(grown['podium_request_duplicate_documents_total{model="mini"}'], 3)
    self.assertEqual(grown['podium_batch_pairs_total{model="mini"}'], 11)
    self.assertEqual((after["podium_queue_requests"], after["podium_queue_cost_tokens"]), (0, 0))
    self.assertGreater(after['podium_compute_busy_seconds_total{model="mini"}'], 0)
    self.assertEqual(after["podium_http_body_bytes"], 0)


class Models(Case):
  @classmethod
  def setUpClass(cls):
    # The same files twice, as two models that score differently.
    folder = podium_process.MODEL
    models = f"[{{model: {folder}, names: [exact, alias]}}, {{model: {folder}, names: [quick, '*'], precision: int8, max-length: 128}}]"
    cls.server = Server("--log-format", "json", "--models", models)

  @classmethod
  def tearDownClass(cls):
    cls.server.__exit__()

  def scores(self, model, path="/v1/rerank"):
    status, headers, reply = self.server.post(path, {**BODY, "model": model}, **{"X-Request-Id": f"names-{model}"})
    self.assertEqual((status, reply["model"]), (200, model))
    return {r["index"]: r["relevance_score"] for r in reply["results"]}

  def test_names(self):
    exact = self.scores("exact")
    quick = self.scores("quick")
    self.assertNotEqual(exact, quick)
    self.assertEqual(self.scores("alias"), exact)
    self.assertEqual(self.scores("whatever/it-is"), quick)
    for i, score in exact.items():
      self.assertAlmostEqual(score, quick[i], delta=0.1)
    _, _, unnamed = self.server.post("/v1/rerank", BODY)
    self.assertEqual(unnamed["model"], "quick")
    self.assertEqual({r["index"]: r["relevance_score"] for r in unnamed["results"]}, quick)
    line = until(lambda: next((json.loads(line) for line in self.server.log if '"names-alias"' in line), None))
    self.assertEqual(line["model"], "exact")

  def test_what_lists_them(self):
    _, _, models = self.server.ask("GET", "/v1/models")
    self.assertEqual([m["id"] for m in models["data"]], ["exact", "alias", "quick"])
    self.assertEqual(self.server.ask("GET", "/v1/models/exact")[2]["max_tokens"], 512)
    self.assertEqual(self.server.ask("GET", "/v1/models/anything")[2]["max_tokens"], 128)
    _, _, info = self.server.ask("GET", "/info")
    self.assertEqual([(m["names"][0], m["precision"], m["max_input_length"]) for m in info["models"]],
                     [("exact", "fp32", 512), ("quick", "int8", 128)])
    seen = metrics(self.server)
    self.assertEqual(sum(name.startswith("podium_info") for name in seen), 2)

  def test_predict_and_tokenize_take_a_model_too(self):
    body = {"inputs": [[QUERY, d] for d in DOCUMENTS]}
    exact = self.scores("exact")
    _, _, predict = self.server.post("/predict", {**body, "model": "exact"})
    self.assertEqual([p[0]["score"] for p in predict], [exact[i] for i in range(3)])
    _, _, quick = self.server.post("/predict", body)
    self.assertNotEqual(predict, quick)
    self.assertEqual(self.server.post("/tokenize", {"inputs": "a", "model": "exact"})[0], 200)

  def test_both_under_load(self):
    before = metrics(self.server)
    want = {model: self.scores(model) for model in ("exact", "quick")}
    def one(i):
      return self.scores(("exact", "quick")[i % 2]) == want[("exact", "quick")[i % 2]]
    with ThreadPoolExecutor(16) as pool:
      self.assertTrue(all(pool.map(one, range(60))))
    after = metrics(self.server)
    for model in ("exact", "quick"):
      name = f'podium_requests_total{{model="{model}",outcome="ok",route="rerank"}}'
      self.assertEqual(after[name] - before[name], 31)
      name = f'podium_batch_pairs_total{{model="{model}"}}'
      self.assertEqual(after[name] - before[name], 93)
      self.assertGreater(after[f'podium_compute_cost_per_second{{model="{model}"}}'], 0)


class Keys(Case):
  def test_keys(self):
    file = self.file("keys", "first-key\nshop second-key\n")
    with Server("--api-keys-file", file, "--log-format", "json") as server:
      for header in ("Bearer first-key", "bearer second-key", "second-key"):
        self.assertEqual(server.post("/v1/rerank", BODY, Authorization=header)[0], 200, header)
      for header in ("Bearer None", "Bearer first-ke", "Bearer shop"):
        status, headers, reply = server.post("/v1/rerank", BODY, Authorization=header)
        self.assertEqual((status, reply["error_type"], headers["WWW-Authenticate"]), (401, "Unauthorized", "Bearer"))
      self.assertEqual(server.post("/v1/rerank", BODY)[0], 401)
      self.assertEqual(server.ask("GET", "/health/ready")[0], 200)
      self.assertTrue(until(lambda: any('"key":"shop"' in line for line in server.log)))
      # Read again on SIGHUP; a file that cannot be read changes nothing.
      os.unlink(file)
      server.process.send_signal(signal.SIGHUP)
      self.assertTrue(until(lambda: any("reload_failed" in line for line in server.log)))
      self.assertEqual(server.post("/v1/rerank", BODY, Authorization="first-key")[0], 200)
      self.file("keys", "third-key\n")
      server.process.send_signal(signal.SIGHUP)
      self.assertTrue(until(lambda: server.post("/v1/rerank", BODY, Authorization="third-key")[0] == 200))
      self.assertEqual(server.post("/v1/rerank", BODY, Authorization="first-key")[0], 401)
      for key in ("first-key", "second-key", "third-key"):
        self.assertNotIn(key, "".join(server.log))

  def test_the_log_level_is_read_again(self):
    file = self.file("serve.yaml", "port: 0\nlog-level: warning\n")
    with Server("--config", file) as server:
      self.assertEqual(server.ask("GET", "/health", headers={"X-Request-Id": "unseen"})[0], 200)
      self.file("serve.yaml", "port: 0\nlog-level: debug\n")
      server.process.send_signal(signal.SIGHUP)
      self.assertTrue(until(lambda: server.ask("GET", "/health", headers={"X-Request-Id": "seen"}) and any("=seen" in line for line in server.log)))
      self.assertFalse(any("unseen" in line for line in server.log))

  def test_a_log_that_cannot_be_written(self):
    with Server("--log-file", "/dev/full") as server:
      for _ in range(5):
        self.assertEqual(server.post("/v1/rerank", BODY)[0], 200)
      self.assertTrue(until(lambda: metrics(server)["podium_log_lines_dropped_total"] >= 5))


  def test_a_log_that_nobody_reads(self):
    server = Server("--log-format", "json", follow=False)
    with server:
      for i in range(600):  # more than a pipe holds
        self.assertEqual(server.ask("GET", "/v1/models", headers={"X-Request-Id": "x" * 128})[0], 200)
      self.assertEqual(server.stop(timeout=20), 0)


class Stopping(Case):
  def test_what_was_accepted_is_answered(self):
    with Server("--drain-delay-ms", 300) as server:
      replies = []
      body = {"query": "q", "documents": [f"{i} " + "text " * 60 for i in range(20)]}
      threads = [threading.Thread(target=lambda: replies.append(server.post("/v1/rerank", body)[0])) for _ in range(20)]
      for thread in threads:
        thread.start()
      time.sleep(0.1)
      with server.connect() as idle:
        server.process.send_signal(signal.SIGTERM)
        self.assertEqual(until(lambda: server.ask("GET", "/health/ready")[0] == 503), True)
        status, headers, _ = server.post("/v1/rerank", BODY)
        self.assertEqual((status, headers["Connection"]), (200, "close"))
        self.assertEqual(read_all(idle), b"")
      for thread in threads:
        thread.join()
      self.assertEqual(replies, [200] * 20)
      self.assertEqual(server.process.wait(60), 0)

  def test_who_does_not_end_is_cut(self):
    with Server("--drain-ms-max", 300) as server, server.connect() as stuck:
      stuck.sendall(b"POST /v1/rerank HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
      self.assertTrue(until(lambda: metrics(server)["podium_http_body_bytes"] == 100))
      self.assertEqual(server.stop(), 1)
      self.assertTrue(any("connections_cut" in line for line in server.log))

  def test_ctrl_c_and_a_second_signal(self):
    with Server() as server:
      self.assertEqual(server.stop(signal.SIGINT), 0)
    with Server("--drain-delay-ms", 60_000) as server:
      server.process.send_signal(signal.SIGTERM)
      until(lambda: server.ask("GET", "/health/ready")[0] == 503)
      self.assertEqual(server.stop(signal.SIGTERM, timeout=10), -signal.SIGTERM)


class Overload(Case):
  def test_refusals_tell_when_to_come_again(self):
    with Server("--requests-max", 2) as server:
      body = {"query": "q", "documents": [f"{i} " + "text " * 60 for i in range(30)]}
      with ThreadPoolExecutor(20) as pool:
        asked = [pool.submit(server.post, "/v1/rerank", {**body, "query": f"q{i}"}) for i in range(40)]
        self.assertTrue(until(lambda: metrics(server)['podium_admission_rejections_total{reason="requests"}'] > 0))
        self.assertEqual({server.ask("GET", "/health/ready")[0] for _ in range(10)}, {200})  # busy is not broken
        replies = [one.result() for one in asked]
      statuses = [status for status, _, _ in replies]
      self.assertEqual(set(statuses), {200, 429})
      for status, headers, reply in replies:
        if status == 429:
          self.assertEqual(reply["error_type"], "Overloaded")
          self.assertTrue(1 <= int(headers["Retry-After"]) <= 60)
      self.assertEqual(server.post("/v1/rerank", BODY)[0], 200)

  def test_connections_beyond_the_limit(self):
    with Server("--connections-max", 3) as server:
      held = [server.connect() for _ in range(3)]
      until(lambda: False, 0.2)
      with server.connect() as one_more:
        self.assertIn(b" 503 ", read_all(one_more).split(b"\r\n")[0])
      for connection in held:
        connection.close()
      self.assertTrue(until(lambda: server.ask("GET", "/health")[0] == 200))

  def test_bodies_inside(self):
    with Server("--body-bytes-inside-max", 50_000, "--body-bytes-max", 45_000) as server:
      with server.connect() as holder:
        holder.sendall(b"POST /v1/rerank HTTP/1.1\r\nHost: x\r\nContent-Length: 40000\r\n\r\n{")
        body = {"query": "q", "documents": ["x" * 20_000]}
        self.assertTrue(until(lambda: server.post("/v1/rerank", body)[0] == 429))
      self.assertTrue(until(lambda: server.post("/v1/rerank", body)[0] == 200))
      # A body counts as what it is when it is inflated.
      small = gzip.compress(json.dumps({"query": "q", "documents": ["x" * 44_900]}).encode())
      with server.connect() as holder:
        holder.sendall(b"POST /v1/rerank HTTP/1.1\r\nHost: x\r\nContent-Length: 40000\r\n\r\n{")
        self.assertTrue(until(lambda: metrics(server)["podium_http_body_bytes"] == 40_000))
        status, headers, reply = server.ask("POST", "/v1/rerank", small, {"Content-Encoding": "gzip"})
        self.assertEqual((status, reply["error_type"], headers["Retry-After"]), (429, "Overloaded", "1"))
      self.assertTrue(until(lambda: server.ask("POST", "/v1/rerank", small, {"Content-Encoding": "gzip"})[0] == 200))
      self.assertTrue(until(lambda: metrics(server)["podium_http_body_bytes"] == 0))

  def test_work_of_clients_that_left_is_not_done(self):
    with Server() as server:
      body = {"query": "q", "documents": [f"{i} " + "text " * 400 for i in range(1000)]}
      for _ in range(10):  # far more than ten seconds of work
        connection = server.connect()
        connection.sendall(request_bytes("/v1/rerank", body))
        connection.close()
      start = time.monotonic()
      self.assertEqual(server.post("/v1/rerank", BODY)[0], 200)
      self.assertEqual(server.stop(), 0)
      self.assertLess(time.monotonic() - start, 20)


class BadClients(Case):
  def test_who_does_not_read_is_let_go(self):
    with Server("--write-seconds-max", 1) as server:
      body = {"query": "q", "documents": ["x" * 10_000] * 1000, "return_documents": True}
      with server.connect() as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.sendall(request_bytes("/v1/rerank", body, "X-Request-Timeout-Ms: 600000\r\n"))
        self.assertTrue(until(lambda: metrics(server)['podium_requests_total{model="podium-mini-zh-en",outcome="ok",route="rerank"}'] == 1, 120))
        # The reply, until it is taken or given up; it is counted as answered a moment before.
        self.assertTrue(until(lambda: metrics(server)["podium_http_body_bytes"] > 20_000_000, 1))
        self.assertTrue(until(lambda: metrics(server)["podium_http_connections"] == 1), "20 MB that nobody takes")
        self.assertEqual(metrics(server)["podium_http_body_bytes"], 0)
      self.assertEqual(server.post("/v1/rerank", BODY)[0], 200)

  @unittest.skipIf(SANITIZED, "sanitizers end a program that cannot allocate")
  def test_memory_that_cannot_be_had_ends_one_request(self):
    with Server() as server:
      self.assertEqual(server.post("/v1/rerank", BODY)[0], 200)
      with open(f"/proc/{server.process.pid}/statm", encoding="ascii") as statm:
        limit = int(statm.read().split()[0]) * os.sysconf("SC_PAGE_SIZE") + 60_000_000
      resource.prlimit(server.process.pid, resource.RLIMIT_AS, (limit, limit))
      large = json.dumps({"query": "q", "documents": ["x" * 30_000] * 1000}).encode()
      def one(_):
        try:
          return server.ask("POST", "/v1/rerank", large, {"X-Request-Timeout-Ms": "600000"})[0]
        except (OSError, http.client.HTTPException):
          return 0
      with ThreadPoolExecutor(4) as pool:
        statuses = set(pool.map(one, range(12)))
      self.assertTrue(statuses - {200}, statuses)
      self.assertLessEqual(statuses, {0, 200, 400, 429, 500, 503})
      self.assertTrue(until(lambda: metrics(server)["podium_queue_requests"] == 0))
      self.assertEqual(server.post("/v1/rerank", BODY)[0], 200)
      self.assertEqual(server.stop(), 0)

  def test_a_storm_of_clients_that_leave(self):
    with Server() as server:
      def one(i):
        connection = server.connect()
        documents = [f"{i} {j} " + "text " * (i % 50) for j in range(1 + i % 40)]
        connection.sendall(request_bytes("/v1/rerank", {"query": "q", "documents": documents})[:None if i % 3 else 100])
        if i % 2:  # a reset at once
          connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        time.sleep(i % 7 / 1000)
        connection.close()
      with ThreadPoolExecutor(16) as pool:
        list(pool.map(one, range(300)))
      self.assertEqual(server.post("/v1/rerank", BODY)[0], 200)
      self.assertTrue(until(lambda: metrics(server)["podium_http_connections"] == 1))
      seen = metrics(server)
      self.assertEqual((seen["podium_queue_requests"], seen['podium_queue_pairs{model="podium-mini-zh-en"}'], seen["podium_queue_cost_tokens"]), (0, 0, 0))
      self.assertEqual(seen["podium_http_body_bytes"], 0)
      self.assertGreater(seen['podium_requests_total{model="podium-mini-zh-en",outcome="ClientLeft",route="rerank"}'], 0)
      self.assertLess(seen["process_open_fds"], 40)
      self.assertEqual(server.stop(), 0)


class Settings(Case):
  def test_print_config(self):
    out, _ = self.podium("serve", "--print-config", "--port", "9000", env=environment(PODIUM_HOST="::1"))
    self.assertIn("port: 9000  # --port\n", out)
    self.assertIn("host: '::1'  # PODIUM_HOST\n", out)
    self.assertIn("documents-max: 1000  # default\n", out)
    # What it prints is a file that says the same.
    models = """[a, {model: b, names: ["it's", '*'], precision: int8}]"""
    first, _ = self.podium("serve", "--print-config", "--models", models, "--log-file", "a: #b")
    second, _ = self.podium("serve", "--print-config", "--config", self.file("same.yaml", first))
    values = [[line.rsplit("  # ", 1)[0] for line in text.splitlines()] for text in (first, second)]
    self.assertEqual(*values)

  def test_a_file(self):
    file = self.file("serve.yaml", "port: 0\ndocuments-max: 2\nserved-model-name: [mini, '*']\n")
    out, _ = self.podium("serve", "--print-config", "--config", file)
    self.assertIn(f"documents-max: 2  # {file}:2\n", out)
    with Server("--config", file) as server:
      self.assertEqual(server.post("/v1/rerank", BODY)[0], 400)
    self.fails("serve", "--config", self.file("bad.yaml", "prot: 1\n"), says=["bad.yaml:1", "prot"])

  def test_wrong_values(self):
    self.fails("serve", "--port", "70000", says=["--port", "70000", "65535"])
    self.fails("serve", env=environment(PODIUM_REQUESTS_MAX="none"), says=["PODIUM_REQUESTS_MAX", "none"])
    self.fails("serve", "--host", "nowhere.invalid", "--port", "0", says=["nowhere.invalid"])
    self.fails("serve", "--bogus", "1", says=["--bogus"], code=2)

  def test_models_that_cannot_be(self):
    folder = podium_process.MODEL
    self.fails("serve", "--port", "0", "--models", f"{folder},{folder}", says=["two models are called", "podium-mini-zh-en"])
    self.fails("serve", "--port", "0", "--models", "[{model: /nowhere/at/all}]", says=["/nowhere/at/all"])
    self.fails("serve", "--models", "[{model: a, colour: red}]", says=["colour", "allowed: names, model"])
    self.fails("serve", "--models", "a", "--model", "b", says=["--models", "--model"])

  def test_a_port_that_is_taken(self):
    with socket.socket() as taken:
      taken.bind(("127.0.0.1", 0))
      taken.listen()
      self.fails("serve", "--port", taken.getsockname()[1], says=["cannot listen"])

  def test_short_replies_logged_bodies_and_long_texts(self):
    with Server("--shape", "ranked_documents", "--log-bodies", "on", "--log-format", "json", "--text-characters-max", 30) as server:
      _, _, short = server.post("/rerank", BODY, **{"X-Request-Id": "log-all"})
      self.assertEqual(set(short), {"ranked_documents", "latency_ms", "count"})
      for path in ("/v1/rerank", "/rerank?shape=full"):
        self.assertEqual(len(server.post(path, BODY)[2]["results"]), 3)
      self.assertIsInstance(server.post("/rerank", {"query": QUERY, "texts": DOCUMENTS})[2], list)
      _, _, weaviate = server.post("/rerank", {**BODY, "property": ""})
      self.assertEqual([s["document"] for s in weaviate["scores"]], DOCUMENTS)
      line = until(lambda: next((json.loads(line) for line in server.log if "request_body" in line and "log-all" in line), None))
      self.assertEqual(json.loads(line["body"]), BODY)
      # Characters, not bytes.
      self.assertEqual(server.post("/v1/rerank", {"query": "番" * 30, "documents": ["浆" * 30]})[0], 200)
      for path, body, status, place in (("/v1/rerank", {"query": "q", "documents": ["a", "b" * 31]}, 400, "documents[1]"),
                                        ("/v1/rerank", {"query": "番" * 31, "documents": ["a"]}, 400, "query"),
                                        ("/rerank", {"query": "q", "texts": ["b" * 31]}, 422, "texts[0]"),
                                        ("/predict", {"inputs": [["a", "b"], ["a", "b" * 31]]}, 422, "inputs[1]"),
                                        ("/tokenize", {"inputs": "b" * 31}, 422, "inputs[0]")):
        got, _, reply = server.post(path, body)
        self.assertEqual((got, reply["error"]), (status, f"{place}: got 31 characters, at most 30 are allowed"))

  def test_slow_requests_are_logged_with_their_stages(self):
    with Server("--slow-ms", 1, "--log-format", "json", "--log-level", "warning") as server:
      server.post("/v1/rerank", {"query": QUERY, "documents": [f"{i} text" for i in range(30)]}, **{"X-Request-Id": "slow-one"})
      line = json.loads(until(lambda: next((line for line in server.log if "slow-one" in line), None)))
      self.assertEqual((line["event"], line["level"]), ("slow_request", "warning"))
      self.assertGreater(line["compute_ms"], 0)
      self.assertGreater(line["tokenize_ms"], 0)
      self.assertGreaterEqual(line["total_ms"], line["tokenize_ms"] + line["queue_ms"] + line["compute_ms"])

  @unittest.skipIf(SANITIZED, "sanitizers need more than that themselves")
  def test_what_does_not_fit_the_cgroups_memory_is_refused(self):
    group = Path("/sys/fs/cgroup/memory") / f"podium-test-{os.getpid()}"
    try:
      group.mkdir()
    except OSError:
      self.skipTest("no memory cgroup can be made here")
    self.addCleanup(lambda: until(lambda: not self.remove(group)))
    (group / "memory.limit_in_bytes").write_text("250000000")
    done = subprocess.run(["sh", "-c", f'echo $$ > {group}/cgroup.procs && exec "$0" serve --port 0', PODIUM], capture_output=True,
                          env=environment(), text=True, timeout=60)
    self.assertEqual(done.returncode, 1, done.stderr)
    self.assertIn("the cgroup allows 250 MB", done.stderr)

  @staticmethod
  def remove(group):
    """Whether it is still there."""
    try:
      group.rmdir()
    except OSError:
      return group.exists()
    return False

  def test_served_names(self):
    with Server("--served-model-name", "mini,other") as server:
      _, _, reply = server.post("/v1/rerank", BODY)
      self.assertEqual(reply["model"], "mini")
      self.assertEqual(server.post("/v1/rerank", {**BODY, "model": "other"})[2]["model"], "other")
      status, _, reply = server.post("/v1/rerank", {**BODY, "model": "unknown"})
      self.assertEqual(status, 404)
      self.assertIn("mini, other", reply["error"])


if __name__ == "__main__":
  unittest.main()
