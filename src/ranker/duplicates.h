// Which pairs of a request have been seen before.
#ifndef PODIUM_RANKER_DUPLICATES_H_
#define PODIUM_RANKER_DUPLICATES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace podium {

/// Remembers pairs by their ids, so that a pair is scored once in a request. Texts that give the
/// same ids (also after the cut) are the same pair. Memory is bounded: past `ids_max` remembered
/// ids new pairs are not remembered, and copies of those are scored again. One thread at a time.
class Duplicates {
 public:
  explicit Duplicates(size_t ids_max) : ids_max_(ids_max) {}

  /// The index given with the first pair of these ids, or nullopt for a new one, which is
  /// remembered under `index`.
  std::optional<uint32_t> FindOrAdd(std::span<const int32_t> ids, uint32_t index);

 private:
  struct Entry {
    size_t start;
    uint32_t length;
    uint32_t index;
  };
  const size_t ids_max_;
  std::vector<int32_t> ids_;
  std::unordered_multimap<uint64_t, Entry> entries_;  // by hash of the ids
};

}  // namespace podium

#endif  // PODIUM_RANKER_DUPLICATES_H_
