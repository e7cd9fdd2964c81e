#include "engine/native/native_engine.h"

#include <utility>

#include "base/concat.h"
#include "engine/native/native_lane.h"
#include "engine/native/native_weights.h"

namespace podium {
namespace {

class NativeEngine final : public Engine {
 public:
  NativeEngine(std::unique_ptr<NativeWeights> weights, const kernels::Table& table, EngineInfo info)
      : weights_(std::move(weights)), table_(table), info_(std::move(info)) {}

  const EngineInfo& info() const override { return info_; }
  Result<std::unique_ptr<Lane>> NewLane(Team& team, const LaneLimits& limits) const override {
    return NativeLane::Make(*weights_, table_, team, limits);
  }

 private:
  std::unique_ptr<NativeWeights> weights_;
  const kernels::Table& table_;
  EngineInfo info_;
};

}  // namespace

Status CheckNativeSpec(const EncoderSpec& spec) {
  const auto refuse = [&](const char* what) {
    return Unsupported(Concat(spec.architecture, ": the native engine has no ", what));
  };
  if (spec.norm_place != NormPlace::kPost) return refuse("pre-norm layers");
  if (spec.position_kind != PositionKind::kLearned) return refuse("rotary positions");
  if (spec.activation == Activation::kSilu) return refuse("SiLU activation");
  if (spec.mlp != MlpKind::kPlain) return refuse("gated MLP");
  if (spec.mask != MaskKind::kFull) return refuse("windowed or causal attention");
  if (spec.pooling != Pooling::kFirst) return refuse("mean pooling");
  if (spec.labels > 2) return refuse("head with more than two labels");
  if (spec.head_size() % 8 != 0 || spec.head_size() > kernels::kHeadSizeMax) {
    return Unsupported(Concat(spec.architecture, ": head size ", spec.head_size(),
                              ", supported are multiples of 8 up to ", kernels::kHeadSizeMax));
  }
  if (spec.hidden > kernels::kInt8ColumnsMax) {
    return Unsupported(Concat(spec.architecture, ": hidden size ", spec.hidden,
                              ", supported up to ", kernels::kInt8ColumnsMax));
  }
  return OkStatus();
}

Result<std::unique_ptr<Engine>> MakeNativeEngine(std::shared_ptr<const Model> model,
                                                 const WeightPlan& plan,
                                                 const kernels::Table& table, Team& team,
                                                 bool lock_memory) {
  const EncoderSpec& spec = model->spec();
  PODIUM_RETURN_IF_ERROR(CheckNativeSpec(spec));
  EngineInfo info;
  info.backend = "native";
  info.precision = plan.precision == WeightPrecision::kInt8 ? "int8" : "fp32";
  info.isa = table.name;
  info.length_max = spec.length_max();
  info.vocabulary = spec.vocabulary;
  info.token_types = spec.token_types;
  // Multiply-adds of a layer per token: 4·h² + 2·h·ffn in products, 2·h for each token attended to.
  info.attention_cost = 1.0 / (2.0 * spec.hidden + spec.ffn);
  info.parameters = model->parameters();
  info.deterministic = true;
  PODIUM_ASSIGN_OR_RETURN(auto weights, NativeWeights::Pack(std::move(model), plan, table, team));
  if (lock_memory) PODIUM_RETURN_IF_ERROR(weights->LockInMemory());
  info.weight_bytes = weights->bytes();
  return std::unique_ptr<Engine>(
      std::make_unique<NativeEngine>(std::move(weights), table, std::move(info)));
}

}  // namespace podium
