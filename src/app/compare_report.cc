#include "app/compare_report.h"

#include <cmath>
#include <cstdio>

#include "base/check.h"
#include "base/concat.h"

namespace podium {
namespace {

constexpr GateRule kRules[] = {
    {"--max-delta", "Largest |Δlogit| of any pair", false,
     [](const CompareReport& report) { return report.result.delta.max; }},
    {"--max-delta-mean-sd", "Mean |Δlogit|, in standard deviations of A's logits", false,
     [](const CompareReport& report) { return report.result.delta.mean / report.result.sd_a; }},
    {"--max-delta-p99-sd", "99th percentile of |Δlogit|, in the same unit", false,
     [](const CompareReport& report) { return report.result.delta.p99 / report.result.sd_a; }},
    {"--min-kendall", "Kendall's τ over pairs of documents beyond the noise", false,
     [](const CompareReport& report) { return report.result.tau; }},
    {"--min-overlap", "Share of A's best k among B's", false,
     [](const CompareReport& report) { return report.result.overlap; }},
    {"--min-top1", "Share of lists with the same best document", false,
     [](const CompareReport& report) { return report.result.top1; }},
    {"--min-ndcg-diff", "nDCG of B less A's (-0.005: half a point lost at most)", true,
     [](const CompareReport& report) { return report.result.ndcg_difference; }},
    {"--min-ndcg-bound", "Lower bound of that difference", true,
     [](const CompareReport& report) { return report.result.ndcg_interval.low; }},
    {"--min-speed-ratio", "Tokens per second of B over A's", false,
     [](const CompareReport& report) { return report.speed.ratio; }},
    {"--max-memory-ratio", "Memory of B over A's", false,
     [](const CompareReport& report) {
       return static_cast<double>(report.b.memory_bytes) /
              static_cast<double>(report.a.memory_bytes);
     }},
};

}  // namespace

std::span<const GateRule> GateRules() { return kRules; }

std::vector<GateResult> CheckGate(const CompareReport& report,
                                  std::span<const std::optional<double>> bounds) {
  PODIUM_CHECK(bounds.size() == GateRules().size());
  std::vector<GateResult> results;
  for (size_t i = 0; i < bounds.size(); ++i) {
    if (!bounds[i]) continue;
    const GateRule& rule = kRules[i];
    const double got = rule.measure(report);
    // A NaN compares as false both ways.
    const bool ok = rule.is_most() ? got <= *bounds[i] : got >= *bounds[i];
    results.push_back({&rule, *bounds[i], got, ok});
  }
  return results;
}

std::string GateLine(const GateResult& result) {
  if (std::isnan(result.got)) {
    return Concat(result.rule->flag, " ", result.allowed, ": nothing to measure it on");
  }
  char got[32];
  std::snprintf(got, sizeof got, "%.6g", result.got);
  return Concat(result.rule->flag, " ", result.allowed, ": got ", got);
}

}  // namespace podium
