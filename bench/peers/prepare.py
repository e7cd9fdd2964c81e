"""What the peers run, from FOLDER/model.onnx. Usage: prepare.py FOLDER

fused.onnx   ONNX Runtime's fused graph. Fails when not every layer's attention was fused: an unfused graph would make that peer
             look slower than it is.
int8.onnx    that graph in bytes, ONNX Runtime's dynamic quantization: weights by output, activations as they come.
nncf.xml     OpenVINO's NNCF in bytes, its recipe for transformers, calibrated on random ids (speed does not depend on them).
"""
import json
import os
import sys

import numpy as np
import onnx
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.transformers import optimizer

CALIBRATION_SEQUENCES = 32


def fuse(folder, config):
    fused = optimizer.optimize_model(
        f"{folder}/model.onnx", model_type="bert", num_heads=config["num_attention_heads"],
        hidden_size=config["hidden_size"], opt_level=1)
    statistics = fused.get_fused_operator_statistics()
    print(statistics)
    if statistics.get("Attention", 0) != config["num_hidden_layers"]:
        sys.exit(f"{folder}: fused {statistics.get('Attention', 0)} attentions of {config['num_hidden_layers']}")
    # Weights in a file of their own: a large model is beyond what one protobuf may hold.
    fused.save_model_to_file(f"{folder}/fused.onnx", use_external_data_format=True)


def quantize_fused(folder):
    # Behind a fused attention the library finds no types by itself.
    quantize_dynamic(f"{folder}/fused.onnx", f"{folder}/int8.onnx", per_channel=True, weight_type=QuantType.QInt8,
                     use_external_data_format=True, extra_options={"DefaultTensorType": onnx.TensorProto.FLOAT})


def quantize_by_nncf(folder, config):
    import nncf
    import openvino
    random = np.random.default_rng(7)
    given = [{"input_ids": random.integers(3, config["vocab_size"], (1, length)), "attention_mask": np.ones((1, length), np.int64)}
             for length in random.integers(16, 256, CALIBRATION_SEQUENCES)]
    plain = openvino.Core().read_model(f"{folder}/model.onnx")
    quantized = nncf.quantize(plain, nncf.Dataset(given), model_type=nncf.ModelType.TRANSFORMER, subset_size=len(given))
    openvino.save_model(quantized, f"{folder}/nncf.xml", compress_to_fp16=False)


def main():
    folder = sys.argv[1]
    with open(f"{folder}/config.json", encoding="utf-8") as file:
        config = json.load(file)
    if not os.path.exists(f"{folder}/fused.onnx"):
        fuse(folder, config)
    if not os.path.exists(f"{folder}/int8.onnx"):
        quantize_fused(folder)
    if not os.path.exists(f"{folder}/nncf.xml"):
        quantize_by_nncf(folder, config)


if __name__ == "__main__":
    main()
