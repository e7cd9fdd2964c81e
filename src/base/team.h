// The compute team: the process's cores as named threads that run one parallel loop at a time.
#ifndef PODIUM_BASE_TEAM_H_
#define PODIUM_BASE_TEAM_H_

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "base/function_ref.h"

namespace podium {

/// Cores this process may use: the smaller of its affinity mask and its cgroup quota rounded down,
/// at least 1.
int UsableCores();

/// A fixed set of threads. One thread at a time may call ParallelFor: the owner of the lane that
/// uses the team. The caller works too, as member 0. Members spin for `spin_us` between loops, then
/// sleep.
class Team {
 public:
  explicit Team(int size, int spin_us = 50);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int size() const { return static_cast<int>(threads_.size()) + 1; }

  /// Runs body(task, member) once for every task in [0, tasks), member in [0, size()). Tasks are
  /// claimed in rising order by whoever is free. Returns when all have ended; their writes are
  /// visible to the caller. Never allocates.
  void ParallelFor(int tasks, FunctionRef<void(int task, int member)> body);

 private:
  void MemberLoop(int member);
  void Work(int member);

  const int spin_us_;
  std::vector<std::thread> threads_;
  const FunctionRef<void(int, int)>* body_ = nullptr;
  int tasks_ = 0;
  alignas(64) std::atomic<uint32_t> epoch_{0};  // one more for every loop
  alignas(64) std::atomic<int> next_task_{0};
  alignas(64) std::atomic<int> busy_{0};  // members that have not left the loop yet
  std::atomic<bool> stop_{false};
};

}  // namespace podium

#endif  // PODIUM_BASE_TEAM_H_
