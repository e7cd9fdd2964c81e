#include "evaluation/metrics.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>

#include "base/concat.h"
#include "evaluation/columns.h"

namespace podium {
namespace {

struct Word {
  const char* word;
  MetricKind kind;
};
// The first of a kind is its name.
constexpr Word kWords[] = {
    {"ndcg", MetricKind::kNdcg},     {"ndcg_exp", MetricKind::kNdcgExp},
    {"mrr", MetricKind::kMrr},       {"rr", MetricKind::kMrr},
    {"map", MetricKind::kMap},       {"ap", MetricKind::kMap},
    {"recall", MetricKind::kRecall}, {"r", MetricKind::kRecall},
    {"p", MetricKind::kPrecision},   {"precision", MetricKind::kPrecision},
};

double Gain(MetricKind kind, int grade) {
  if (grade <= 0) return 0;
  return kind == MetricKind::kNdcgExp ? std::exp2(grade) - 1 : grade;
}

double Dcg(MetricKind kind, std::span<const int> grades) {
  double sum = 0;
  for (size_t i = 0; i < grades.size(); ++i) {
    if (grades[i] > 0) sum += Gain(kind, grades[i]) / std::log2(static_cast<double>(i) + 2);
  }
  return sum;
}

Result<Metric> ParseMetric(std::string_view name) {
  std::string lower;
  for (const char c : name) lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  const size_t at = lower.find('@');
  const std::string_view word = std::string_view(lower).substr(0, at);
  const Word* known = std::find_if(std::begin(kWords), std::end(kWords),
                                   [&](const Word& entry) { return word == entry.word; });
  if (known == std::end(kWords)) {
    return InvalidArgument(Concat("metric ", Quoted(name),
                                  "; allowed: ndcg, ndcg_exp, mrr, map, recall, p, each with "
                                  "@CUTOFF behind it"));
  }
  Metric metric{known->kind, 0};
  if (at != std::string::npos) {
    const char* end = lower.data() + lower.size();
    const auto [stop, error] = std::from_chars(lower.data() + at + 1, end, metric.cutoff);
    if (error != std::errc() || stop != end || metric.cutoff < 1 || metric.cutoff > kCutoffMax) {
      return InvalidArgument(
          Concat("metric ", Quoted(name), ": its cutoff must be 1 to ", kCutoffMax));
    }
  } else if (metric.kind == MetricKind::kPrecision) {
    return InvalidArgument(Concat("metric ", Quoted(name), " needs a cutoff: p@10"));
  }
  return metric;
}

}  // namespace

std::string Metric::Name() const {
  const Word* word = std::find_if(std::begin(kWords), std::end(kWords),
                                  [&](const Word& entry) { return entry.kind == kind; });
  return cutoff == 0 ? word->word : Concat(word->word, "@", cutoff);
}

Result<std::vector<Metric>> ParseMetrics(std::string_view names) {
  std::vector<Metric> metrics;
  while (true) {
    const size_t end = names.find(',');
    std::string_view name = names.substr(0, end);
    name.remove_prefix(std::min(name.find_first_not_of(' '), name.size()));
    name.remove_suffix(name.size() - (name.find_last_not_of(' ') + 1));
    PODIUM_ASSIGN_OR_RETURN(const Metric metric, ParseMetric(name));
    metrics.push_back(metric);
    if (end == std::string_view::npos) return metrics;
    names.remove_prefix(end + 1);
  }
}

double Evaluate(const Metric& metric, const GradedRanking& ranking) {
  const auto is_relevant = [](int grade) { return grade > 0; };
  const auto relevant_count =
      static_cast<double>(std::count_if(ranking.judged.begin(), ranking.judged.end(), is_relevant));
  if (relevant_count == 0) return 0;
  const auto first = [&](const std::vector<int>& grades) {
    const size_t cutoff = metric.cutoff == 0 ? grades.size() : static_cast<size_t>(metric.cutoff);
    return std::span(grades).first(std::min(cutoff, grades.size()));
  };
  const std::span<const int> looked_at = first(ranking.ranked);
  const auto found =
      static_cast<double>(std::count_if(looked_at.begin(), looked_at.end(), is_relevant));
  switch (metric.kind) {
    case MetricKind::kNdcg:
    case MetricKind::kNdcgExp:
      return Dcg(metric.kind, looked_at) / Dcg(metric.kind, first(ranking.judged));
    case MetricKind::kMrr: {
      const auto best = std::find_if(looked_at.begin(), looked_at.end(), is_relevant);
      return best == looked_at.end() ? 0 : 1.0 / static_cast<double>(best - looked_at.begin() + 1);
    }
    case MetricKind::kMap: {
      double sum = 0;
      double seen = 0;
      for (size_t i = 0; i < looked_at.size(); ++i) {
        if (is_relevant(looked_at[i])) sum += ++seen / static_cast<double>(i + 1);
      }
      return sum / relevant_count;
    }
    case MetricKind::kRecall:
      return found / relevant_count;
    case MetricKind::kPrecision:
      return found / metric.cutoff;
  }
  return 0;
}

GradedRanking Grade(const Judgements::Query& judged, std::span<const RunEntry> best_first) {
  GradedRanking ranking;
  ranking.ranked.reserve(best_first.size());
  for (const RunEntry& entry : best_first) {
    const auto grade = judged.grades.find(entry.document);
    ranking.ranked.push_back(grade == judged.grades.end() ? 0 : grade->second);
  }
  ranking.judged.reserve(judged.grades.size());
  for (const auto& [document, grade] : judged.grades) ranking.judged.push_back(grade);
  std::sort(ranking.judged.begin(), ranking.judged.end(), std::greater<>());
  return ranking;
}

}  // namespace podium
