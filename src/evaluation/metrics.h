// How good a ranking is: nDCG, MRR, MAP, recall and precision, as trec_eval computes them.
#ifndef PODIUM_EVALUATION_METRICS_H_
#define PODIUM_EVALUATION_METRICS_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "evaluation/judgements.h"
#include "evaluation/trec_run.h"

namespace podium {

enum class MetricKind {
  kNdcg,     // gain = grade, as trec_eval's ndcg and ndcg_cut (Järvelin & Kekäläinen 2002)
  kNdcgExp,  // gain = 2^grade - 1 (Burges et al. 2005)
  kMrr,
  kMap,
  kRecall,
  kPrecision,
};

struct Metric {
  MetricKind kind = MetricKind::kNdcg;
  int cutoff = 0;  // first documents looked at; 0 for all
  /// "ndcg@10", "ndcg_exp@10", "mrr", "map@100", "recall@100", "p@5".
  std::string Name() const;
};

/// Cutoffs at most.
constexpr int kCutoffMax = 1'000'000;

/// Names with commas between, letters of either case; ir-measures' words (nDCG@10, RR@10, AP,
/// R@100, P@5) are taken too. kInvalidArgument names what was found and what is allowed.
Result<std::vector<Metric>> ParseMetrics(std::string_view names);

/// One ranking of one query, as the metrics see it.
struct GradedRanking {
  std::vector<int> ranked;  // grade of each document, best first; 0 where it was never judged
  std::vector<int> judged;  // every grade of the query, ranked or not, from the highest down
};

/// The value in [0, 1]. Without any relevant document it is 0, as for trec_eval.
double Evaluate(const Metric& metric, const GradedRanking& ranking);

/// Looks the grades of a ranking up.
GradedRanking Grade(const Judgements::Query& judged, std::span<const RunEntry> best_first);

}  // namespace podium

#endif  // PODIUM_EVALUATION_METRICS_H_
