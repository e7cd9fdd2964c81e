// Name → engine. The only file that knows which backends exist.
#ifndef PODIUM_ENGINE_FACTORY_H_
#define PODIUM_ENGINE_FACTORY_H_

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/team.h"
#include "engine/engine.h"
#include "model/model.h"

namespace podium {

class InputMoments;

struct EngineOptions {
  std::string backend = "native";
  std::string precision = "auto";  // or "fp32", "int8"; auto is what a packed file says, else fp32
  std::string isa = {};            // kernel table; "" for the best this processor has
  bool lock_memory = false;        // keep the weights in memory, or fail
  /// Of a packed file: linear layers are read where they are mapped, shared with other processes,
  /// instead of copied into huge pages, which are faster (NativeWeights says by how much).
  bool read_in_place = false;
  /// Of int8: linear layers that stay in float, as PackOptions::in_float names them. A packed file
  /// has its own.
  std::vector<std::string> in_float = {};
  /// Of a folder in int8: weights are rounded for inputs like these; null: each to the nearest
  /// byte.
  std::shared_ptr<const InputMoments> inputs = nullptr;
};

/// Packs the weights on the team's cores. The model may be dropped afterwards unless the engine
/// keeps it.
Result<std::unique_ptr<Engine>> MakeEngine(std::shared_ptr<const Model> model,
                                           const EngineOptions& options, Team& team);

}  // namespace podium

#endif  // PODIUM_ENGINE_FACTORY_H_
