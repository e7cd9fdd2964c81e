// The benchmarks' clock.
#ifndef PODIUM_BENCH_MICRO_CLOCK_H_
#define PODIUM_BENCH_MICRO_CLOCK_H_

#include <chrono>

namespace podium::bench {

/// Seconds on a steady clock.
inline double Now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace podium::bench

#endif  // PODIUM_BENCH_MICRO_CLOCK_H_
