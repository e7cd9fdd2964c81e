// Named tensors → weights by role.
#ifndef PODIUM_MODEL_BIND_H_
#define PODIUM_MODEL_BIND_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "base/status.h"
#include "model/encoder_spec.h"
#include "model/tensor_files.h"
#include "model/weights.h"

namespace podium {

struct BoundWeights {
  WeightsView view;
  /// Copies of the tensors that lie at an address their element type does not allow; old writers
  /// did not align the data.
  std::vector<std::unique_ptr<std::byte[]>> realigned;
  size_t parameters = 0;
};

/// Finds every tensor that `spec` asks for, under the name prefixes and parameter names in use, and
/// checks dtype and shape. All or nothing: kCorrupt names what is missing, misshapen or there
/// twice; a tensor inside the encoder or its head that nobody asks for is kUnsupported. Others (the
/// head of a language model, an unused pooler) are ignored.
Result<BoundWeights> BindWeights(const EncoderSpec& spec, const TensorFiles& files);

}  // namespace podium

#endif  // PODIUM_MODEL_BIND_H_
