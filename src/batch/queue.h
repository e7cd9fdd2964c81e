// Requests' jobs wait here for the lane: the lock around WaitingPairs, and what is running.
#ifndef PODIUM_BATCH_QUEUE_H_
#define PODIUM_BATCH_QUEUE_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/completion.h"
#include "base/mutex.h"
#include "batch/jobs.h"
#include "batch/waiting.h"
#include "engine/engine.h"

namespace podium {

/// Any thread adds and cancels; one worker takes. Completions fire on the thread that ended the
/// request (the worker's, or the caller's of Cancel), never under the lock.
class JobQueue {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  explicit JobQueue(const BatchBudget& budget) : waiting_(budget), budget_(budget) {}

  /// The number to cancel it by. `jobs` has at least one pair, and types where the model wants
  /// them.
  uint64_t Add(std::unique_ptr<Jobs> jobs, Completion<JobsResult> done) EXCLUDES(mutex_);
  /// Ends the request with kCancelled: at once when it only waits, else when its batch has ended.
  /// A batch that nobody wants any more is stopped between two layers. Unknown numbers are ignored.
  void Cancel(uint64_t request) EXCLUDES(mutex_);
  /// The worker returns when nothing waits any more.
  void Stop() EXCLUDES(mutex_);

  struct Load {
    size_t requests = 0;  // waiting or running
    size_t pairs = 0;     // waiting
    double cost = 0;      // waiting
  };
  Load load() EXCLUDES(mutex_);
  /// Seconds until a new request of this cost would have ended, with `ahead` more cost before it
  /// that has not come here yet; 0 while the speed is not known.
  double EstimatedSeconds(double cost, double ahead) EXCLUDES(mutex_);
  double Cost(std::span<const int> lengths) const;
  /// Measured, in cost per second; 0 before the first batch.
  double speed() const { return speed_.load(std::memory_order_relaxed); }

  /// What the worker runs: copies of the ids of each slice, laid end to end.
  struct Running {
    std::vector<JobSlice> slices;
    std::vector<int32_t> ids;
    std::vector<uint8_t> types;
    std::vector<int32_t> starts;
    double cost = 0;
    TimePoint deadline;  // the last one of its requests
    std::atomic<bool> cancel{false};
  };
  /// Blocks for the next batch; false after Stop(). For the worker, as is EndBatch.
  bool TakeBatch(Running& running) EXCLUDES(mutex_);
  void EndBatch(const Running& running, const Status& status, std::span<const float> logits,
                TimePoint started, TimePoint ended) EXCLUDES(mutex_);

 private:
  struct Request {
    std::unique_ptr<Jobs> jobs;
    Completion<JobsResult> done;
    size_t open = 0;       // slots not filled yet
    bool running = false;  // a slice of it is in the batch
    bool cancelled = false;
  };
  using Requests = std::unordered_map<uint64_t, Request>;
  using Ended = std::vector<std::pair<Request, Status>>;

  void Fire(Ended& ended);

  Mutex mutex_;
  ConditionVariable changed_;
  WaitingPairs waiting_ GUARDED_BY(mutex_);
  Requests requests_ GUARDED_BY(mutex_);
  uint64_t next_ GUARDED_BY(mutex_) = 1;
  bool stop_ GUARDED_BY(mutex_) = false;
  Running* running_ GUARDED_BY(mutex_) = nullptr;
  size_t wanted_ GUARDED_BY(mutex_) = 0;  // requests of the running batch that were not cancelled
  double running_cost_ GUARDED_BY(mutex_) = 0;
  const BatchBudget budget_;
  std::atomic<double> speed_{0};
};

}  // namespace podium

#endif  // PODIUM_BATCH_QUEUE_H_
