#include "batch/worker.h"

#include <pthread.h>

#include <new>
#include <utility>
#include <vector>

namespace podium {

Worker::Worker(JobQueue& queue, ScoreBatch score, std::function<void(const BatchReport&)> report)
    : queue_(queue), score_(std::move(score)), report_(std::move(report)) {
  queue_.Reserve(running_);
  thread_ = std::thread([this] { Loop(); });
  pthread_setname_np(thread_.native_handle(), "podium-lane");
}

Worker::~Worker() {
  queue_.Stop();
  thread_.join();
}

void Worker::Loop() {
  JobQueue::Running& running = running_;
  std::vector<float> logits;
  while (queue_.TakeBatch(running)) {
    const auto started = std::chrono::steady_clock::now();
    Status status;
    try {
      logits.assign(running.starts.size() - 1, 0);
      const Batch batch{
          .ids = running.ids, .types = running.types, .starts = running.starts, .queries = {}};
      status = score_(running.model, batch, logits,
                      Interrupt{.deadline = running.deadline, .cancel = &running.cancel});
    } catch (const std::bad_alloc&) {
      status = ResourceExhausted("out of memory");
    }
    const auto ended = std::chrono::steady_clock::now();
    const BatchReport report{.model = running.model,
                             .pairs = static_cast<int>(running.starts.size()) - 1,
                             .tokens = static_cast<int>(running.ids.size()),
                             .requests = static_cast<int>(running.slices.size()),
                             .fill = running.fill,
                             .compute = ended - started,
                             .ok = status.ok()};
    report_(report);  // first: who is answered finds it counted
    queue_.EndBatch(running, status, logits, started, ended);
  }
}

}  // namespace podium
