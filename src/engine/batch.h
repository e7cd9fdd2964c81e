// What an engine gets: sequences laid end to end, no padding.
#ifndef PODIUM_ENGINE_BATCH_H_
#define PODIUM_ENGINE_BATCH_H_

#include <cstdint>
#include <span>

namespace podium {

/// A borrowed view of n sequences of T tokens in all.
struct Batch {
  std::span<const int32_t> ids;    // [T], each within the vocabulary
  std::span<const uint8_t> types;  // [T] segment ids, or empty for all 0
  std::span<const int32_t>
      starts;  // [n + 1] cumulative lengths: sequence i is [starts[i], starts[i + 1])
  std::span<const int32_t> queries;  // [n] which query a sequence belongs to, or empty; a hint for
                                     // sharing, never for scores

  int size() const { return starts.empty() ? 0 : static_cast<int>(starts.size()) - 1; }
  int tokens() const { return static_cast<int>(ids.size()); }
};

}  // namespace podium

#endif  // PODIUM_ENGINE_BATCH_H_
