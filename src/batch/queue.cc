#include "batch/queue.h"

#include <algorithm>
#include <utility>

namespace podium {
namespace {

// Weight of a new batch in the running mean of the speed: some ten batches are remembered.
constexpr double kSpeedWeight = 0.1;
// Batches below this share of the budget are slower for their size. They may raise the speed, but
// not lower it: it is there to tell how long a queue takes, and a queue fills its batches.
constexpr double kTellingFill = 0.5;

}  // namespace

double JobQueue::Cost(std::span<const int> lengths) const {
  double cost = 0;
  for (const int length : lengths) cost += budget_.Cost(length);
  return cost;
}

uint64_t JobQueue::Add(std::unique_ptr<Jobs> jobs, Completion<JobsResult> done) {
  jobs->queued = std::chrono::steady_clock::now();
  jobs->logits.resize(jobs->lengths.size());
  uint64_t number = 0;
  {
    MutexLock lock(mutex_);
    number = next_++;
    waiting_.Add(number, jobs->lengths, jobs->deadline);
    Request& request = requests_[number];
    request.open = jobs->lengths.size();
    request.jobs = std::move(jobs);
    request.done = std::move(done);
  }
  changed_.notify_one();
  return number;
}

void JobQueue::Fire(Ended& ended) {
  for (auto& [request, status] : ended) {
    request.done(JobsResult(std::move(status), std::move(request.jobs)));
  }
  ended.clear();
}

void JobQueue::Cancel(uint64_t number) {
  Ended ended;
  {
    MutexLock lock(mutex_);
    const auto found = requests_.find(number);
    if (found == requests_.end() || found->second.cancelled) return;
    waiting_.Remove(number);
    if (found->second.running) {
      found->second.cancelled = true;
      if (--wanted_ == 0) running_->cancel.store(true, std::memory_order_relaxed);
    } else {
      ended.emplace_back(std::move(found->second),
                         Status(StatusCode::kCancelled, "the client left"));
      requests_.erase(found);
    }
  }
  Fire(ended);
}

void JobQueue::Stop() {
  {
    MutexLock lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
}

JobQueue::Load JobQueue::load() {
  MutexLock lock(mutex_);
  return {requests_.size(), waiting_.pairs(), waiting_.cost()};
}

double JobQueue::EstimatedSeconds(double cost, double ahead) {
  const double speed = speed_.load(std::memory_order_relaxed);
  if (speed <= 0) return 0;
  MutexLock lock(mutex_);
  return (running_cost_ + waiting_.CostBefore(cost) + ahead + cost) / speed;
}

bool JobQueue::TakeBatch(Running& running) {
  std::vector<uint64_t> expired;
  Ended ended;
  running.slices.clear();
  while (running.slices.empty()) {
    bool stopped = false;
    {
      MutexLock lock(mutex_);
      while (waiting_.requests() == 0 && !stop_) changed_.wait(mutex_);
      stopped = stop_ && waiting_.requests() == 0;
      if (!stopped) {
        waiting_.TakeBatch(std::chrono::steady_clock::now(), speed(), running.slices, expired);
      }
      for (const uint64_t number : expired) {
        const auto found = requests_.find(number);
        ended.emplace_back(std::move(found->second), Status(StatusCode::kDeadlineExceeded,
                                                            "the deadline passed while waiting"));
        requests_.erase(found);
      }
      expired.clear();
      running_ = nullptr;
      wanted_ = 0;
      if (!running.slices.empty()) {
        running.ids.clear();
        running.types.clear();
        running.starts.assign(1, 0);
        running.cost = 0;
        running.deadline = TimePoint::min();
        running.cancel.store(false, std::memory_order_relaxed);
        for (const JobSlice& slice : running.slices) {
          Request& request = requests_.find(slice.request)->second;
          request.running = true;
          const Jobs& jobs = *request.jobs;
          running.deadline = std::max(running.deadline, jobs.deadline);
          size_t from = 0;
          for (uint32_t i = 0; i < slice.begin; ++i) from += static_cast<size_t>(jobs.lengths[i]);
          size_t size = 0;
          for (uint32_t i = slice.begin; i < slice.end; ++i) {
            size += static_cast<size_t>(jobs.lengths[i]);
            running.starts.push_back(running.starts.back() + jobs.lengths[i]);
            running.cost += budget_.Cost(jobs.lengths[i]);
          }
          const auto cut = [&](const auto& all) {
            const auto begin = all.begin() + static_cast<std::ptrdiff_t>(from);
            return std::pair(begin, begin + static_cast<std::ptrdiff_t>(size));
          };
          const auto [ids, ids_end] = cut(jobs.ids);
          running.ids.insert(running.ids.end(), ids, ids_end);
          const auto [types, types_end] = cut(jobs.types);
          running.types.insert(running.types.end(), types, types_end);
        }
        running_ = &running;
        running_cost_ = running.cost;
        wanted_ = running.slices.size();
      }
    }
    Fire(ended);
    if (stopped) return false;
  }
  return true;
}

void JobQueue::EndBatch(const Running& running, const Status& status, std::span<const float> logits,
                        TimePoint started, TimePoint ended_at) {
  const double seconds = std::chrono::duration<double>(ended_at - started).count();
  if (status.ok() && seconds > 0) {
    const double now = running.cost / seconds;
    const double before = speed_.load(std::memory_order_relaxed);
    if (before <= 0) {
      speed_.store(now, std::memory_order_relaxed);
    } else if (now > before || running.cost >= kTellingFill * budget_.tokens_max) {
      speed_.store(before + kSpeedWeight * (now - before), std::memory_order_relaxed);
    }
  }
  Ended ended;
  {
    MutexLock lock(mutex_);
    running_ = nullptr;
    running_cost_ = 0;
    const float* logit = logits.data();
    for (const JobSlice& slice : running.slices) {
      const auto found = requests_.find(slice.request);
      Request& request = found->second;
      request.running = false;
      Jobs& jobs = *request.jobs;
      if (jobs.batches++ == 0) jobs.started = started;
      jobs.ended = ended_at;
      jobs.compute += ended_at - started;
      const size_t count = slice.end - slice.begin;
      if (status.ok()) {
        std::copy_n(logit, count, jobs.logits.begin() + static_cast<std::ptrdiff_t>(slice.begin));
        request.open -= count;
      }
      logit += count;
      Status outcome;
      if (request.cancelled) {
        outcome = Status(StatusCode::kCancelled, "the client left");
      } else if (!status.ok()) {
        outcome = status;
        waiting_.Remove(slice.request);
      } else if (request.open > 0) {
        continue;
      }
      ended.emplace_back(std::move(request), std::move(outcome));
      requests_.erase(found);
    }
  }
  Fire(ended);
}

}  // namespace podium
