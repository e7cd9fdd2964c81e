// Name → engine. The only file that knows which backends exist.
#ifndef PODIUM_ENGINE_FACTORY_H_
#define PODIUM_ENGINE_FACTORY_H_

#include <memory>
#include <string>

#include "base/status.h"
#include "base/team.h"
#include "engine/engine.h"
#include "model/model.h"

namespace podium {

struct EngineOptions {
  std::string backend = "native";
  std::string precision = "fp32";
  std::string isa;  // kernel table; "" for the best this processor has
};

/// Packs the weights on the team's cores. The model may be dropped afterwards unless the engine
/// keeps it.
Result<std::unique_ptr<Engine>> MakeEngine(std::shared_ptr<const Model> model,
                                           const EngineOptions& options, Team& team);

}  // namespace podium

#endif  // PODIUM_ENGINE_FACTORY_H_
