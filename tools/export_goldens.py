"""Reference logits of synthetic checkpoints, from transformers: writes tests/golden/NAME.json.

Usage: export_goldens.py [NAME…] (all without a name; `large_full` takes 5 GB of memory and some minutes)

Run by hand after `pip install -r tools/requirements-goldens.txt`; the versions used are written into each
file. A checkpoint is never stored: each weight is a pure function of (seed, tensor name, element index), computed
here with numpy and in tests/golden/synthetic_model.cc with C++, equal to the bit.

The checkpoints are hot: attention scores have a standard deviation of about 3, layer-norm gains lie in [0.5, 2),
biases are random, GELU sees its curved range, embeddings are as small as in trained models (so that the norm's eps
counts) and logits spread over several units. A cold checkpoint (weights of 0.02) hides most mistakes.

`logit` is the float64 result: the truth. `fp32` is what float32 gives on the same weights: its distance from
the truth is what rounding alone costs, and the tests' tolerance of 1e-4 stands well above it.
"""
import json
import math
import pathlib
import random
import sys

import numpy as np
import torch
import transformers

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "tests" / "golden"
GOLDEN_GAMMA = 0x9E3779B97F4A7C15
MASK = (1 << 64) - 1


def xlmr(layers, hidden, heads, ffn, vocabulary, positions, eps, seed, storage="F32", **others):
    return {"kind": "xlm-roberta", "layers": layers, "hidden": hidden, "heads": heads, "ffn": ffn,
            "vocabulary": vocabulary, "positions": positions, "token_types": 1, "eps": eps, "seed": seed,
            "storage": storage, "activation": "gelu", "labels": 1, "padding": 1} | others


def bert(*sizes, **others):
    return xlmr(*sizes, **({"kind": "bert", "token_types": 2, "padding": 0} | others))


ODD_LENGTHS = [3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 128]
GOLDENS = {  # name: (recipe, lengths)
    "tiny": (xlmr(2, 72, 3, 200, 300, 130, 1e-5, 1), ODD_LENGTHS),
    "tiny_f16": (xlmr(2, 72, 3, 200, 300, 130, 1e-5, 2, "F16"), [3, 8, 17, 50, 128]),
    "tiny_bf16": (xlmr(2, 72, 3, 200, 300, 130, 1e-5, 3, "BF16"), [3, 8, 17, 50, 128]),
    "tiny_bert": (bert(2, 72, 3, 200, 300, 128, 1e-12, 4), ODD_LENGTHS),
    "tiny_pad": (xlmr(2, 72, 3, 200, 300, 130, 1e-5, 12), [3, 9, 40, 128]),
    "roberta": (xlmr(2, 72, 3, 200, 300, 130, 1e-5, 13, kind="roberta"), [3, 9, 40, 128]),
    "roberta_fast": (xlmr(2, 72, 3, 200, 300, 130, 1e-5, 14, kind="roberta", activation="gelu_fast"), [3, 9, 40, 128]),
    "camembert_relu": (xlmr(2, 72, 3, 200, 300, 132, 1e-5, 15, kind="camembert", activation="relu", padding=3),
                       [3, 9, 40, 128]),
    "camembert_two": (xlmr(2, 72, 3, 200, 300, 130, 1e-5, 16, "F16", kind="camembert", labels=2), [3, 9, 40, 128]),
    "bert_new": (bert(2, 72, 3, 200, 300, 128, 1e-12, 17, activation="gelu_new"), [3, 9, 40, 128]),
    "bert_tanh_two": (bert(2, 72, 3, 200, 300, 128, 1e-12, 18, activation="gelu_pytorch_tanh", labels=2),
                      [3, 9, 40, 128]),
    "tiny_long": (xlmr(1, 64, 2, 96, 300, 8194, 1e-5, 5), [3, 600, 1500, 3000]),
    "base": (xlmr(2, 768, 12, 3072, 1000, 514, 1e-5, 6), [3, 20, 64, 129, 200, 512]),
    "base_f16": (xlmr(2, 768, 12, 3072, 1000, 514, 1e-5, 7, "F16"), [3, 20, 77]),
    "v2_m3": (xlmr(2, 1024, 16, 4096, 1000, 8194, 1e-5, 8), [3, 33, 96, 150, 1500]),
    "minilm": (bert(6, 384, 12, 1536, 1000, 512, 1e-12, 9), [3, 12, 40, 65, 128, 200, 512]),
    "mini": (xlmr(12, 384, 12, 1536, 1000, 514, 1e-12, 10), [3, 12, 64, 130, 250]),
    "large_full": (xlmr(24, 1024, 16, 4096, 1000, 514, 1e-5, 11), [3, 48, 160, 512]),
}


# Role of a tensor, by the first ending that fits: scale is `scale` / sqrt(`fan_in`), value is u · scale + offset
# with u uniform in [-1, 1). The same table is in synthetic_model.cc.
ROLES = [
    ("embeddings.weight", 0.02, None, 0.0),
    ("LayerNorm.weight", 0.75, None, 1.25),
    ("LayerNorm.bias", 0.5, None, 0.0),
    ("self.query.weight", 2.2, "hidden", 0.0),
    ("self.key.weight", 2.2, "hidden", 0.0),
    ("self.value.weight", 1.3, "hidden", 0.0),
    ("attention.output.dense.weight", 1.7, "hidden", 0.0),
    ("intermediate.dense.weight", 1.9, "hidden", 0.0),
    ("output.dense.weight", 1.7, "ffn", 0.0),
    ("classifier.dense.weight", 1.3, "hidden", 0.0),
    ("pooler.dense.weight", 1.3, "hidden", 0.0),
    ("classifier.out_proj.weight", 16.0, "hidden", 0.0),
    ("classifier.weight", 16.0, "hidden", 0.0),
    (".bias", 0.4, None, 0.0),
]


def uniform(seed, name, count):
    """float32 in [-1, 1): the top 24 bits of splitmix64, started from the name's FNV-1a hash and the seed."""
    key = 0xCBF29CE484222325
    for byte in name.encode():
        key = (key ^ byte) * 0x100000001B3 & MASK
    key ^= seed * GOLDEN_GAMMA & MASK
    with np.errstate(over="ignore"):
        z = np.uint64(key) + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(GOLDEN_GAMMA)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z ^= z >> np.uint64(31)
    return ((z >> np.uint64(40)).astype(np.int64) - (1 << 23)).astype(np.float32) * np.float32(2.0**-23)


def tensor(recipe, name, shape):
    """float32 values as a file of the recipe's storage holds them."""
    _, scale, fan_in, offset = next(role for role in ROLES if name.endswith(role[0]))
    scale = np.float32(scale / math.sqrt(recipe[fan_in]) if fan_in else scale)
    values = uniform(recipe["seed"], name, math.prod(shape)) * scale + np.float32(offset)
    assert values.dtype == np.float32
    if recipe["storage"] == "F16":
        values = values.astype(np.float16).astype(np.float32)
    elif recipe["storage"] == "BF16":
        bits = values.view(np.uint32).astype(np.uint64)
        bits = (bits + np.uint64(0x7FFF) + ((bits >> np.uint64(16)) & np.uint64(1))) >> np.uint64(16)
        values = (bits << np.uint64(16)).astype(np.uint32).view(np.float32)
    return values.reshape(shape)


def build(recipe):
    """The model, and the wrapping sum of all weights' fp32 bit patterns, by which C++ proves that it made the same."""
    shared = {"vocab_size": recipe["vocabulary"], "num_hidden_layers": recipe["layers"],
              "hidden_size": recipe["hidden"], "num_attention_heads": recipe["heads"],
              "intermediate_size": recipe["ffn"], "max_position_embeddings": recipe["positions"],
              "type_vocab_size": recipe["token_types"], "layer_norm_eps": recipe["eps"],
              "num_labels": recipe["labels"], "hidden_act": recipe["activation"], "pad_token_id": recipe["padding"],
              "attn_implementation": "eager"}
    with torch.device("meta"):
        config = transformers.AutoConfig.for_model(recipe["kind"], **shared)
        model = transformers.AutoModelForSequenceClassification.from_config(config)
    shapes = {name: tuple(value.shape) for name, value in model.named_parameters()}
    model = model.__class__(model.config).eval()
    fingerprint = 0
    state = {}
    for name, shape in shapes.items():
        values = tensor(recipe, name, shape)
        fingerprint = fingerprint + int(values.view(np.uint32).sum(dtype=np.uint64)) & MASK
        state[name] = torch.from_numpy(values)
    missing, unexpected = model.load_state_dict(state, strict=False)
    assert not unexpected and all("position_ids" in name or "token_type_ids" in name for name in missing)
    return model, fingerprint


def make_cases(recipe, lengths, with_padding_id):
    """Random ids and, for bert, segments 0…0 1…1. RoBERTa counts positions past its padding id wherever a text
    holds it ("<pad>" in a document): one golden has it as a fifth of its ids, others now and then.
    """
    draw = random.Random(recipe["seed"])
    for length in lengths:
        case = {"ids": [draw.randrange(2, recipe["vocabulary"]) for _ in range(length)]}
        if with_padding_id:
            case["ids"] = [1 if draw.randrange(5) == 0 else token for token in case["ids"]]
        if recipe["kind"] == "bert":
            second = draw.randrange(1, length)
            case["types"] = [0] * second + [1] * (length - second)
        yield case


@torch.inference_mode()
def logit(model, case):
    ids = torch.tensor([case["ids"]])
    types = torch.tensor([case["types"]]) if "types" in case else None
    labels = model(input_ids=ids, attention_mask=torch.ones_like(ids), token_type_ids=types).logits[0]
    return (labels[0] if len(labels) == 1 else labels[1] - labels[0]).item()


def export(name):
    recipe, lengths = GOLDENS[name]
    model, fingerprint = build(recipe)
    cases = list(make_cases(recipe, lengths, name == "tiny_pad"))
    for case in cases:
        case["fp32"] = round(logit(model, case), 9)
    model = model.double()
    for case in cases:
        case["logit"] = logit(model, case)
    head = {"made_by": "tools/export_goldens.py", "transformers": transformers.__version__,
            "torch": torch.__version__.split("+")[0], "numpy": np.__version__,
            "recipe": recipe | {"fingerprint": f"{fingerprint:016x}"}}
    with open(FOLDER / f"{name}.json", "w", encoding="utf-8") as file:
        file.write(json.dumps(head, separators=(",", ":"))[:-1] + ',"cases":[\n')
        file.write(",\n".join(json.dumps(case, separators=(",", ":")) for case in cases) + "\n]}\n")
    deviation = max(abs(case["fp32"] - case["logit"]) for case in cases)
    print(f"{name}: fp32 within {deviation:.1e} of fp64; logits", *(f"{case['logit']:.3f}" for case in cases))


if __name__ == "__main__":
    torch.set_num_threads(2)
    for wanted in sys.argv[1:] or GOLDENS:
        export(wanted)
