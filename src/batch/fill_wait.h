// How long a free lane waits for a fuller batch. Pure.
#ifndef PODIUM_BATCH_FILL_WAIT_H_
#define PODIUM_BATCH_FILL_WAIT_H_

#include <chrono>

namespace podium {

/// Under load only, and never longer than the limit: work that was there already when the lane came
/// free says that more of it is on its way, from the clients whose answers have just gone out. A
/// request that finds the lane idle starts at once, whatever the limit.
class FillWait {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  explicit FillWait(std::chrono::microseconds most) : most_(most) {}

  /// The lane came free; `loaded` says whether pairs wait.
  void LaneFree(TimePoint now, bool loaded) { until_ = loaded ? now + most_ : now; }
  /// Whether to wait for more now, with a batch that is `full` or not. Until until() at most.
  bool Waits(TimePoint now, bool full) const { return !full && now < until_; }
  TimePoint until() const { return until_; }

 private:
  std::chrono::microseconds most_;
  TimePoint until_;
};

}  // namespace podium

#endif  // PODIUM_BATCH_FILL_WAIT_H_
