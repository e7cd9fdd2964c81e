"""The clients' own code asks a real server and must make sense of its replies. Run by tests/clients/run."""

import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "system"))
from server_process import Server  # noqa: E402

QUERY = "what is a tomato"
DOCUMENTS = ["Trains run twice a day.", "A tomato is a berry.", "番茄是一种浆果。"]
BEST = 1
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # no look-ups outside of this machine
os.environ.setdefault("HAYSTACK_TELEMETRY_ENABLED", "False")


class Clients(unittest.TestCase):
  @classmethod
  def setUpClass(cls):
    cls.server = Server("--documents-max", "100")
    cls.base = f"http://127.0.0.1:{cls.server.port}"

  @classmethod
  def tearDownClass(cls):
    cls.server.__exit__()

  def check(self, pairs, count=3):
    """(index, score) of each result, best first."""
    pairs = list(pairs)
    self.assertEqual(len(pairs), count)
    self.assertEqual(pairs[0][0], BEST)
    self.assertEqual(pairs, sorted(pairs, key=lambda pair: -pair[1]))
    self.assertTrue(all(0 <= score <= 1 for _, score in pairs))

  def test_cohere(self):
    import cohere
    for client in (cohere.Client("key", base_url=self.base), cohere.ClientV2("key", base_url=self.base)):
      reply = client.rerank(model="any", query=QUERY, documents=DOCUMENTS)
      self.check((r.index, r.relevance_score) for r in reply.results)
      with self.assertRaises(cohere.core.ApiError) as caught:
        client.rerank(model="any", query=QUERY, documents=["x"] * 101)
      self.assertEqual(caught.exception.status_code, 400)
      self.assertIn("at most 100", str(caught.exception))
    reply = cohere.Client("key", base_url=self.base).rerank(query=QUERY, documents=[{"text": d} for d in DOCUMENTS],
                                                            return_documents=True, top_n=2)
    self.check([(r.index, r.relevance_score) for r in reply.results], 2)
    self.assertEqual(reply.results[0].document.text, DOCUMENTS[BEST])

  def test_voyageai(self):
    import voyageai
    client = voyageai.Client(api_key="key", base_url=self.base + "/v1")
    reply = client.rerank(QUERY, DOCUMENTS, model="any")
    self.check((r.index, r.relevance_score) for r in reply.results)
    self.assertEqual(reply.results[0].document, DOCUMENTS[BEST])
    self.assertGreater(reply.total_tokens, 0)
    with self.assertRaisesRegex(voyageai.error.InvalidRequestError, "at most 100"):
      client.rerank(QUERY, ["x"] * 101, model="any")

  def test_litellm(self):
    import litellm
    for provider, base in (("cohere", self.base), ("infinity", self.base), ("hosted_vllm", self.base), ("jina_ai", self.base),
                           ("huggingface", self.base)):
      with self.subTest(provider):
        # LiteLLM's Infinity reads `document` as a plain string, its other providers as an object.
        echo = {"return_documents": False} if provider == "infinity" else {}
        reply = litellm.rerank(model=f"{provider}/any", query=QUERY, documents=DOCUMENTS, top_n=3, api_base=base, api_key="key", **echo)
        self.check((r["index"], r["relevance_score"]) for r in reply.results)

  def test_rerankers(self):
    from rerankers.models.api_rankers import APIRanker
    for kind, path in (("cohere", "/v1/rerank"), ("jina", "/v1/rerank"), ("text-embeddings-inference", "/rerank")):
      with self.subTest(kind):
        ranker = APIRanker("any", api_key="key", api_provider=kind, url=self.base + path, verbose=0)
        results = ranker.rank(QUERY, DOCUMENTS)
        self.check((r.document.doc_id, r.score) for r in results.results)

  def test_langchain_cohere(self):
    import cohere
    from langchain_cohere import CohereRerank
    ranker = CohereRerank(model="any", top_n=2, client=cohere.ClientV2("key", base_url=self.base), cohere_api_key="key")
    self.check([(r["index"], r["relevance_score"]) for r in ranker.rerank(DOCUMENTS, QUERY)], 2)

  def test_langchain_jina(self):
    from unittest import mock

    from langchain_community.document_compressors import jina_rerank
    # Its address is a constant of the module.
    with mock.patch.object(jina_rerank, "JINA_API_URL", self.base + "/v1/rerank"):
      ranker = jina_rerank.JinaRerank(model="any", jina_api_key="key", top_n=2)
      self.check([(r["index"], r["relevance_score"]) for r in ranker.rerank(DOCUMENTS, QUERY)], 2)

  def test_curl(self):
    body = json.dumps({"query": QUERY, "documents": DOCUMENTS})
    done = subprocess.run(["curl", "-sS", "--fail", self.base + "/v1/rerank", "-d", body], capture_output=True, check=True, text=True)
    self.check((r["index"], r["relevance_score"]) for r in json.loads(done.stdout)["results"])

  def test_llama_index_tei(self):
    from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
    from llama_index.postprocessor.tei_rerank import TextEmbeddingInference
    ranker = TextEmbeddingInference(base_url=self.base, top_n=3, model_name="any")
    nodes = [NodeWithScore(node=TextNode(text=d, id_=str(i)), score=0.0) for i, d in enumerate(DOCUMENTS)]
    ranked = ranker.postprocess_nodes(nodes, QueryBundle(QUERY))
    self.check((int(n.node.node_id), n.score) for n in ranked)

  def test_haystack_tei(self):
    from haystack import Document
    from haystack_integrations.components.rankers.huggingface_api import HuggingFaceTEIRanker
    ranked = HuggingFaceTEIRanker(url=self.base, top_k=3).run(QUERY, [Document(content=d, id=str(i)) for i, d in enumerate(DOCUMENTS)])
    self.check((int(d.id), d.score) for d in ranked["documents"])


if __name__ == "__main__":
  unittest.main()
