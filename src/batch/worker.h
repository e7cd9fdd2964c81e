// The one thread of a lane: takes batches, of whatever model, scores them, brings the logits back.
#ifndef PODIUM_BATCH_WORKER_H_
#define PODIUM_BATCH_WORKER_H_

#include <chrono>
#include <functional>
#include <span>
#include <thread>

#include "batch/queue.h"
#include "engine/engine.h"

namespace podium {

/// What a batch was, for whoever counts.
struct BatchReport {
  int model = 0;
  int pairs = 0;
  int tokens = 0;
  int requests = 0;
  double fill = 0;  // its cost over the budget; above 1 for a long pair alone
  std::chrono::steady_clock::duration compute{0};
  bool ok = true;
};

class Worker {
 public:
  using ScoreBatch =
      std::function<Status(int model, const Batch&, std::span<float>, const Interrupt&)>;

  /// Starts the thread, named podium-lane. `score` runs on it, as member 0 of the team; `report`
  /// too, after each batch, and only counts. The queue outlives the worker.
  Worker(JobQueue& queue, ScoreBatch score, std::function<void(const BatchReport&)> report);
  /// Stops the queue and waits until all that was added has ended.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

 private:
  void Loop();

  JobQueue& queue_;
  const ScoreBatch score_;
  const std::function<void(const BatchReport&)> report_;
  JobQueue::Running running_;  // the thread's
  std::thread thread_;
};

}  // namespace podium

#endif  // PODIUM_BATCH_WORKER_H_
