"""What every engine is asked to do: the workloads of bench/model, cut up for engines that need padding."""
import numpy as np

THREADS = 2
CHECK_LENGTHS = [40, 17, 5, 64, 33, 128, 9, 80]

# "var" is what bench/model draws for it: log-normal, median 150, sigma 0.6, from 24 to 512.
_VARIED = [
    107, 64, 387, 80, 175, 46, 60, 124, 251, 156, 37, 64, 255, 219, 153, 87, 166, 168, 108,
    239, 166, 114, 417, 261, 68, 119, 96, 115, 116, 343, 159, 120, 69, 275, 61, 126, 144,
    93, 156, 80, 128, 207, 375, 485, 199, 161, 89, 94, 220, 154,
]
WORKLOADS = {"128": [128] * 50, "var": _VARIED, "512": [512] * 8}


def mini_batches(lengths, vocabulary, size=8):
    """Sorted by length and padded to the longest of eight: what a careful user does with a padding engine."""
    rng = np.random.default_rng(3)
    ordered = np.sort(np.asarray(lengths))[::-1]
    for begin in range(0, len(ordered), size):
        group = ordered[begin:begin + size]
        mask = (np.arange(group.max()) < group[:, None]).astype(np.int64)
        zipf = 2 + np.exp(rng.uniform(0, np.log(vocabulary - 2), mask.shape)).astype(np.int64)  # as bench/model's ids, 3 and up
        ids = np.where(mask == 1, np.minimum(zipf, vocabulary - 1), 1)
        ids[:, 0] = 0
        yield ids.astype(np.int64), mask


def flops(config, lengths):
    """Nominal, as bench/model counts: all layers for all real tokens, two per multiply-add."""
    h, ffn, layers = config["hidden_size"], config["intermediate_size"], config["num_hidden_layers"]
    return sum(n * layers * (8 * h * h + 4 * h * ffn + 4 * h * n) for n in lengths)
