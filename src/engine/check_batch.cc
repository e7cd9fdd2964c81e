#include "engine/check_batch.h"

#include <algorithm>

#include "base/concat.h"

namespace podium {

Status CheckBatch(const Batch& batch, size_t logits, const LaneLimits& limits, int vocabulary,
                  int token_types) {
  const int n = batch.size();
  if (n < 1 || n > limits.sequences_max) {
    return InvalidArgument(
        Concat("batch: got ", n, " sequences, allowed 1 to ", limits.sequences_max));
  }
  if (batch.tokens() > limits.batch_tokens_max) {
    return InvalidArgument(
        Concat("batch: got ", batch.tokens(), " tokens, allowed ", limits.batch_tokens_max));
  }
  if (logits != static_cast<size_t>(n)) {
    return InvalidArgument(Concat("batch: got room for ", logits, " logits, needed ", n));
  }
  if (!batch.types.empty() && batch.types.size() != batch.ids.size()) {
    return InvalidArgument(
        Concat("batch: got ", batch.types.size(), " types for ", batch.tokens(), " ids"));
  }
  if (batch.starts.front() != 0 || batch.starts.back() != batch.tokens()) {
    return InvalidArgument(Concat("batch: starts run from ", batch.starts.front(), " to ",
                                  batch.starts.back(), ", needed 0 to ", batch.tokens()));
  }
  for (int i = 0; i < n; ++i) {
    const int64_t length = int64_t{batch.starts[i + 1]} - batch.starts[i];
    if (length < 1 || length > limits.length_max) {
      return InvalidArgument(Concat("batch: sequence ", i, " has ", length,
                                    " tokens, allowed 1 to ", limits.length_max));
    }
  }
  for (int i = 0; i < batch.tokens(); ++i) {
    if (batch.ids[i] < 0 || batch.ids[i] >= vocabulary) {
      return InvalidArgument(
          Concat("batch: token ", i, " is ", batch.ids[i], ", allowed 0 to ", vocabulary - 1));
    }
  }
  const int types = std::max(1, token_types);
  for (size_t i = 0; i < batch.types.size(); ++i) {
    if (batch.types[i] >= types) {
      return InvalidArgument(Concat("batch: token ", i, " has type ", int{batch.types[i]},
                                    ", allowed 0 to ", types - 1));
    }
  }
  return OkStatus();
}

}  // namespace podium
