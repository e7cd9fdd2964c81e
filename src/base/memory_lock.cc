#include "base/memory_lock.h"

#include <sys/mman.h>
#include <sys/resource.h>

#include <cerrno>
#include <system_error>

#include "base/concat.h"

namespace podium {

Status LockMemory(const void* data, size_t bytes, const std::string& what) {
  if (bytes == 0 || ::mlock(data, bytes) == 0) return OkStatus();
  const std::string error = std::generic_category().message(errno);
  rlimit limit = {};
  ::getrlimit(RLIMIT_MEMLOCK, &limit);
  const std::string allowed =
      limit.rlim_cur == RLIM_INFINITY ? "no limit" : Concat(limit.rlim_cur, " bytes");
  return ResourceExhausted(
      Concat(what, ": cannot lock ", bytes, " bytes in memory: ", error, "; this process may lock ",
             allowed, " (ulimit -l, systemd's LimitMEMLOCK, docker's --ulimit memlock)"));
}

}  // namespace podium
