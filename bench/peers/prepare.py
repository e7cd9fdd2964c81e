"""ONNX Runtime's fused graph (FOLDER/fused.onnx) from FOLDER/model.onnx. Usage: prepare.py FOLDER

Fails when not every layer's attention was fused: an unfused graph would make that peer look slower than it is.
"""
import json
import sys

from onnxruntime.transformers import optimizer


def main():
    folder = sys.argv[1]
    with open(f"{folder}/config.json", encoding="utf-8") as file:
        config = json.load(file)
    fused = optimizer.optimize_model(
        f"{folder}/model.onnx", model_type="bert", num_heads=config["num_attention_heads"],
        hidden_size=config["hidden_size"], opt_level=1)
    statistics = fused.get_fused_operator_statistics()
    print(statistics)
    if statistics.get("Attention", 0) != config["num_hidden_layers"]:
        sys.exit(f"{folder}: fused {statistics.get('Attention', 0)} attentions of {config['num_hidden_layers']}")
    # Weights in a file of their own: a large model is beyond what one protobuf may hold.
    fused.save_model_to_file(f"{folder}/fused.onnx", use_external_data_format=True)


if __name__ == "__main__":
    main()
