// Kendall's rank correlation of two scorings of the same list.
#ifndef PODIUM_EVALUATION_KENDALL_H_
#define PODIUM_EVALUATION_KENDALL_H_

#include <cstdint>
#include <span>

namespace podium {

/// How the pairs of documents of a list fall out. Only pairs whose gap in A exceeds the noise are
/// counted in the first three.
struct PairCounts {
  int64_t concordant = 0;  // B orders the two as A does
  int64_t discordant = 0;  // B orders them the other way round
  int64_t tied_in_b = 0;   // B gives both the same score
  int64_t within_noise = 0;

  int64_t counted() const { return concordant + discordant + tied_in_b; }
  /// (concordant - discordant) / counted; NaN when nothing was counted. A pair that B ties counts
  /// as half right.
  double tau() const;
};

/// `a` and `b` are equally long and finite, noise is 0 or more; O(n log n). A pair counts when
/// |a_i - a_j| > noise, so 0 leaves out the pairs that A ties.
PairCounts CountPairs(std::span<const float> a, std::span<const float> b, double noise);

/// tau-b (Kendall 1945), which corrects for ties on both sides: what scipy.stats.kendalltau gives
/// by default. NaN with fewer than two documents, or when one side ties all of them.
double KendallTauB(std::span<const float> a, std::span<const float> b);

}  // namespace podium

#endif  // PODIUM_EVALUATION_KENDALL_H_
