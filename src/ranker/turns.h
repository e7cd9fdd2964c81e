// One lane, many callers: who is next.
#ifndef PODIUM_RANKER_TURNS_H_
#define PODIUM_RANKER_TURNS_H_

#include <cstddef>
#include <cstdint>
#include <deque>

#include "base/mutex.h"
#include "engine/engine.h"

namespace podium {

/// First come, first served. A caller takes a turn per batch, not per request, so that a short
/// request beside a long one waits for one batch. Any thread.
class Turns {
 public:
  /// Blocks until it is the caller's turn, or returns why waiting ended: kCancelled or
  /// kDeadlineExceeded. After ok, Leave() must follow.
  Status Enter(const Interrupt& interrupt) EXCLUDES(mutex_);
  void Leave() EXCLUDES(mutex_);
  /// Callers inside and waiting.
  size_t queued() EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  ConditionVariable changed_;
  std::deque<uint64_t> waiting_ GUARDED_BY(mutex_);  // tickets; the front one is inside
  uint64_t next_ticket_ GUARDED_BY(mutex_) = 0;
};

/// Ends the caller's turn, however its scope is left.
class LeaveAtEnd {
 public:
  explicit LeaveAtEnd(Turns& turns) : turns_(turns) {}
  ~LeaveAtEnd() { turns_.Leave(); }
  LeaveAtEnd(const LeaveAtEnd&) = delete;
  LeaveAtEnd& operator=(const LeaveAtEnd&) = delete;

 private:
  Turns& turns_;
};

}  // namespace podium

#endif  // PODIUM_RANKER_TURNS_H_
