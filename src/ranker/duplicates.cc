#include "ranker/duplicates.h"

#include <algorithm>

namespace podium {
namespace {

// Two multiply-and-fold steps per id. Equality is always checked on the ids themselves, so a
// collision costs time only.
uint64_t Hash(std::span<const int32_t> ids) {
  uint64_t hash = ids.size();
  for (const int32_t id : ids) {
    hash = (hash ^ static_cast<uint32_t>(id)) * 0x9E3779B97F4A7C15u;  // 2^64 / golden ratio
    hash ^= hash >> 32;
  }
  return hash;
}

}  // namespace

std::optional<uint32_t> Duplicates::FindOrAdd(std::span<const int32_t> ids, uint32_t index) {
  const uint64_t hash = Hash(ids);
  const auto [begin, end] = entries_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    const Entry& entry = it->second;
    if (entry.length == ids.size() &&
        std::equal(ids.begin(), ids.end(),
                   ids_.begin() + static_cast<std::ptrdiff_t>(entry.start))) {
      return entry.index;
    }
  }
  if (ids_.size() + ids.size() <= ids_max_) {
    entries_.emplace(hash, Entry{ids_.size(), static_cast<uint32_t>(ids.size()), index});
    ids_.insert(ids_.end(), ids.begin(), ids.end());
  }
  return std::nullopt;
}

}  // namespace podium
