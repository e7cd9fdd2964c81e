// Lengths of waiting pairs → batches. The policy alone: data in, decision out.
//
// batch/ turns waiting pairs into batches: the former decides, the queue (with the lock) and the
// worker (one per lane) come with the server. It may include engine/ and base/. The former is
// pure: no thread, no lock, no clock.
#ifndef PODIUM_BATCH_FORMER_H_
#define PODIUM_BATCH_FORMER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace podium {

struct BatchBudget {
  /// Σ (length + attention_cost · length²) over a batch, at most. A cost is never below the tokens,
  /// so this bounds the tokens too.
  int tokens_max = 2048;
  /// Pairs of a batch, at most.
  int sequences_max = 512;
  /// What a pair's quadratic part weighs against its linear part, in tokens per token²: the
  /// engine's (EngineInfo). 0 counts tokens only.
  double attention_cost = 0;
  /// Requests that share a batch of a server, at most; 0 for any number.
  int requests_max = 0;

  double Cost(int length) const {
    return length + attention_cost * static_cast<double>(length) * length;
  }
  double Cost(std::span<const int> lengths) const {
    double cost = 0;
    for (const int length : lengths) cost += Cost(length);
    return cost;
  }
};

/// Pairs [begin, end) of the list given to FormBatches.
struct BatchRange {
  size_t begin = 0;
  size_t end = 0;
};

/// Cuts the list into consecutive batches within the budget: order is kept, every pair is in
/// exactly one batch. A pair above the budget is a batch of its own: the lane reserves for it.
std::vector<BatchRange> FormBatches(std::span<const int> lengths, const BatchBudget& budget);

}  // namespace podium

#endif  // PODIUM_BATCH_FORMER_H_
