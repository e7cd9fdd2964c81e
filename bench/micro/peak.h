// What the processor can do at most: registers only, no memory. Results are stated as a share of
// this, measured in the same run.
#ifndef PODIUM_BENCH_MICRO_PEAK_H_
#define PODIUM_BENCH_MICRO_PEAK_H_

#include <string>

namespace podium::bench {

enum class Unit { kFp32, kInt8 };

/// Operations per second (a multiply-add is two) of one thread running the widest instruction that
/// a table has for the unit, for about `seconds`: FMA for fp32; tdpbusd or vpdpbusd for int8, and
/// FMA where a table has neither. 0 when the table has no FMA either (scalar).
double Peak(const std::string& table, Unit unit, double seconds);

/// The same on `threads` threads at once, added up.
double PeakThreads(const std::string& table, Unit unit, double seconds, int threads);

}  // namespace podium::bench

#endif  // PODIUM_BENCH_MICRO_PEAK_H_
