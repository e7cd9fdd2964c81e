// What measurements are timed with.
#ifndef PODIUM_MEASURE_CLOCK_H_
#define PODIUM_MEASURE_CLOCK_H_

#include <chrono>

namespace podium::measure {

/// Seconds on a steady clock.
inline double Now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace podium::measure

#endif  // PODIUM_MEASURE_CLOCK_H_
