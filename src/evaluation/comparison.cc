#include "evaluation/comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "evaluation/kendall.h"
#include "evaluation/summary.h"

namespace podium {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// The mean of what was added, and the least of it; NaN of nothing.
class MeanOf {
 public:
  void Add(double value) {
    sum_ += value;
    min_ = count_ == 0 ? value : std::min(min_, value);
    ++count_;
  }
  double mean() const { return sum_ / static_cast<double>(count_); }
  double min() const { return min_; }

 private:
  double sum_ = 0;
  double min_ = kNaN;
  size_t count_ = 0;
};

// Positions of the best k, in no order; ties keep the order of the list.
std::vector<size_t> Best(std::span<const float> scores, size_t k) {
  std::vector<size_t> order(scores.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto better = [&](size_t i, size_t j) {
    return scores[i] != scores[j] ? scores[i] > scores[j] : i < j;
  };
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k), order.end(),
                    better);
  order.resize(k);
  std::sort(order.begin(), order.end());
  return order;
}

// Share of A's best k among B's best k; 1 for an empty list.
double Overlap(const ComparedList& list, size_t k) {
  k = std::min(k, list.a.size());
  if (k == 0) return 1;
  const std::vector<size_t> a = Best(list.a, k);
  const std::vector<size_t> b = Best(list.b, k);
  std::vector<size_t> both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return static_cast<double>(both.size()) / static_cast<double>(k);
}

void CompareLogits(std::span<const ComparedList> lists, Comparison& out) {
  std::vector<double> logits;
  std::vector<double> deltas;
  for (const ComparedList& list : lists) {
    PODIUM_CHECK(list.a.size() == list.b.size());
    for (size_t i = 0; i < list.a.size(); ++i) {
      logits.push_back(static_cast<double>(list.a[i]));
      deltas.push_back(static_cast<double>(list.b[i]) - static_cast<double>(list.a[i]));
    }
  }
  out.lists = lists.size();
  out.pairs = logits.size();
  out.sd_a = StandardDeviation(logits);
  out.delta.bias = Mean(deltas);
  for (double& delta : deltas) delta = std::abs(delta);
  out.delta.mean = Mean(deltas);
  const SortedValues sorted(std::move(deltas));
  out.delta.p50 = sorted.Quantile(0.5);
  out.delta.p99 = sorted.Quantile(0.99);
  out.delta.max = sorted.Quantile(1);
}

double MeanDelta(const ComparedList& list) {
  double sum = 0;
  for (size_t i = 0; i < list.a.size(); ++i) {
    sum += std::abs(static_cast<double>(list.b[i]) - static_cast<double>(list.a[i]));
  }
  return list.a.empty() ? 0 : sum / static_cast<double>(list.a.size());
}

void CompareOrders(std::span<const ComparedList> lists, int k, Comparison& out) {
  MeanOf tau_b;
  MeanOf tau;
  MeanOf overlap;
  MeanOf top1;
  for (size_t i = 0; i < lists.size(); ++i) {
    const ComparedList& list = lists[i];
    if (list.a.size() < 2) continue;
    const PairCounts counts = CountPairs(list.a, list.b, out.noise);
    out.pairs_beyond += counts.counted();
    out.swapped += counts.discordant;
    if (counts.counted() > 0) tau.Add(counts.tau());
    if (const double all = KendallTauB(list.a, list.b); !std::isnan(all)) tau_b.Add(all);
    const double shared = Overlap(list, static_cast<size_t>(k));
    overlap.Add(shared);
    top1.Add(Overlap(list, 1));
    out.worst.push_back({i, counts.tau(), shared, MeanDelta(list)});
  }
  out.tau_b = tau_b.mean();
  out.tau = tau.mean();
  out.tau_list_min = tau.min();
  out.overlap = overlap.mean();
  out.overlap_list_min = overlap.min();
  out.top1 = top1.mean();

  const auto key = [](const ListComparison& list) {
    return std::make_pair(std::isnan(list.tau) ? 1.0 : list.tau, -list.delta_mean);
  };
  const size_t kept = std::min(kWorstLists, out.worst.size());
  std::partial_sort(out.worst.begin(), out.worst.begin() + static_cast<std::ptrdiff_t>(kept),
                    out.worst.end(), [&](const ListComparison& x, const ListComparison& y) {
                      return std::make_pair(key(x), x.index) < std::make_pair(key(y), y.index);
                    });
  out.worst.resize(kept);
}

void CompareLabels(std::span<const ComparedList> lists, const BootstrapOptions& bootstrap,
                   Comparison& out) {
  MeanOf a;
  MeanOf b;
  std::vector<double> differences;
  for (const ComparedList& list : lists) {
    if (!list.ndcg_a || !list.ndcg_b) continue;
    a.Add(*list.ndcg_a);
    b.Add(*list.ndcg_b);
    differences.push_back(*list.ndcg_b - *list.ndcg_a);
    out.better += differences.back() > 0 ? 1 : 0;
    out.worse += differences.back() < 0 ? 1 : 0;
  }
  out.labelled = differences.size();
  out.ndcg_a = a.mean();
  out.ndcg_b = b.mean();
  out.ndcg_difference = Mean(differences);
  out.ndcg_interval = BootstrapMean(differences, bootstrap);
}

}  // namespace

Comparison Compare(std::span<const ComparedList> lists, const ComparisonOptions& options) {
  PODIUM_CHECK(options.k > 0 && options.noise_sd >= 0);
  Comparison out;
  CompareLogits(lists, out);
  out.noise = out.pairs == 0 ? 0 : options.noise_sd * out.sd_a;
  CompareOrders(lists, options.k, out);
  CompareLabels(lists, options.bootstrap, out);
  return out;
}

}  // namespace podium
