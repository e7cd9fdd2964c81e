#include "evaluation/evaluation.h"

#include <algorithm>

#include "evaluation/summary.h"

namespace podium {

Evaluation EvaluateRun(const Judgements& judgements, const TrecRun& run,
                       std::span<const Metric> metrics, MissingQueries missing) {
  Evaluation evaluation;
  for (const Judgements::Query& judged : judgements.queries()) {
    const TrecRun::Query* found = run.Find(judged.id);
    if (found == nullptr) ++evaluation.missing;
    if (found == nullptr && missing == MissingQueries::kSkip) continue;
    const GradedRanking ranking =
        Grade(judged, found == nullptr ? std::span<const RunEntry>() : found->entries);
    Evaluation::Query query{judged.id, {}, ranking.ranked.size(), 0};
    query.relevant = static_cast<size_t>(std::count_if(ranking.judged.begin(), ranking.judged.end(),
                                                       [](int grade) { return grade > 0; }));
    if (query.relevant == 0) ++evaluation.without_relevant;
    for (const Metric& metric : metrics) query.values.push_back(Evaluate(metric, ranking));
    evaluation.queries.push_back(std::move(query));
  }
  for (const TrecRun::Query& query : run.queries()) {
    if (judgements.Find(query.id) == nullptr) ++evaluation.unjudged;
  }
  std::vector<double> column;
  for (size_t m = 0; m < metrics.size(); ++m) {
    column.clear();
    for (const Evaluation::Query& query : evaluation.queries) column.push_back(query.values[m]);
    evaluation.means.push_back(Mean(column));
  }
  return evaluation;
}

}  // namespace podium
