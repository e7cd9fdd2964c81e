"""Reference values of the comparison's statistics, from scipy and numpy: writes tests/evaluation/data/statistics.json.

Run by hand after `pip install -r tools/requirements-statistics.txt`; the versions used are written into the file.
"""
import json
import pathlib
import random

import numpy
import scipy
from scipy import stats

OUT = pathlib.Path(__file__).resolve().parent.parent / "tests" / "evaluation" / "data" / "statistics.json"


def single(values):
  """The values as float32 has them, which is what a logit is."""
  return [float(numpy.float32(v)) for v in values]


def number(value):
  return None if numpy.isnan(value) else float(value)


def kendall_cases(rng):
  yield "two, same order", [1, 2], [3, 4]
  yield "two, other order", [1, 2], [4, 3]
  yield "one document", [1], [1]
  yield "one side all tied", [1, 1, 1, 1], [1, 2, 3, 4]
  yield "both sides all tied", [1, 1, 1], [2, 2, 2]
  yield "ties in a", [1, 1, 2, 3, 3, 3], [6, 2, 3, 5, 4, 1]
  yield "ties in b", [6, 2, 3, 5, 4, 1], [1, 1, 2, 3, 3, 3]
  yield "ties in both at the same places", [1, 1, 2, 2, 3], [5, 5, 4, 4, 3]
  yield "zero and negative zero are tied", [0.0, -0.0, 1.0], [2.0, 3.0, -0.0]
  for n in (3, 10, 48, 300):
    a = [rng.gauss(0, 3) for _ in range(n)]
    yield f"{n} close", a, [v + rng.gauss(0, 0.1) for v in a]
    yield f"{n} unrelated", a, [rng.gauss(0, 3) for _ in range(n)]
    yield f"{n} reversed", a, [-v for v in a]
    coarse = [round(v) for v in a]
    yield f"{n} with many ties", coarse, [round(v + rng.gauss(0, 1)) for v in a]


def main():
  rng = random.Random(4)
  kendall = []
  for name, a, b in kendall_cases(rng):
    a, b = single(a), single(b)
    kendall.append({"name": name, "a": a, "b": b, "tau_b": number(stats.kendalltau(a, b).statistic)})

  summaries = []
  for n in (1, 2, 7, 200):
    values = [rng.expovariate(3) for _ in range(n)]
    quantiles = [0, 0.01, 0.025, 0.5, 0.9, 0.99, 1]
    summaries.append({"values": values, "mean": float(numpy.mean(values)), "std": float(numpy.std(values)),
                      "quantiles": [[q, float(numpy.quantile(values, q))] for q in quantiles]})

  bootstraps = []
  for n, confidence in ((20, 0.95), (125, 0.95), (125, 0.8)):
    values = [rng.choice([0, 0, rng.gauss(0.01, 0.1)]) for _ in range(n)]
    result = stats.bootstrap((values,), numpy.mean, n_resamples=200000, batch=1000, confidence_level=confidence,
                             method="percentile", rng=numpy.random.default_rng(1))
    bootstraps.append({"values": values, "confidence": confidence, "low": float(result.confidence_interval.low),
                       "high": float(result.confidence_interval.high)})

  OUT.parent.mkdir(parents=True, exist_ok=True)
  cases = {"kendall": kendall, "summaries": summaries, "bootstraps": bootstraps}
  lines = [f'{{"made_with": "numpy {numpy.__version__}, scipy {scipy.__version__}"']
  for kind, rows in cases.items():
    lines.append(f',\n"{kind}": [\n' + ",\n".join(json.dumps(row) for row in rows) + "\n]")
  OUT.write_text("".join(lines) + "}\n")
  print(f"{OUT}: {sum(map(len, cases.values()))} cases")


if __name__ == "__main__":
  main()
