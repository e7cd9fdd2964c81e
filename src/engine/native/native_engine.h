// The engine of our own: packed fp32 or int8 encoder on the kernel tables, no padding anywhere.
#ifndef PODIUM_ENGINE_NATIVE_NATIVE_ENGINE_H_
#define PODIUM_ENGINE_NATIVE_NATIVE_ENGINE_H_

#include <memory>

#include "base/status.h"
#include "base/team.h"
#include "engine/engine.h"
#include "engine/native/native_weights.h"
#include "kernels/kernels.h"
#include "model/model.h"

namespace podium {

/// kUnsupported, by name, for a spec the forward pass does not have.
Status CheckNativeSpec(const EncoderSpec& spec);

/// The same; a packed model only has kInt8, with what its file has in float. `lock_memory`:
/// weights are kept in memory, or it fails.
Result<std::unique_ptr<Engine>> MakeNativeEngine(std::shared_ptr<const Model> model,
                                                 const WeightPlan& plan,
                                                 const kernels::Table& table, Team& team,
                                                 bool lock_memory);

}  // namespace podium

#endif  // PODIUM_ENGINE_NATIVE_NATIVE_ENGINE_H_
