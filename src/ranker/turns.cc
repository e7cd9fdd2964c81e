#include "ranker/turns.h"

#include <algorithm>
#include <chrono>

namespace podium {

Status Turns::Enter(const Interrupt& interrupt) {
  // A cancel flag cannot wake anyone, so it is looked at this often.
  constexpr std::chrono::milliseconds kCancelPoll(2);
  using Clock = std::chrono::steady_clock;
  MutexLock lock(mutex_);
  const uint64_t ticket = next_ticket_++;
  waiting_.push_back(ticket);
  while (waiting_.front() != ticket) {
    if (Status status = interrupt.Check(); !status.ok()) {
      waiting_.erase(std::find(waiting_.begin(), waiting_.end(), ticket));
      return status;
    }
    Clock::time_point until = interrupt.deadline;
    if (interrupt.cancel != nullptr) until = std::min(until, Clock::now() + kCancelPoll);
    if (until == Clock::time_point::max()) {
      changed_.wait(mutex_);
    } else {
      changed_.wait_until(mutex_, until);
    }
  }
  return OkStatus();
}

size_t Turns::queued() {
  MutexLock lock(mutex_);
  return waiting_.size();
}

void Turns::Leave() {
  {
    MutexLock lock(mutex_);
    waiting_.pop_front();
  }
  changed_.notify_all();
}

}  // namespace podium
