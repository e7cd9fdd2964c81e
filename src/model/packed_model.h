// The weights of a packed file by role, and what its sections are called.
#ifndef PODIUM_MODEL_PACKED_MODEL_H_
#define PODIUM_MODEL_PACKED_MODEL_H_

#include <cstdint>
#include <string>

#include "base/concat.h"
#include "base/status.h"
#include "model/encoder_spec.h"
#include "model/packed_file.h"
#include "model/weights.h"

namespace podium {

/// "layers.3.query"
inline std::string PackedLayerName(size_t layer, const char* part) {
  return Concat("layers.", layer, ".", part);
}

inline const char* PackedTypeName(ElementType type) {
  return type == ElementType::kF32 ? "f32" : type == ElementType::kF16 ? "f16" : "bf16";
}

/// Calls linear(name, LinearView, outputs, inputs) for each linear layer of the encoder.
template <typename View, typename Linear>
void ForEachEncoderLinear(View& weights, const EncoderSpec& spec, Linear&& linear) {
  for (size_t i = 0; i < weights.layers.size(); ++i) {
    auto& layer = weights.layers[i];
    linear(PackedLayerName(i, "query"), layer.query, spec.hidden, spec.hidden);
    linear(PackedLayerName(i, "key"), layer.key, spec.hidden, spec.hidden);
    linear(PackedLayerName(i, "value"), layer.value, spec.hidden, spec.hidden);
    linear(PackedLayerName(i, "attention_output"), layer.attention_output, spec.hidden,
           spec.hidden);
    linear(PackedLayerName(i, "ffn_up"), layer.ffn_up, spec.ffn, spec.hidden);
    linear(PackedLayerName(i, "ffn_down"), layer.ffn_down, spec.hidden, spec.ffn);
  }
}

/// Calls tensor(name, TensorView, rows, columns) for all that every packed file holds as tensors:
/// embeddings, norms and head.
template <typename View, typename Tensor>
void ForEachPlainTensor(View& weights, const EncoderSpec& spec, Tensor&& tensor) {
  const auto norm = [&](const std::string& name, auto& view) {
    tensor(name + ".gain", view.gain, 1, spec.hidden);
    tensor(name + ".bias", view.bias, 1, spec.hidden);
  };
  tensor("embeddings.word", weights.word_embedding, spec.vocabulary, spec.hidden);
  tensor("embeddings.position", weights.position_embedding, spec.positions, spec.hidden);
  if (spec.token_types > 0) {
    tensor("embeddings.type", weights.type_embedding, spec.token_types, spec.hidden);
  }
  norm("embeddings.norm", weights.embedding_norm);
  for (size_t i = 0; i < weights.layers.size(); ++i) {
    norm(PackedLayerName(i, "attention_norm"), weights.layers[i].attention_norm);
    norm(PackedLayerName(i, "ffn_norm"), weights.layers[i].ffn_norm);
  }
  tensor("head.dense.weight", weights.head_dense.weight, spec.hidden, spec.hidden);
  tensor("head.dense.bias", weights.head_dense.bias, 1, spec.hidden);
  tensor("head.project.weight", weights.head_project.weight, spec.labels, spec.hidden);
  tensor("head.project.bias", weights.head_project.bias, 1, spec.labels);
}

/// Views of a file's tensors, checked against the spec. A linear layer of the encoder that is there
/// in bytes (sections that engine/ knows) has the shape of its weight and no data.
Result<WeightsView> BindPacked(const PackedFile& file, const EncoderSpec& spec);

}  // namespace podium

#endif  // PODIUM_MODEL_PACKED_MODEL_H_
