// A whole run against all judgements.
#ifndef PODIUM_EVALUATION_EVALUATION_H_
#define PODIUM_EVALUATION_EVALUATION_H_

#include <span>
#include <string>
#include <vector>

#include "evaluation/judgements.h"
#include "evaluation/metrics.h"
#include "evaluation/trec_run.h"

namespace podium {

/// What becomes of a judged query that the run lacks.
enum class MissingQueries {
  kZero,  // it counts with 0, as for ir-measures and trec_eval -c
  kSkip,  // it is left out, as for trec_eval without -c
};

struct Evaluation {
  struct Query {
    std::string id;
    std::vector<double> values;  // one a metric
    size_t ranked = 0;           // documents
    size_t relevant = 0;         // documents with a grade of 1 or more
  };
  std::vector<Query> queries;   // in the order of the judgements
  std::vector<double> means;    // one a metric; NaN without any query
  size_t missing = 0;           // judged queries that the run lacks
  size_t unjudged = 0;          // queries of the run that nobody judged: never counted
  size_t without_relevant = 0;  // of `queries`: 0 by every metric, and counted
};

Evaluation EvaluateRun(const Judgements& judgements, const TrecRun& run,
                       std::span<const Metric> metrics, MissingQueries missing);

}  // namespace podium

#endif  // PODIUM_EVALUATION_EVALUATION_H_
