#include "batch/former.h"

namespace podium {

std::vector<BatchRange> FormBatches(std::span<const int> lengths, const BatchBudget& budget) {
  std::vector<BatchRange> batches;
  double cost = 0;
  for (size_t i = 0; i < lengths.size(); ++i) {
    const double added = budget.Cost(lengths[i]);
    const bool fits =
        !batches.empty() && cost + added <= budget.tokens_max &&
        batches.back().end - batches.back().begin < static_cast<size_t>(budget.sequences_max);
    if (fits) {
      cost += added;
      batches.back().end = i + 1;
    } else {
      cost = added;
      batches.push_back({i, i + 1});
    }
  }
  return batches;
}

}  // namespace podium
