#include "engine/engine.h"

namespace podium {

Status Interrupt::Check() const {
  if (cancel != nullptr && cancel->load(std::memory_order_relaxed)) {
    return Status(StatusCode::kCancelled, "the caller cancelled");
  }
  if (deadline != std::chrono::steady_clock::time_point::max() &&
      std::chrono::steady_clock::now() >= deadline) {
    return Status(StatusCode::kDeadlineExceeded, "the deadline passed");
  }
  return OkStatus();
}

}  // namespace podium
