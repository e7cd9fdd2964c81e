#include "observe/process_figures.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace podium {
namespace {

int OpenDescriptors() {
  std::error_code error;
  int count = 0;
  for (std::filesystem::directory_iterator at("/proc/self/fd", error), end; !error && at != end;
       at.increment(error)) {
    ++count;
  }
  return std::max(0, count - 1);  // less the one that reads the folder
}

// The cgroup's own folder and those above it, as far as they are seen here.
template <typename Visit>
void VisitGroups(Visit visit) {
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const size_t first = line.find(':');
    const size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string root =
        controllers.empty() ? "/sys/fs/cgroup" : "/sys/fs/cgroup/" + controllers;
    std::string path = line.substr(second + 1);
    while (true) {
      visit(root + path);
      const size_t slash = path.rfind('/');
      if (slash == std::string::npos || path.empty()) break;
      path.resize(slash);
    }
  }
}

// A limit in a file of a group; 0 for none ("max", or version 1's huge number).
int64_t ReadLimit(const std::string& name) {
  constexpr int64_t kNone = int64_t{1} << 60;
  int64_t limit = 0;
  std::ifstream file(name);
  return (file >> limit) && limit < kNone ? limit : 0;
}

}  // namespace

ProcessFigures ReadProcessFigures() {
  ProcessFigures figures;
  int64_t pages = 0;
  int64_t resident = 0;
  if (std::ifstream("/proc/self/statm") >> pages >> resident) {
    figures.resident_bytes = resident * sysconf(_SC_PAGESIZE);
  }
  rusage usage = {};
  if (getrusage(RUSAGE_SELF, &usage) == 0) {
    const auto seconds = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    figures.cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  }
  figures.open_descriptors = OpenDescriptors();
  VisitGroups([&](const std::string& folder) {
    std::ifstream stat(folder + "/cpu.stat");
    std::string key;
    for (double value = 0; stat >> key >> value;) {
      if (key == "throttled_usec") {
        figures.throttled_seconds = std::max(figures.throttled_seconds, value * 1e-6);
      } else if (key == "throttled_time") {
        figures.throttled_seconds = std::max(figures.throttled_seconds, value * 1e-9);
      }
    }
    for (const char* name : {"/memory.max", "/memory.limit_in_bytes"}) {
      const int64_t limit = ReadLimit(folder + name);
      const int64_t before = figures.memory_limit_bytes;
      if (limit > 0) figures.memory_limit_bytes = before > 0 ? std::min(before, limit) : limit;
    }
  });
  return figures;
}

}  // namespace podium
