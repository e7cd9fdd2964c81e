#include "base/team.h"

#include <pthread.h>

#include <chrono>
#include <cstdio>

#include "base/check.h"
#include "base/float_mode.h"

namespace podium {
namespace {

inline void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Spins up to `spin_us`, then sleeps, until `value` differs from `old`.
template <typename T>
void AwaitChange(const std::atomic<T>& value, T old, int spin_us) {
  using Clock = std::chrono::steady_clock;
  if (spin_us > 0) {
    const auto end = Clock::now() + std::chrono::microseconds(spin_us);
    do {
      for (int i = 0; i < 64; ++i) {
        if (value.load(std::memory_order_acquire) != old) return;
        Pause();
      }
    } while (Clock::now() < end);
  }
  value.wait(old, std::memory_order_acquire);
}

}  // namespace

Team::Team(int size, int spin_us) : spin_us_(spin_us) {
  PODIUM_CHECK(size >= 1);
  threads_.reserve(static_cast<size_t>(size - 1));
  for (int member = 1; member < size; ++member) {
    threads_.emplace_back([this, member] { MemberLoop(member); });
    char name[16];
    std::snprintf(name, sizeof name, "podium-team-%d", member % 1000);
    pthread_setname_np(threads_.back().native_handle(), name);
  }
}

Team::~Team() {
  stop_.store(true, std::memory_order_relaxed);
  epoch_.fetch_add(1, std::memory_order_release);
  epoch_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Team::ParallelFor(int tasks, FunctionRef<void(int, int)> body) {
  ScopedFloatMode mode;
  if (threads_.empty() || tasks <= 1) {
    for (int task = 0; task < tasks; ++task) body(task, 0);
    return;
  }
  body_ = &body;
  tasks_ = tasks;
  next_task_.store(0, std::memory_order_relaxed);
  busy_.store(static_cast<int>(threads_.size()), std::memory_order_relaxed);
  epoch_.fetch_add(1, std::memory_order_release);
  epoch_.notify_all();
  Work(0);
  for (int left = busy_.load(std::memory_order_acquire); left != 0;
       left = busy_.load(std::memory_order_acquire)) {
    AwaitChange(busy_, left, spin_us_);
  }
}

void Team::MemberLoop(int member) {
  ScopedFloatMode mode;
  uint32_t seen = 0;
  while (true) {
    AwaitChange(epoch_, seen, spin_us_);
    seen = epoch_.load(std::memory_order_acquire);
    if (stop_.load(std::memory_order_relaxed)) return;
    Work(member);
    busy_.fetch_sub(1, std::memory_order_acq_rel);
    busy_.notify_one();
  }
}

void Team::Work(int member) {
  for (int task = next_task_.fetch_add(1, std::memory_order_relaxed); task < tasks_;
       task = next_task_.fetch_add(1, std::memory_order_relaxed)) {
    (*body_)(task, member);
  }
}

}  // namespace podium
