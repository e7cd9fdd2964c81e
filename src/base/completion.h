// A callback that fires exactly once, by construction.
#ifndef PODIUM_BASE_COMPLETION_H_
#define PODIUM_BASE_COMPLETION_H_

#include <functional>
#include <new>
#include <utility>

#include "base/check.h"
#include "base/status.h"

namespace podium {

/// Where a result goes. Calling it twice is a bug and aborts; one that is dropped uncalled answers
/// with an internal error, so that no caller waits for ever. T is made from a Status. The callback
/// may run on any thread: it only hands the result on. Movable; one thread at a time.
template <typename T>
class Completion {
 public:
  Completion() = default;
  explicit Completion(std::function<void(T)> fire) : fire_(std::move(fire)) {}
  Completion(Completion&& other) noexcept : fire_(std::exchange(other.fire_, nullptr)) {}
  Completion& operator=(Completion&& other) noexcept {
    if (this != &other) {
      Drop();
      fire_ = std::exchange(other.fire_, nullptr);
    }
    return *this;
  }
  ~Completion() { Drop(); }

  bool fired() const { return fire_ == nullptr; }
  void operator()(T result) {
    PODIUM_CHECK(fire_ != nullptr);
    std::exchange(fire_, nullptr)(std::move(result));
  }

 private:
  void Drop() noexcept {
    if (fire_ == nullptr) return;
    try {
      std::exchange(fire_, nullptr)(T(Internal("the request was dropped without an answer")));
    } catch (const std::bad_alloc&) {
      // No memory even to say that: what the callback held is gone with it, which is what is seen.
    }
  }
  std::function<void(T)> fire_;
};

}  // namespace podium

#endif  // PODIUM_BASE_COMPLETION_H_
