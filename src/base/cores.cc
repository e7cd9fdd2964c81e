#include <sched.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <thread>

#include "base/team.h"

namespace podium {
namespace {

int AffinityCores() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (sched_getaffinity(0, sizeof mask, &mask) == 0) return CPU_COUNT(&mask);
  return static_cast<int>(std::thread::hardware_concurrency());  // more than CPU_SETSIZE processors
}

// Cores of one cgroup directory, or a large number without a limit.
int QuotaCores(const std::string& directory) {
  constexpr int kNoLimit = 1 << 20;
  double quota = -1;
  double period = 0;
  if (std::ifstream v2(directory + "/cpu.max"); v2) {
    std::string text;
    v2 >> text >> period;
    if (text == "max") return kNoLimit;
    quota = std::strtod(text.c_str(), nullptr);
  } else {
    std::ifstream(directory + "/cpu.cfs_quota_us") >> quota;
    std::ifstream(directory + "/cpu.cfs_period_us") >> period;
  }
  if (quota <= 0 || period <= 0) return kNoLimit;
  return std::max(1, static_cast<int>(quota / period));
}

}  // namespace

int UsableCores() {
  int cores = std::max(1, AffinityCores());
  // A limit may sit on any group from the root of what we see to our own.
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const size_t first = line.find(':');
    const size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool v2 = controllers.empty();
    if (!v2 && controllers.find("cpu") == std::string::npos) continue;
    const std::string root = v2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/" + controllers;
    std::string path = line.substr(second + 1);
    while (true) {
      cores = std::min(cores, QuotaCores(root + path));
      const size_t slash = path.rfind('/');
      if (slash == std::string::npos || path.empty()) break;
      path.resize(slash);
    }
  }
  return cores;
}

}  // namespace podium
