#include "engine/native/plan.h"

#include <algorithm>

namespace podium {

int PlanBlockRows(int rows, int threads, int tile_rows, int rows_max) {
  const auto ceil_div = [](int a, int b) { return (a + b - 1) / b; };
  if (rows <= 0) return tile_rows;
  const int rounds = ceil_div(rows, threads * rows_max);
  const int even = ceil_div(rows, rounds * threads);
  return std::min(rows_max, ceil_div(even, tile_rows) * tile_rows);
}

}  // namespace podium
