#include "base/byte_size.h"

#include <cstdio>

#include "base/concat.h"

namespace podium {

std::string ByteSize(uint64_t bytes) {
  if (bytes < 1000) return Concat(bytes, " B");
  constexpr const char* kUnits[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
  constexpr double kRoundsUp = 999.5;  // three digits: 999,600 B is 1.00 MB, not 1000 kB
  double value = static_cast<double>(bytes) / 1000;
  const char* const* unit = kUnits;
  for (; value >= kRoundsUp; ++unit) value /= 1000;
  char text[32];
  std::snprintf(text, sizeof text,
                value < 9.995   ? "%.2f %s"
                : value < 99.95 ? "%.1f %s"
                                : "%.0f %s",
                value, *unit);
  return text;
}

}  // namespace podium
