// Memory reserved once and cut into aligned pieces; freed as a whole.
#ifndef PODIUM_BASE_ARENA_H_
#define PODIUM_BASE_ARENA_H_

#include <cstddef>
#include <span>

#include "base/check.h"

namespace podium {

/// Not thread-safe: cut by one thread, before use by many.
class Arena {
 public:
  static constexpr size_t kAlignment = 64;  // a cache line, and the widest vector

  Arena() = default;
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Maps `bytes` of zeroed memory, huge pages asked for. False when the system refuses.
  bool Reserve(size_t bytes);
  const void* data() const { return data_; }
  size_t size() const { return size_; }
  size_t used() const { return used_; }

  /// The next `count` elements. Asking for more than was reserved is a bug.
  template <typename T>
  std::span<T> Take(size_t count) {
    const size_t bytes = RoundUp(count * sizeof(T));
    PODIUM_CHECK(bytes <= size_ - used_);
    T* start = reinterpret_cast<T*>(data_ + used_);
    used_ += bytes;
    return {start, count};
  }
  static constexpr size_t RoundUp(size_t bytes) {
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
  }

 private:
  std::byte* data_ = nullptr;
  size_t size_ = 0;
  size_t used_ = 0;
};

}  // namespace podium

#endif  // PODIUM_BASE_ARENA_H_
