// How a batch's rows are cut into blocks: a pure function of shapes and threads. It changes no sum,
// only who computes which rows.
#ifndef PODIUM_ENGINE_NATIVE_PLAN_H_
#define PODIUM_ENGINE_NATIVE_PLAN_H_

namespace podium {

/// Rows of one block, a multiple of `tile_rows`, at most `rows_max` (itself one): equal blocks, as
/// many for every thread.
int PlanBlockRows(int rows, int threads, int tile_rows, int rows_max);

}  // namespace podium

#endif  // PODIUM_ENGINE_NATIVE_PLAN_H_
