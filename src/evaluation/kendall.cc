#include "evaluation/kendall.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "base/check.h"

namespace podium {
namespace {

// How many of the values added so far are below a rank: a binary indexed tree (Fenwick 1994).
class Counter {
 public:
  explicit Counter(size_t ranks) : tree_(ranks + 1, 0) {}
  void Add(size_t rank) {
    for (size_t i = rank + 1; i < tree_.size(); i += i & -i) ++tree_[i];
  }
  int64_t Below(size_t rank) const {
    int64_t count = 0;
    for (size_t i = rank; i > 0; i -= i & -i) count += tree_[i];
    return count;
  }

 private:
  std::vector<int64_t> tree_;
};

int64_t Pairs(int64_t n) { return n * (n - 1) / 2; }

// Pairs of equal values.
int64_t TiedPairs(std::span<const float> values) {
  std::vector<float> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  int64_t tied = 0;
  for (size_t i = 0; i < sorted.size();) {
    size_t end = i;
    while (end < sorted.size() && sorted[end] == sorted[i]) ++end;
    tied += Pairs(static_cast<int64_t>(end - i));
    i = end;
  }
  return tied;
}

}  // namespace

double PairCounts::tau() const {
  if (counted() == 0) return std::numeric_limits<double>::quiet_NaN();
  return static_cast<double>(concordant - discordant) / static_cast<double>(counted());
}

PairCounts CountPairs(std::span<const float> a, std::span<const float> b, double noise) {
  PODIUM_CHECK(a.size() == b.size() && noise >= 0);
  std::vector<size_t> order(a.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t i, size_t j) { return a[i] < a[j]; });
  std::vector<float> ranks(b.begin(), b.end());
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());

  // In A's rising order, `added` are the documents that lie more than the noise below this one.
  PairCounts counts;
  Counter counter(ranks.size());
  size_t added = 0;
  const auto rank_of = [&](size_t i) {
    return static_cast<size_t>(std::lower_bound(ranks.begin(), ranks.end(), b[i]) - ranks.begin());
  };
  for (const size_t i : order) {
    while (static_cast<double>(a[i]) - static_cast<double>(a[order[added]]) > noise) {
      counter.Add(rank_of(order[added++]));
    }
    const size_t rank = rank_of(i);
    const int64_t below = counter.Below(rank);
    const int64_t up_to = counter.Below(rank + 1);
    counts.concordant += below;
    counts.tied_in_b += up_to - below;
    counts.discordant += static_cast<int64_t>(added) - up_to;
  }
  counts.within_noise = Pairs(static_cast<int64_t>(a.size())) - counts.counted();
  return counts;
}

double KendallTauB(std::span<const float> a, std::span<const float> b) {
  const PairCounts counts = CountPairs(a, b, 0);
  const int64_t pairs = Pairs(static_cast<int64_t>(a.size()));
  const auto untied_in_a = static_cast<double>(pairs - TiedPairs(a));
  const auto untied_in_b = static_cast<double>(pairs - TiedPairs(b));
  const auto difference = static_cast<double>(counts.concordant - counts.discordant);
  return difference / (std::sqrt(untied_in_a) * std::sqrt(untied_in_b));  // 0 / 0 is NaN
}

}  // namespace podium
