// How far two scorings of the same lists lie apart.
//
// evaluation/ says how good a ranking is, and how much two of them differ: readers of labelled
// lists, runs and judgements, and arithmetic on scores. It may include json/ and base/. Pure:
// starts no thread, locks nothing; randomness comes in as a seed.
#ifndef PODIUM_EVALUATION_COMPARISON_H_
#define PODIUM_EVALUATION_COMPARISON_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "evaluation/bootstrap.h"

namespace podium {

/// One query's documents as both sides score them. Logits are finite.
struct ComparedList {
  std::vector<float> a;
  std::vector<float> b;          // as long as a
  std::optional<double> ndcg_a;  // where the list has labels; both or none
  std::optional<double> ndcg_b;
};

struct ComparisonOptions {
  int k = 10;  // of the overlap of the best k
  /// Documents closer than this in A, in standard deviations of all of A's logits, are no pair that
  /// B must order as A does. It depends on A alone: a rule made from the difference would excuse
  /// the worse side the more, the worse it is.
  double noise_sd = 0.05;
  BootstrapOptions bootstrap;
};

/// |logit of B - logit of A| over all pairs of query and document.
struct DeltaSummary {
  double mean = 0;
  double p50 = 0;
  double p99 = 0;
  double max = 0;
  double bias = 0;  // mean of B - A, with its sign
};

/// What one list says.
struct ListComparison {
  size_t index = 0;  // among the lists
  double tau = 0;    // over its pairs beyond the noise; NaN without one
  double overlap = 0;
  double delta_mean = 0;
};

struct Comparison {
  size_t lists = 0;
  size_t pairs = 0;
  double sd_a = 0;     // standard deviation of A's logits, all lists together
  DeltaSummary delta;  // divide by sd_a for units of it
  double noise = 0;    // noise_sd · sd_a, in logits

  // Means over the lists with two documents or more that say something: NaN when there is none.
  double tau_b = 0;          // all pairs of documents
  double tau = 0;            // pairs beyond the noise
  double tau_list_min = 0;   // the worst list
  int64_t pairs_beyond = 0;  // pairs of documents beyond the noise, all lists
  int64_t swapped = 0;       // of them, ordered the other way by B
  double overlap = 0;        // share of A's best k among B's best k; k is at most the list
  double overlap_list_min = 0;
  double top1 = 0;  // share of lists with the same best document

  size_t labelled = 0;  // lists with labels; the rest is NaN when there is none
  double ndcg_a = 0;
  double ndcg_b = 0;
  double ndcg_difference = 0;  // mean of B - A
  Interval ndcg_interval;      // of that mean
  size_t better = 0;           // lists where B's is higher
  size_t worse = 0;

  /// The lists that differ most, at most kWorstLists: by rising tau, then by falling mean |Δ|.
  std::vector<ListComparison> worst;
};

constexpr size_t kWorstLists = 5;

/// Ties within a side keep the order of the list, as in a ranking.
Comparison Compare(std::span<const ComparedList> lists, const ComparisonOptions& options);

}  // namespace podium

#endif  // PODIUM_EVALUATION_COMPARISON_H_
