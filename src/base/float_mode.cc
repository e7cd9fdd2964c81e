#include "base/float_mode.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace podium {

#if defined(__x86_64__)
namespace {
constexpr unsigned kMode = 0x1F80     // all exceptions masked, round to nearest
                           | 0x8000   // flush to zero
                           | 0x0040;  // denormals are zero
}
ScopedFloatMode::ScopedFloatMode() : saved_(_mm_getcsr()) { _mm_setcsr(kMode); }
ScopedFloatMode::~ScopedFloatMode() { _mm_setcsr(static_cast<unsigned>(saved_)); }
#elif defined(__aarch64__)
ScopedFloatMode::ScopedFloatMode() {
  asm volatile("mrs %0, fpcr" : "=r"(saved_));
  const uint64_t mode = uint64_t{1} << 24;  // flush to zero, round to nearest, no traps
  asm volatile("msr fpcr, %0" : : "r"(mode));
}
ScopedFloatMode::~ScopedFloatMode() { asm volatile("msr fpcr, %0" : : "r"(saved_)); }
#else
ScopedFloatMode::ScopedFloatMode() : saved_(0) {}
ScopedFloatMode::~ScopedFloatMode() = default;
#endif

}  // namespace podium
