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
#include "batch/fill_wait.h"
#include "batch/jobs.h"
#include "batch/waiting.h"
#include "engine/engine.h"

namespace podium {

/// Any thread adds and cancels; one worker takes. Completions fire on the thread that ended the
/// request (the worker's, or the caller's of Cancel), never under the lock.
class JobQueue {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  /// The budget of each model; `patience` is for a fuller batch (fill_wait.h).
  explicit JobQueue(std::vector<BatchBudget> budgets,
                    std::chrono::microseconds patience = std::chrono::microseconds(0));

  /// The number to cancel it by. `jobs` has at least one pair, and types where the model wants
  /// them.
  uint64_t Add(std::unique_ptr<Jobs> jobs, Completion<JobsResult> done) EXCLUDES(mutex_);
  /// Ends the request with kCancelled: at once when it only waits, else when its batch has ended.
  /// A batch that nobody wants any more is stopped between two layers. Unknown numbers are ignored.
  void Cancel(uint64_t request) EXCLUDES(mutex_);
  /// The worker returns when nothing waits any more.
  void Stop() EXCLUDES(mutex_);

  /// Pairs of a model that wait.
  size_t pairs(int model) EXCLUDES(mutex_);
  /// Seconds until a new request of this cost and share would have ended, with `ahead` more of them
  /// before it that have not come here yet; 0 while the speed is not known.
  double EstimatedSeconds(int model, double cost, double share, double ahead) EXCLUDES(mutex_);
  /// Until all that waits or runs would have ended, as far as speeds are known.
  double SecondsInside() EXCLUDES(mutex_);
  /// Measured, in cost per second; 0 before the model's first batch.
  double speed(int model) EXCLUDES(mutex_);

  /// What the worker runs: copies of the ids of each slice, laid end to end.
  struct Running {
    std::vector<JobSlice> slices;
    std::vector<uint64_t> expired;
    std::vector<int32_t> ids;
    std::vector<uint8_t> types;
    std::vector<int32_t> starts;
    int model = 0;
    double cost = 0;
    double fill = 0;     // the cost over the model's budget
    TimePoint deadline;  // the last one of its requests
    std::atomic<bool> cancel{false};
  };
  /// Memory for the lists of a batch's requests, so that taking and ending one needs none.
  void Reserve(Running& running);
  /// Blocks for the next batch; false after Stop(). For the worker, as is EndBatch. Requests whose
  /// ids cannot be copied for want of memory end with kResourceExhausted.
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
  /// Takes it out, to be told `status` when the lock is free.
  void Finish(uint64_t number, Status status, Ended& ended) REQUIRES(mutex_);
  /// Until there is something to take, or nothing will come.
  void AwaitWork() REQUIRES(mutex_);
  /// What slices of the waiting requests are, copied.
  void Gather(Running& running) REQUIRES(mutex_);
  double Seconds(int model, double cost) const REQUIRES(mutex_);

  const std::vector<BatchBudget> budgets_;
  Mutex mutex_;
  ConditionVariable changed_;
  WaitingPairs waiting_ GUARDED_BY(mutex_);
  FillWait fill_wait_ GUARDED_BY(mutex_);
  Requests requests_ GUARDED_BY(mutex_);
  uint64_t next_ GUARDED_BY(mutex_) = 1;
  bool stop_ GUARDED_BY(mutex_) = false;
  Running* running_ GUARDED_BY(mutex_) = nullptr;
  size_t wanted_ GUARDED_BY(mutex_) = 0;  // requests of the running batch that were not cancelled
  std::vector<double> speeds_ GUARDED_BY(mutex_);  // of each model
  Ended ended_;                                    // the worker's
};

}  // namespace podium

#endif  // PODIUM_BATCH_QUEUE_H_
