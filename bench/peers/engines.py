"""One peer in a process of its own, so that no library's idle threads disturb another's turn. Driven by measure.py.

Usage: engines.py ENGINE FOLDER. Reads commands, one a line, answers one JSON value a line:
  run WORKLOAD   seconds of one pass over it (each shape was run once before: warm)
  check          logits of a fixed batch
"""
import json
import sys
import time

import numpy as np

from workloads import THREADS, WORKLOADS, mini_batches


def load(engine, folder):
    """(ids, mask) int64 → logits [n, 1]."""
    if engine == "torch":
        import torch
        from transformers import AutoModelForSequenceClassification
        torch.set_num_threads(THREADS)
        model = AutoModelForSequenceClassification.from_pretrained(folder, dtype=torch.float32).eval()

        def score(ids, mask):
            with torch.inference_mode():
                return model(input_ids=torch.from_numpy(ids), attention_mask=torch.from_numpy(mask)).logits.numpy()
        return score
    if engine in ("ort", "ort_fused"):
        import onnxruntime
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = THREADS
        file = "model" if engine == "ort" else "fused"
        session = onnxruntime.InferenceSession(f"{folder}/{file}.onnx", options, providers=["CPUExecutionProvider"])
        # The fused graph takes its mask as int32, and its ids too.
        kinds = {i.name: np.int32 if "int32" in i.type else np.int64 for i in session.get_inputs()}

        def score(ids, mask):
            given = {"input_ids": ids, "attention_mask": mask}
            return session.run(None, {name: value.astype(kinds[name], copy=False) for name, value in given.items()})[0]
        return score
    if engine == "openvino":
        import openvino
        options = {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_NUM_THREADS": THREADS, "INFERENCE_PRECISION_HINT": "f32"}
        request = openvino.Core().compile_model(f"{folder}/model.onnx", "CPU", options).create_infer_request()
        return lambda ids, mask: request.infer({"input_ids": ids, "attention_mask": mask})[0]
    sys.exit(f"engine {engine}: unknown")


def main():
    engine, folder = sys.argv[1:3]
    with open(f"{folder}/config.json", encoding="utf-8") as file:
        vocabulary = json.load(file)["vocab_size"]
    answers = sys.stdout
    sys.stdout = sys.stderr  # a library's chatter is no answer
    score = load(engine, folder)
    work = {}
    for line in sys.stdin:
        command, _, name = line.strip().partition(" ")
        if command == "check":
            answer = [float(x) for ids, mask in mini_batches([40, 17, 5], vocabulary) for x in np.ravel(score(ids, mask))]
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
