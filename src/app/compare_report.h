// What `podium compare` found out, and whether that passes the thresholds asked for.
#ifndef PODIUM_APP_COMPARE_REPORT_H_
#define PODIUM_APP_COMPARE_REPORT_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "evaluation/comparison.h"
#include "plot/svg.h"
#include "podium/reranker.h"

namespace podium {

struct ComparedSide {
  std::string name;  // as it was given
  ModelInfo info;
  double open_s = 0;
  double seconds = 0;  // of scoring
  int64_t tokens = 0;
  int64_t truncated = 0;  // pairs
  /// Growth of the process's resident memory by opening this side and scoring its first list.
  int64_t memory_bytes = 0;

  double tokens_per_s() const { return static_cast<double>(tokens) / seconds; }
};

/// Speed of B over A, by turns.
struct SpeedRatio {
  double ratio = 0;                      // of all tokens per second
  double median = 0, low = 0, high = 0;  // of the turns': the middle one, tenth and 90th percentile
  size_t turns = 0;
};

/// Dots of the picture, at most.
constexpr size_t kPlottedPairsMax = 4000;

struct WorstList {
  std::string id;
  std::string query;
  ListComparison list;
};

struct CompareReport {
  ComparedSide a;
  ComparedSide b;
  ComparisonOptions options;
  std::string metric;  // of the labels: "ndcg_exp@10"
  Comparison result;
  SpeedRatio speed;
  std::vector<WorstList> worst;
  std::vector<plot::Point> plotted;  // logits of A and B
  std::vector<double> deltas;        // B less A, all pairs
};

/// One threshold that can be asked for. The first four letters of the flag say whether it is
/// the least or the most.
struct GateRule {
  const char* flag;
  const char* help;
  bool needs_labels;
  double (*measure)(const CompareReport& report);

  bool is_most() const { return flag[2] == 'm' && flag[3] == 'a'; }  // --max-…
};

std::span<const GateRule> GateRules();

struct GateResult {
  const GateRule* rule = nullptr;
  double allowed = 0;
  double got = 0;  // NaN when there was nothing to measure: that is a miss
  bool ok = false;
};

/// Results of the rules that have a bound; `bounds` is as long as GateRules().
std::vector<GateResult> CheckGate(const CompareReport& report,
                                  std::span<const std::optional<double>> bounds);

/// "--min-kendall 0.99: got 0.953"
std::string GateLine(const GateResult& result);

}  // namespace podium

#endif  // PODIUM_APP_COMPARE_REPORT_H_
