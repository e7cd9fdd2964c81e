"""The rerank server of the tutorials: FastAPI around a library's forward pass. Driven by ablation.py.

Usage: tutorial_server.py transformers|onnxruntime FOLDER PORT
       tutorial_server.py export FOLDER ONNX     # int8 as onnxruntime quantizes it, for the second one

One padded batch a request, one request at a time (a lock: without it forty threads fight for the cores, and it is slower), as
many threads as there are cores. The reply is the short form of /v1/rerank.
"""
import os
import pathlib
import sys
import threading

import numpy as np

LENGTH_MAX = 512
CORES = len(os.sched_getaffinity(0))


def transformers_scorer(folder):
  import torch
  from transformers import AutoModelForSequenceClassification, AutoTokenizer
  torch.set_num_threads(CORES)
  tokenizer = AutoTokenizer.from_pretrained(folder)
  model = AutoModelForSequenceClassification.from_pretrained(folder, dtype=torch.float32).eval()

  def score(query, documents):
    with torch.inference_mode():
      batch = tokenizer([query] * len(documents), documents, padding=True, truncation=True, max_length=LENGTH_MAX, return_tensors="pt")
      return model(**batch).logits.view(-1).numpy()
  return score


def onnxruntime_scorer(file):
  import onnxruntime
  from transformers import AutoTokenizer
  options = onnxruntime.SessionOptions()
  options.intra_op_num_threads = CORES
  session = onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
  tokenizer = AutoTokenizer.from_pretrained(str(pathlib.Path(file).parent))
  kinds = {i.name: np.int32 if "int32" in i.type else np.int64 for i in session.get_inputs()}

  def score(query, documents):
    batch = tokenizer([query] * len(documents), documents, padding=True, truncation=True, max_length=LENGTH_MAX, return_tensors="np")
    return session.run(None, {name: batch[name].astype(kind) for name, kind in kinds.items()})[0].reshape(-1)
  return score


def export(folder, file):
  """fp32 graph → fused attention, layer norms and GELU → dynamic int8, weights per channel."""
  import json
  import shutil

  import onnx
  import torch
  from onnxruntime.quantization import QuantType, quantize_dynamic
  from onnxruntime.transformers import optimizer
  from transformers import AutoModelForSequenceClassification, AutoTokenizer
  out = pathlib.Path(file)
  out.parent.mkdir(parents=True, exist_ok=True)
  config = json.loads((pathlib.Path(folder) / "config.json").read_text())
  model = AutoModelForSequenceClassification.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
  sample = AutoTokenizer.from_pretrained(folder)(["a query"] * 2, ["a document", "another document"], padding=True, return_tensors="pt")
  inputs = {"input_ids": sample["input_ids"], "attention_mask": sample["attention_mask"]}
  plain = str(out.with_suffix(".fp32.onnx"))
  axes = {name: {0: "batch", 1: "length"} for name in inputs}
  torch.onnx.export(model, tuple(inputs.values()), plain, input_names=list(inputs), output_names=["logits"], dynamic_axes=axes,
                    opset_version=17, dynamo=False)
  fused = optimizer.optimize_model(plain, model_type="bert", num_heads=config["num_attention_heads"], hidden_size=config["hidden_size"],
                                   opt_level=1)
  print(fused.get_fused_operator_statistics())
  middle = str(out.with_suffix(".fused.onnx"))
  fused.save_model_to_file(middle)
  # The types of what the fused nodes give cannot be inferred.
  quantize_dynamic(middle, file, per_channel=True, weight_type=QuantType.QInt8, extra_options={"DefaultTensorType": onnx.TensorProto.FLOAT})
  for name in ("config.json", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"):
    shutil.copy(pathlib.Path(folder) / name, out.parent)
  texts = ("what is a tomato", ["A tomato is a berry.", "Trains run twice a day.", "番茄是一种浆果。"])
  print("transformers", transformers_scorer(folder)(*texts))
  print("onnxruntime int8", onnxruntime_scorer(file)(*texts))


def main():
  kind, folder, last = sys.argv[1:4]
  if kind == "export":
    export(folder, last)
    return
  import uvicorn
  from fastapi import FastAPI
  from pydantic import BaseModel
  score = {"transformers": transformers_scorer, "onnxruntime": onnxruntime_scorer}[kind](folder)
  score("warm", ["up"] * 50)
  lock = threading.Lock()
  app = FastAPI()

  class Request(BaseModel):
    query: str
    documents: list[str]
    top_n: int | None = None

  @app.post("/v1/rerank")
  def rerank(request: Request):
    with lock:
      scores = 1 / (1 + np.exp(-score(request.query, request.documents)))
    order = np.argsort(-scores, kind="stable")[:request.top_n]
    return {"results": [{"index": int(i), "relevance_score": float(scores[i])} for i in order]}

  uvicorn.run(app, host="127.0.0.1", port=int(last), log_level="warning")


if __name__ == "__main__":
  main()
