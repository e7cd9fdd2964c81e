// What the processor can do at most: registers only, no memory. Results are stated as a share of
// this, measured in the same run.
#ifndef PODIUM_BENCH_MICRO_PEAK_H_
#define PODIUM_BENCH_MICRO_PEAK_H_

#include <string>

namespace podium::bench {

/// fp32 operations per second (a fused multiply-add is two) of one thread running the table's
/// widest FMA for about `seconds`. 0 when the table has no FMA (scalar).
double PeakFp32(const std::string& table, double seconds);

/// The same on `threads` threads at once, added up.
double PeakFp32Threads(const std::string& table, double seconds, int threads);

}  // namespace podium::bench

#endif  // PODIUM_BENCH_MICRO_PEAK_H_
