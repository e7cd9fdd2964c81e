// What all bodies together may take: those that are read or answered, inflated ones too, and
// replies that are being written.
#ifndef PODIUM_NET_BODY_BYTES_H_
#define PODIUM_NET_BODY_BYTES_H_

#include <atomic>
#include <cstdint>

namespace podium {

/// Any thread.
class BodyBytes {
 public:
  explicit BodyBytes(int64_t inside_max) : inside_max_(inside_max) {}

  /// False when there is not enough left.
  bool Reserve(int64_t bytes) {
    if (held_.fetch_add(bytes, std::memory_order_relaxed) + bytes <= inside_max_) return true;
    Release(bytes);
    return false;
  }
  /// The same where it cannot be refused any more: what comes later has less.
  void Hold(int64_t bytes) { held_.fetch_add(bytes, std::memory_order_relaxed); }
  void Release(int64_t bytes) { held_.fetch_sub(bytes, std::memory_order_relaxed); }
  int64_t held() const { return held_.load(std::memory_order_relaxed); }

 private:
  const int64_t inside_max_;
  std::atomic<int64_t> held_{0};
};

}  // namespace podium

#endif  // PODIUM_NET_BODY_BYTES_H_
