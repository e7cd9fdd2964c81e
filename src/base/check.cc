#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace podium {

void CheckFailed(const char* file, int line, const char* condition) {
  std::fprintf(stderr, "podium: bug: %s:%d: %s does not hold\n", file, line, condition);
  std::abort();
}

}  // namespace podium
