// An evaluation as a table or JSON. Pure.
#ifndef PODIUM_APP_EVAL_OUTPUT_H_
#define PODIUM_APP_EVAL_OUTPUT_H_

#include <span>
#include <string>
#include <vector>

#include "evaluation/bootstrap.h"
#include "evaluation/evaluation.h"

namespace podium {

struct EvaluationView {
  std::string model;  // "" when a run was evaluated
  std::string precision;
  std::string isa;
  std::string run;  // "" without one
  std::string judgements;
  std::span<const Metric> metrics;
  const Evaluation& evaluation;
  std::vector<Interval> intervals;  // of each mean, or none
  bool per_query = false;
};

/// {"model", "precision", "isa", "run", "judgements", "queries", "missing", "unjudged",
/// "without_relevant", "ties", "metrics": {name: value}, "intervals"?: {name: [low, high]},
/// "per_query"?: [{"query", "ranked", "relevant", name: value}]}
std::string EvaluationJson(const EvaluationView& view);
std::string EvaluationTable(const EvaluationView& view, int columns);

}  // namespace podium

#endif  // PODIUM_APP_EVAL_OUTPUT_H_
