// How a batch's rows are cut into blocks: a pure function of shapes and threads. It changes no sum,
// only who computes which rows.
#ifndef PODIUM_ENGINE_NATIVE_PLAN_H_
#define PODIUM_ENGINE_NATIVE_PLAN_H_

#include <cstdint>
#include <span>

namespace podium {

/// Rows of one block, a multiple of `tile_rows`, at most `rows_max` (itself one): equal blocks, as
/// many for every thread.
int PlanBlockRows(int rows, int threads, int tile_rows, int rows_max);

/// Cuts a batch into parts that one thread each takes through all layers: whole sequences in order,
/// at most rows_max rows and a thread's share of all, or one longer sequence. Part i is the
/// sequences [parts[i], parts[i + 1]); `parts` has room for one more than there are sequences.
/// Returns how many, or 0 where the parts would leave threads idle for more than a tenth of the
/// time; then all work on each layer together.
int PlanParts(std::span<const int32_t> starts, int threads, int rows_max, std::span<int32_t> parts);

}  // namespace podium

#endif  // PODIUM_ENGINE_NATIVE_PLAN_H_
