#include "engine/calibrate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/concat.h"
#include "engine/factory.h"
#include "engine/native/input_moments.h"

namespace podium {
namespace {

class Calibrator {
 public:
  Calibrator(const std::shared_ptr<const Model>& model, std::span<const Batch> batches, Team& team,
             const Interrupt& interrupt, FunctionRef<void(int, int)> progress)
      : model_(model), batches_(batches), team_(team), interrupt_(interrupt), progress_(progress) {
    for (const Batch& batch : batches) {
      limits_.batch_tokens_max = std::max(limits_.batch_tokens_max, batch.tokens());
      limits_.sequences_max = std::max(limits_.sequences_max, batch.size());
      pairs_ += static_cast<size_t>(batch.size());
    }
  }

  // What goes into the linear layers, and the fp32 logits, of one pass.
  Result<std::shared_ptr<const InputMoments>> MeasureReference() {
    PODIUM_ASSIGN_OR_RETURN(
        auto inputs, MeasureInputs(model_, batches_, limits_, team_, interrupt_, reference_));
    Progress();
    double sum = 0;
    for (const float logit : reference_) sum += logit;
    const double mean = sum / static_cast<double>(pairs_);
    double squares = 0;
    for (const float logit : reference_) squares += (logit - mean) * (logit - mean);
    sd_ = std::sqrt(squares / static_cast<double>(std::max<size_t>(1, pairs_)));
    if (std::isfinite(sd_) && sd_ > 0) return inputs;
    return InvalidArgument(Concat("calibrate: the ", pairs_, " pairs have logits with a standard ",
                                  "deviation of ", sd_, "; expected pairs that differ"));
  }

  // Mean |Δlogit| in standard deviations; infinite where a score is no number.
  Result<double> Error(const std::vector<std::string>& in_float) {
    PODIUM_ASSIGN_OR_RETURN(const std::vector<float> logits,
                            Logits({.precision = "int8", .in_float = in_float, .inputs = inputs_}));
    double sum = 0;
    for (size_t i = 0; i < pairs_; ++i) {
      sum += std::fabs(static_cast<double>(logits[i]) - reference_[i]);
    }
    const double error = sum / static_cast<double>(pairs_) / sd_;
    return std::isfinite(error) ? error : std::numeric_limits<double>::infinity();
  }

  // Weights are rounded for these from now on; null: to the nearest byte, as at first.
  void RoundFor(std::shared_ptr<const InputMoments> inputs) { inputs_ = std::move(inputs); }

  void set_passes(int of) { of_ = of; }
  size_t pairs() const { return pairs_; }
  double sd() const { return sd_; }

 private:
  Result<std::vector<float>> Logits(const EngineOptions& options) {
    PODIUM_RETURN_IF_ERROR(interrupt_.Check());
    PODIUM_ASSIGN_OR_RETURN(const auto engine, MakeEngine(model_, options, team_));
    PODIUM_ASSIGN_OR_RETURN(const auto lane, engine->NewLane(team_, limits_));
    std::vector<float> logits(pairs_);
    size_t at = 0;
    for (const Batch& batch : batches_) {
      const auto size = static_cast<size_t>(batch.size());
      PODIUM_RETURN_IF_ERROR(lane->Score(batch, std::span(logits).subspan(at, size), interrupt_));
      at += size;
    }
    Progress();
    return logits;
  }

  void Progress() {
    ++done_;
    progress_(done_, std::max(done_, of_));
  }

  const std::shared_ptr<const Model>& model_;
  const std::span<const Batch> batches_;
  Team& team_;
  const Interrupt& interrupt_;
  const FunctionRef<void(int, int)> progress_;
  LaneLimits limits_;
  size_t pairs_ = 0;
  std::shared_ptr<const InputMoments> inputs_;
  std::vector<float> reference_;
  double sd_ = 0;
  int done_ = 0;
  int of_ = 0;
};

// What is gained for the work that it costs: the order in which groups are taken.
double Worth(const GroupEffect& effect, double before) {
  if (!std::isfinite(before)) return std::isfinite(effect.error) ? 1 / effect.error : 0;
  return std::isfinite(effect.error) ? (before - effect.error) / effect.share : -1;
}

}  // namespace

Result<Calibration> Calibrate(const std::shared_ptr<const Model>& model,
                              std::span<const Batch> batches, const CalibrateOptions& options,
                              Team& team, const Interrupt& interrupt,
                              FunctionRef<void(int done, int of)> progress) {
  const EncoderSpec& spec = model->spec();
  Calibrator calibrator(model, batches, team, interrupt, progress);
  calibrator.set_passes(3 + 2 * spec.layers);
  PODIUM_ASSIGN_OR_RETURN(auto inputs, calibrator.MeasureReference());
  Calibration result;
  result.pairs = calibrator.pairs();
  result.sd = calibrator.sd();
  PODIUM_ASSIGN_OR_RETURN(result.nearest, calibrator.Error({}));
  calibrator.RoundFor(inputs);
  PODIUM_ASSIGN_OR_RETURN(result.before, calibrator.Error({}));
  // Better along the inputs' large directions is worse along the others, which may count for more.
  if (result.before < result.nearest) {
    result.inputs = std::move(inputs);
  } else {
    calibrator.RoundFor(nullptr);
    result.before = result.nearest;
  }
  result.after = result.before;
  if (result.before <= options.target_sd) return result;

  const double attention = 4.0 * spec.hidden * spec.hidden;
  const double ffn = 2.0 * spec.hidden * spec.ffn;
  const double all = spec.layers * (attention + ffn);
  for (int layer = 0; layer < spec.layers; ++layer) {
    for (const auto& [part, work] : {std::pair{"attention", attention}, std::pair{"ffn", ffn}}) {
      GroupEffect effect{Concat("layers.", layer, ".", part), work / all, 0};
      PODIUM_ASSIGN_OR_RETURN(effect.error, calibrator.Error({effect.name}));
      result.effects.push_back(std::move(effect));
    }
  }
  std::sort(result.effects.begin(), result.effects.end(),
            [&](const GroupEffect& a, const GroupEffect& b) {
              const double x = Worth(a, result.before);
              const double y = Worth(b, result.before);
              return x != y ? x > y : a.name < b.name;
            });
  for (const GroupEffect& effect : result.effects) {
    if (result.after <= options.target_sd) break;
    if (Worth(effect, result.before) <= 0 ||
        result.share + effect.share > options.float_share + 1e-9) {
      continue;
    }
    std::vector<std::string> more = result.in_float;
    more.push_back(effect.name);
    PODIUM_ASSIGN_OR_RETURN(const double error, calibrator.Error(more));
    // Errors of two groups may have cancelled each other.
    if (!(error < result.after)) continue;
    result.in_float = std::move(more);
    result.share += effect.share;
    result.after = error;
  }
  return result;
}

}  // namespace podium
