// A model's tensors by role, as views into the mapped files: no copy, the file's own element type.
#ifndef PODIUM_MODEL_WEIGHTS_H_
#define PODIUM_MODEL_WEIGHTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace podium {

enum class ElementType : uint8_t { kF32, kF16, kBF16 };
inline size_t ElementSize(ElementType type) { return type == ElementType::kF32 ? 4 : 2; }

/// Row-major [rows, columns]; a vector is [1, columns]. Elements need no alignment beyond their
/// size.
struct TensorView {
  const void* data = nullptr;
  ElementType type = ElementType::kF32;
  int64_t rows = 0;
  int64_t columns = 0;
  bool present() const { return data != nullptr; }
  int64_t elements() const { return rows * columns; }
};

/// y = x · weightᵀ + bias; weight is [outputs, inputs], bias [1, outputs].
struct LinearView {
  TensorView weight;
  TensorView bias;
};

struct NormView {
  TensorView gain;
  TensorView bias;
};

struct LayerView {
  LinearView query, key, value, attention_output, ffn_up, ffn_down;
  NormView attention_norm, ffn_norm;
};

/// Shapes are checked against the EncoderSpec before anyone sees this.
struct WeightsView {
  TensorView word_embedding;      // [vocabulary, hidden]
  TensorView position_embedding;  // [positions, hidden]
  TensorView type_embedding;      // [token_types, hidden]; absent when token_types is 0
  NormView embedding_norm;
  std::vector<LayerView> layers;
  LinearView head_dense;    // [hidden, hidden]
  LinearView head_project;  // [labels, hidden]
};

}  // namespace podium

#endif  // PODIUM_MODEL_WEIGHTS_H_
