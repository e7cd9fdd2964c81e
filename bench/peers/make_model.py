"""A random cross-encoder of a public model's shape: Hugging Face folder and ONNX export of the same weights.

Usage: make_model.py mini|base|large FOLDER

The vocabulary is cut to 32,000 pieces: embeddings are a lookup and cost the same at any size. Attention is
exported "eager", as plain products and a softmax: ONNX Runtime's optimizer recognises and fuses only that.
"""
import argparse

import torch
from transformers import XLMRobertaConfig, XLMRobertaForSequenceClassification

SHAPES = {  # layers, hidden, heads, ffn
    "mini": (6, 384, 12, 1536),
    "base": (12, 768, 12, 3072),
    "large": (24, 1024, 16, 4096),
}


def make_config(shape):
    layers, hidden, heads, ffn = SHAPES[shape]
    return XLMRobertaConfig(
        vocab_size=32000, num_hidden_layers=layers, hidden_size=hidden, num_attention_heads=heads,
        intermediate_size=ffn, max_position_embeddings=514, type_vocab_size=1, layer_norm_eps=1e-5,
        bos_token_id=0, pad_token_id=1, eos_token_id=2, num_labels=1, attn_implementation="eager")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("shape", choices=SHAPES)
    parser.add_argument("folder")
    arguments = parser.parse_args()

    torch.manual_seed(20)
    model = XLMRobertaForSequenceClassification(make_config(arguments.shape)).eval()
    model.save_pretrained(arguments.folder)
    example = (torch.randint(3, 32000, (2, 16)), torch.ones(2, 16, dtype=torch.long))
    dynamic = {0: "sequences", 1: "tokens"}
    torch.onnx.export(
        model, example, f"{arguments.folder}/model.onnx", input_names=["input_ids", "attention_mask"],
        output_names=["logits"], opset_version=17, dynamo=False,
        dynamic_axes={"input_ids": dynamic, "attention_mask": dynamic, "logits": {0: "sequences"}})


if __name__ == "__main__":
    main()
