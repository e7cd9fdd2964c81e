#include "batch/queue.h"

#include <algorithm>
#include <new>
#include <utility>

namespace podium {
namespace {

// Weight of a new batch in the running mean of the speed: some ten batches are remembered.
constexpr double kSpeedWeight = 0.1;
// Batches below this share of the budget are slower for their size. They may raise the speed, but
// not lower it: it is there to tell how long a queue takes, and a queue fills its batches.
constexpr double kTellingFill = 0.5;

constexpr const char* kLeft = "the client left";

// Where there is no memory for the message the code stands alone: a request ends in any case.
Status Told(StatusCode code, const char* message) {
  try {
    return Status(code, message);
  } catch (const std::bad_alloc&) {
    return Status(code, "");
  }
}

}  // namespace

JobQueue::JobQueue(std::vector<BatchBudget> budgets, std::chrono::microseconds patience)
    : budgets_(std::move(budgets)),
      waiting_(budgets_),
      fill_wait_(patience),
      speeds_(budgets_.size()) {}

uint64_t JobQueue::Add(std::unique_ptr<Jobs> jobs, Completion<JobsResult> done) {
  jobs->queued = std::chrono::steady_clock::now();
  jobs->logits.resize(jobs->lengths.size());
  uint64_t number = 0;
  {
    MutexLock lock(mutex_);
    number = next_++;
    const double speed = speeds_[static_cast<size_t>(jobs->model)];
    Request& request = requests_[number];
    try {
      waiting_.Add(number, {.lengths = jobs->lengths,
                            .deadline = jobs->deadline,
                            .model = jobs->model,
                            .share = jobs->share,
                            .work_per_cost = speed > 0 && speeds_[0] > 0 ? speeds_[0] / speed : 1});
    } catch (const std::bad_alloc&) {
      requests_.erase(number);
      throw;
    }
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

void JobQueue::Finish(uint64_t number, Status status, Ended& ended) {
  const auto found = requests_.find(number);
  waiting_.Remove(number);
  ended.emplace_back(std::move(found->second), std::move(status));
  requests_.erase(found);
}

void JobQueue::Cancel(uint64_t number) {
  Ended ended;
  ended.reserve(1);
  {
    MutexLock lock(mutex_);
    const auto found = requests_.find(number);
    if (found == requests_.end() || found->second.cancelled) return;
    if (found->second.running) {
      waiting_.Remove(number);
      found->second.cancelled = true;
      if (--wanted_ == 0) running_->cancel.store(true, std::memory_order_relaxed);
    } else {
      Finish(number, Told(StatusCode::kCancelled, kLeft), ended);
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

size_t JobQueue::pairs(int model) {
  MutexLock lock(mutex_);
  return waiting_.pairs(model);
}

double JobQueue::speed(int model) {
  MutexLock lock(mutex_);
  return speeds_[static_cast<size_t>(model)];
}

double JobQueue::Seconds(int model, double cost) const {
  const double speed = speeds_[static_cast<size_t>(model)];
  return speed > 0 ? cost / speed : 0;
}

double JobQueue::EstimatedSeconds(int model, double cost, double share, double ahead) {
  MutexLock lock(mutex_);
  const double own = Seconds(model, cost);
  if (own == 0 || speeds_[0] <= 0) return 0;
  const double running = running_ == nullptr ? 0 : Seconds(running_->model, running_->cost);
  return running + waiting_.SecondsBefore(own * speeds_[0] / share, speeds_) + ahead + own;
}

double JobQueue::SecondsInside() {
  MutexLock lock(mutex_);
  double seconds = running_ == nullptr ? 0 : Seconds(running_->model, running_->cost);
  for (int model = 0; model < static_cast<int>(budgets_.size()); ++model) {
    seconds += Seconds(model, waiting_.cost(model));
  }
  return seconds;
}

void JobQueue::Gather(Running& running) {
  const BatchBudget& budget = budgets_[static_cast<size_t>(running.model)];
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
      running.cost += budget.Cost(jobs.lengths[i]);
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
  running.fill = running.cost / budget.tokens_max;
}

void JobQueue::AwaitWork() {
  fill_wait_.LaneFree(std::chrono::steady_clock::now(), waiting_.requests() > 0);
  while (!stop_) {
    const bool waits = waiting_.requests() > 0;
    if (waits && !fill_wait_.Waits(std::chrono::steady_clock::now(), waiting_.BatchIsFull()))
      return;
    if (waits) {
      changed_.wait_until(mutex_, fill_wait_.until());
    } else {
      changed_.wait(mutex_);
    }
  }
}

void JobQueue::Reserve(Running& running) {
  size_t sequences = 0;
  for (const BatchBudget& budget : budgets_) {
    sequences = std::max(sequences, static_cast<size_t>(budget.sequences_max));
  }
  running.slices.reserve(sequences);
  running.expired.reserve(WaitingPairs::kExpiredMax);
  ended_.reserve(sequences + WaitingPairs::kExpiredMax);
}

bool JobQueue::TakeBatch(Running& running) {
  running.slices.clear();
  while (running.slices.empty()) {
    {
      MutexLock lock(mutex_);
      AwaitWork();
      if (waiting_.requests() == 0) return false;  // stopped
      running.model = waiting_.TakeBatch(std::chrono::steady_clock::now(), speeds_, running.slices,
                                         running.expired);
      for (const uint64_t number : running.expired) {
        Finish(number, Told(StatusCode::kDeadlineExceeded, "the deadline passed while waiting"),
               ended_);
      }
      running_ = nullptr;
      wanted_ = 0;
      if (!running.slices.empty()) {
        try {
          Gather(running);
          running_ = &running;
          wanted_ = running.slices.size();
        } catch (const std::bad_alloc&) {
          for (const JobSlice& slice : running.slices) {
            Finish(slice.request, Told(StatusCode::kResourceExhausted, "out of memory"), ended_);
          }
          running.slices.clear();
        }
      }
    }
    Fire(ended_);
  }
  return true;
}

void JobQueue::EndBatch(const Running& running, const Status& status, std::span<const float> logits,
                        TimePoint started, TimePoint ended_at) {
  const double seconds = std::chrono::duration<double>(ended_at - started).count();
  {
    MutexLock lock(mutex_);
    running_ = nullptr;
    if (status.ok() && seconds > 0) {
      double& speed = speeds_[static_cast<size_t>(running.model)];
      const double now = running.cost / seconds;
      if (speed <= 0) {
        speed = now;
      } else if (now > speed || running.fill >= kTellingFill) {
        speed += kSpeedWeight * (now - speed);
      }
    }
    const float* logit = logits.data();
    for (const JobSlice& slice : running.slices) {
      Request& request = requests_.find(slice.request)->second;
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
      if (request.cancelled) {
        Finish(slice.request, Told(StatusCode::kCancelled, kLeft), ended_);
      } else if (!status.ok()) {
        Finish(slice.request, Told(status.code(), status.message().c_str()), ended_);
      } else if (request.open == 0) {
        Finish(slice.request, OkStatus(), ended_);
      }
    }
  }
  Fire(ended_);
}

}  // namespace podium
