// Real pairs for `podium pack --calibrate`.
#ifndef PODIUM_APP_CALIBRATION_H_
#define PODIUM_APP_CALIBRATION_H_

#include <memory>

#include "app/commands.h"
#include "app/options.h"
#include "base/status.h"
#include "base/team.h"
#include "engine/calibrate.h"
#include "model/model.h"
#include "text/tokenizer.h"

namespace podium {

/// Takes `command.pairs` pairs, evenly spaced over the lists, each cut to 512 tokens at most, and
/// finds what to leave in float. A progress line on standard error where it is a terminal.
/// kUnsupported when bytes give no numbers whatever is left in float.
Result<Calibration> CalibrateOnLists(const PackCommand& command,
                                     const std::shared_ptr<const Model>& model,
                                     const Tokenizer& tokenizer, Team& team, Session session);

/// "mean error 0.034 → 0.019 of the logits' standard deviation on 128 pairs"
std::string CalibrationText(const Calibration& calibration);

}  // namespace podium

#endif  // PODIUM_APP_CALIBRATION_H_
