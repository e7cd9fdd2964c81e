// How a model's weights become bytes, and which linear layers bytes do not suit: measured on real
// pairs, once, before a model is packed.
#ifndef PODIUM_ENGINE_CALIBRATE_H_
#define PODIUM_ENGINE_CALIBRATE_H_

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/function_ref.h"
#include "base/status.h"
#include "base/team.h"
#include "engine/batch.h"
#include "engine/engine.h"
#include "model/model.h"

namespace podium {

class InputMoments;

struct CalibrateOptions {
  /// Mean |Δlogit| to fp32 that is good enough, in standard deviations of the fp32 logits.
  double target_sd = 0.02;
  /// Of the work of all linear layers, at most this share may be left in float.
  double float_share = 0.1;
};

/// A group of linear layers, alone in float while all others are in bytes.
struct GroupEffect {
  std::string name;  // as in PackOptions::in_float: "layers.9.ffn"
  double share = 0;  // of the work of all linear layers
  double error = 0;  // what is left of the error; in standard deviations, infinite for a NaN
};

struct Calibration {
  size_t pairs = 0;
  double sd = 0;       // of the fp32 logits
  double nearest = 0;  // error with each weight at the nearest byte
  double before = 0;   // the smaller of that and the error with weights rounded for `inputs`
  double after = 0;    // and with `in_float` in float
  double share = 0;    // of the work that is in float then
  std::shared_ptr<const InputMoments> inputs;  // null: nearest is better
  std::vector<std::string> in_float;
  std::vector<GroupEffect>
      effects;  // by falling gain; empty when everything in bytes is good enough
};

/// Measures what goes into linear layers; scores the batches in fp32, in bytes rounded for that,
/// and once for each group in float; then takes groups by what they gain for their work, while the
/// error is above the target and the share allows it. `progress(done, of)` after each pass.
/// kInvalidArgument without at least two different logits.
Result<Calibration> Calibrate(const std::shared_ptr<const Model>& model,
                              std::span<const Batch> batches, const CalibrateOptions& options,
                              Team& team, const Interrupt& interrupt,
                              FunctionRef<void(int done, int of)> progress);

}  // namespace podium

#endif  // PODIUM_ENGINE_CALIBRATE_H_
