// What the system says of this process.
#ifndef PODIUM_OBSERVE_PROCESS_FIGURES_H_
#define PODIUM_OBSERVE_PROCESS_FIGURES_H_

#include <cstdint>

namespace podium {

/// 0 where the system does not tell.
struct ProcessFigures {
  int64_t resident_bytes = 0;
  double cpu_seconds = 0;
  int open_descriptors = 0;
  double throttled_seconds = 0;  // the cgroup's processor quota was used up
  /// The smallest memory limit of the cgroups that the process is in; 0 for none.
  int64_t memory_limit_bytes = 0;
};

ProcessFigures ReadProcessFigures();

}  // namespace podium

#endif  // PODIUM_OBSERVE_PROCESS_FIGURES_H_
