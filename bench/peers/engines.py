"""One peer in a process of its own, so that no library's idle threads disturb another's turn. Driven by measure.py.

Usage: engines.py ENGINE FOLDER [--no-tiles]. Reads commands, one a line, answers one JSON value a line:
  run WORKLOAD   seconds of one pass over it (each shape was run once before: warm)
  check          logits of a fixed batch
  tiles          whether the process has Linux's permission to use AMX

--no-tiles keeps every library from AMX (tiles.py says how).
"""
import json
import sys
import time

import numpy as np

from tiles import has_tiles, refuse_tiles
from workloads import CHECK_LENGTHS, THREADS, WORKLOADS, mini_batches


def load(engine, folder):
    """(ids, mask) int64 → logits [n, 1]."""
    if engine in ("torch", "torch_bf16"):
        import torch
        from transformers import AutoModelForSequenceClassification
        torch.set_num_threads(THREADS)
        model = AutoModelForSequenceClassification.from_pretrained(
            folder, dtype=torch.float32 if engine == "torch" else torch.bfloat16).eval()

        def score(ids, mask):
            with torch.inference_mode():
                return model(input_ids=torch.from_numpy(ids), attention_mask=torch.from_numpy(mask)).logits.float().numpy()
        return score
    if engine in ("ort", "ort_fused", "ort_int8"):
        import onnxruntime
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = THREADS
        file = {"ort": "model", "ort_fused": "fused", "ort_int8": "int8"}[engine]
        session = onnxruntime.InferenceSession(f"{folder}/{file}.onnx", options, providers=["CPUExecutionProvider"])
        # The fused graph takes its mask as int32, and its ids too.
        kinds = {i.name: np.int32 if "int32" in i.type else np.int64 for i in session.get_inputs()}

        def score(ids, mask):
            given = {"input_ids": ids, "attention_mask": mask}
            return session.run(None, {name: value.astype(kinds[name], copy=False) for name, value in given.items()})[0]
        return score
    if engine in ("openvino", "openvino_int8", "openvino_int8_bf16"):
        import openvino
        file = "model.onnx" if engine == "openvino" else "nncf.xml"
        rest = "bf16" if engine.endswith("bf16") else "f32"  # what is not in bytes
        options = {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_NUM_THREADS": THREADS, "INFERENCE_PRECISION_HINT": rest}
        request = openvino.Core().compile_model(f"{folder}/{file}", "CPU", options).create_infer_request()
        return lambda ids, mask: request.infer({"input_ids": ids, "attention_mask": mask})[0]
    sys.exit(f"engine {engine}: unknown")


def main():
    engine, folder = sys.argv[1:3]
    if "--no-tiles" in sys.argv[3:]:
        refuse_tiles()
    with open(f"{folder}/config.json", encoding="utf-8") as file:
        vocabulary = json.load(file)["vocab_size"]
    answers = sys.stdout
    sys.stdout = sys.stderr  # a library's chatter is no answer
    score = load(engine, folder)
    work = {}
    for line in sys.stdin:
        command, _, name = line.strip().partition(" ")
        if command == "check":
            answer = [float(x) for ids, mask in mini_batches(CHECK_LENGTHS, vocabulary) for x in np.ravel(score(ids, mask))]
        elif command == "tiles":
            answer = has_tiles()
        else:
            if name not in work:
                work[name] = list(mini_batches(WORKLOADS[name], vocabulary))
                for ids, mask in work[name]:
                    score(ids, mask)
            start = time.perf_counter()
            for ids, mask in work[name]:
                score(ids, mask)
            answer = time.perf_counter() - start
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
