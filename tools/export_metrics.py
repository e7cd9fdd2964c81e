"""Reference values of the ranking metrics, from trec_eval: writes tests/evaluation/data/metrics.json.

Run by hand after `pip install -r tools/requirements-metrics.txt`; the versions used are written into the file. Values of
single queries come from pytrec_eval, which is trec_eval itself; means over all judged queries from ir-measures, which
counts a query that a run lacks as 0 (trec_eval's -c). nDCG with exponential gain is trec_eval's over grades that were
replaced by 2^grade - 1. MRR with a cutoff is trec_eval's reciprocal rank where that rank is within the cutoff: the tool
that ir-measures asks for RR@k breaks ties in another way. Where both tools have a metric they are compared here.
"""
import importlib.metadata
import json
import pathlib
import random

import ir_measures
import pytrec_eval

OUT = pathlib.Path(__file__).resolve().parent.parent / "tests" / "evaluation" / "data" / "metrics.json"
CUTOFFS = (1, 3, 5, 10, 100)


def by_query(rows):
  table = {}
  for query, document, value in rows:
    table.setdefault(query, {})[document] = value
  return table


def trec_values(qrels, run):
  """{query: {our name: value}} of the queries that both have."""
  def evaluate(grades, names):
    return pytrec_eval.RelevanceEvaluator(grades, names).evaluate(run)

  cuts = ",".join(map(str, CUTOFFS))
  plain = evaluate(qrels, {"ndcg", "map", "recip_rank", *(f"{n}.{cuts}" for n in ("ndcg_cut", "map_cut", "recall", "P"))})
  exponents = {q: {d: 2**g - 1 if g > 0 else 0 for d, g in grades.items()} for q, grades in qrels.items()}
  gained = evaluate(exponents, {"ndcg", f"ndcg_cut.{cuts}"})
  table = {}
  for query, values in plain.items():
    row = {"ndcg": values["ndcg"], "map": values["map"], "mrr": values["recip_rank"], "ndcg_exp": gained[query]["ndcg"]}
    for k in CUTOFFS:
      row |= {f"ndcg@{k}": values[f"ndcg_cut_{k}"], f"map@{k}": values[f"map_cut_{k}"],
              f"recall@{k}": values[f"recall_{k}"], f"p@{k}": values[f"P_{k}"],
              f"ndcg_exp@{k}": gained[query][f"ndcg_cut_{k}"],
              f"mrr@{k}": row["mrr"] if row["mrr"] * k > 0.999999 else 0.0}
    table[query] = row
  return table


MEASURES = {"ndcg": ir_measures.nDCG, "map": ir_measures.AP, "mrr": ir_measures.RR}
for _k in CUTOFFS:
  MEASURES |= {f"ndcg@{_k}": ir_measures.nDCG @ _k, f"map@{_k}": ir_measures.AP @ _k,
               f"recall@{_k}": ir_measures.R @ _k, f"p@{_k}": ir_measures.P @ _k}


def case(name, qrels_rows, run_rows):
  qrels, run = by_query(qrels_rows), by_query(run_rows)
  queries = trec_values(qrels, run)
  ours = {str(measure): name for name, measure in MEASURES.items()}
  for metric in ir_measures.iter_calc(list(MEASURES.values()), qrels, run):
    known = ours[str(metric.measure)]
    if metric.query_id in queries:
      value = queries[metric.query_id][known]
      assert abs(value - metric.value) < 1e-9, (name, metric, value)
  means = {ours[str(measure)]: value for measure, value in
           ir_measures.calc_aggregate(list(MEASURES.values()), qrels, run).items()}
  return {"name": name,
          "qrels": "".join(f"{q} 0 {d} {g}\n" for q, d, g in qrels_rows),
          "run": "".join(f"{q} Q0 {d} 0 {s!r} t\n" for q, d, s in run_rows),
          "queries": queries, "means": means}


def random_case(rng, name, queries, pool, depth, grades, score):
  qrels, run = [], []
  documents = [f"{rng.choice(['d', 'D', 'doc-', 'é'])}{n}" for n in range(pool)]
  for n in range(queries):
    qrels += [(f"q{n}", d, rng.choice(grades)) for d in rng.sample(documents, rng.randint(1, pool // 2))]
    if rng.random() < 0.9:
      run += [(f"q{n}", d, score()) for d in rng.sample(documents, rng.randint(1, depth))]
  run += [("never judged", d, 1.0) for d in documents[:3]]
  rng.shuffle(run)
  return case(name, qrels, [(q.replace(" ", "-"), d, s) for q, d, s in run])


def cases():
  one = [("q", "a", 1), ("q", "b", 0), ("q", "c", 2)]
  yield case("falling order", one, [("q", "c", 3.0), ("q", "a", 2.0), ("q", "b", 1.0)])
  yield case("rising order", one, [("q", "b", 3.0), ("q", "a", 2.0), ("q", "c", 1.0)])
  yield case("all tied: falling document id", one, [("q", "a", 1.0), ("q", "b", 1.0), ("q", "c", 1.0)])
  yield case("tied as floats, not as doubles", [("q", "a", 1)], [("q", "a", 1.000000001), ("q", "b", 1.0)])
  yield case("ids by bytes", [("q", "a", 1), ("q", "é", 2)], [("q", "a", 1.0), ("q", "Z", 1.0), ("q", "é", 1.0), ("q", "aa", 1.0)])
  yield case("unjudged documents first", one, [("q", "x", 9.0), ("q", "y", 8.0), ("q", "a", 1.0)])
  yield case("negative grades", [("q", "a", -1), ("q", "b", -2), ("q", "c", 1)], [("q", "a", 3.0), ("q", "b", 2.0), ("q", "c", 1.0)])
  yield case("only negative grades", [("q", "a", -1)], [("q", "a", 3.0)])
  yield case("no relevant document", [("q", "a", 0), ("r", "a", 1)], [("q", "a", 1.0), ("r", "a", 1.0)])
  yield case("a query missing from the run", [("q", "a", 1), ("r", "a", 1)], [("q", "a", 1.0)])
  yield case("a query that nobody judged", [("q", "a", 1)], [("q", "a", 1.0), ("r", "a", 1.0)])
  yield case("relevant documents never found", [("q", f"d{n}", 1 + n % 3) for n in range(20)], [("q", "d7", 1.0), ("q", "x", 2.0)])
  yield case("one document", [("q", "a", 3)], [("q", "a", -7.5)])
  rng = random.Random(4)
  yield random_case(rng, "binary", 12, 60, 25, (0, 1), lambda: rng.gauss(0, 3))
  yield random_case(rng, "graded, many ties", 12, 60, 30, (-1, 0, 1, 2, 3), lambda: float(rng.randint(0, 5)))
  yield random_case(rng, "graded, near ties", 8, 60, 30, (0, 1, 2, 4), lambda: 0.5 + rng.randint(0, 20) * 1e-8)
  yield random_case(rng, "deep", 2, 400, 150, (0, 0, 0, 1, 7), lambda: round(rng.random(), 2))


def main():
  rows = list(cases())
  versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in ("pytrec-eval-terrier", "ir-measures"))
  def rounded(value):
    if isinstance(value, dict):
      return {key: rounded(inner) for key, inner in value.items()}
    return round(value, 10) if isinstance(value, float) else value
  lines = ",\n".join(json.dumps(rounded(row), ensure_ascii=False) for row in rows)
  OUT.write_text(f'{{"made_with": "{versions}",\n"cases": [\n{lines}\n]}}\n', encoding="utf-8")
  print(f"{OUT}: {len(rows)} cases, {sum(len(row['queries']) for row in rows)} queries")


if __name__ == "__main__":
  main()
