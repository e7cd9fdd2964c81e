// What every backend asks of a batch before it looks at its ids.
#ifndef PODIUM_ENGINE_CHECK_BATCH_H_
#define PODIUM_ENGINE_CHECK_BATCH_H_

#include <cstddef>

#include "base/status.h"
#include "engine/batch.h"
#include "engine/engine.h"

namespace podium {

/// kInvalidArgument, naming what and where, for a batch beyond `limits`, arrays that do not fit
/// each other, an empty sequence, an id or type out of range, or no room for a logit per sequence.
Status CheckBatch(const Batch& batch, size_t logits, const LaneLimits& limits, int vocabulary,
                  int token_types);

}  // namespace podium

#endif  // PODIUM_ENGINE_CHECK_BATCH_H_
