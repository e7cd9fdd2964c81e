#include "engine/native/plan.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace podium {

int PlanBlockRows(int rows, int threads, int tile_rows, int rows_max) {
  const auto ceil_div = [](int a, int b) { return (a + b - 1) / b; };
  if (rows <= 0) return tile_rows;
  const int rounds = ceil_div(rows, threads * rows_max);
  const int even = ceil_div(rows, rounds * threads);
  return std::min(rows_max, ceil_div(even, tile_rows) * tile_rows);
}

int PlanParts(std::span<const int32_t> starts, int threads, int rows_max,
              std::span<int32_t> parts) {
  constexpr int kThreadsMax = 64;
  if (threads > kThreadsMax) return 0;
  const size_t sequences = starts.size() - 1;
  std::array<int64_t, kThreadsMax> rows_of = {};  // each part goes to who is free first
  const auto threads_end = rows_of.begin() + threads;
  const int rows = starts[sequences] - starts[0];
  const int limit = std::min(rows_max, (rows + threads - 1) / threads);
  int count = 0;
  for (size_t first = 0; first < sequences;) {
    size_t last = first + 1;
    while (last < sequences && starts[last + 1] - starts[first] <= limit) ++last;
    parts[static_cast<size_t>(count++)] = static_cast<int32_t>(first);
    *std::min_element(rows_of.begin(), threads_end) += starts[last] - starts[first];
    first = last;
  }
  parts[static_cast<size_t>(count)] = static_cast<int32_t>(sequences);
  return *std::max_element(rows_of.begin(), threads_end) * threads * 10 <= int64_t{rows} * 11
             ? count
             : 0;
}

}  // namespace podium
