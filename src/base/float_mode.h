// The floating-point environment of compute code: round to nearest, subnormals flushed, no traps.
// Whatever the host program has set, a score is computed under this mode, so it does not depend on
// the caller.
#ifndef PODIUM_BASE_FLOAT_MODE_H_
#define PODIUM_BASE_FLOAT_MODE_H_

#include <cstdint>

namespace podium {

/// Sets the mode for this thread and puts the old one back.
class ScopedFloatMode {
 public:
  ScopedFloatMode();
  ~ScopedFloatMode();
  ScopedFloatMode(const ScopedFloatMode&) = delete;
  ScopedFloatMode& operator=(const ScopedFloatMode&) = delete;

 private:
  uint64_t saved_;
};

}  // namespace podium

#endif  // PODIUM_BASE_FLOAT_MODE_H_
