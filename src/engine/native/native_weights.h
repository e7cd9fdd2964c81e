// A model's weights packed for one kernel table: built once at load, immutable, shared by lanes.
#ifndef PODIUM_ENGINE_NATIVE_NATIVE_WEIGHTS_H_
#define PODIUM_ENGINE_NATIVE_NATIVE_WEIGHTS_H_

#include <algorithm>
#include <cstddef>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/arena.h"
#include "base/status.h"
#include "base/team.h"
#include "kernels/kernels.h"
#include "model/model.h"

namespace podium {

class InputMoments;

/// The kernels' word for a file's element type.
kernels::Element ToElement(ElementType type);

/// A matrix as bytes, in groups of columns that share an activation's scale. Arrays are filled up
/// to whole panels.
struct Int8Matrix {
  const int8_t* panels = nullptr;  // null: the matrix is not in bytes
  size_t panel_stride = 0;         // bytes
  int group_columns = 0;
  std::span<const float> scale;    // [n]
  std::span<const int32_t> start;  // [groups][n]; what a group's sums start from
  std::span<const float> zero;     // [n]; the bias of all groups but the first
};

struct PackedLinear {
  kernels::PackedWeights weights;  // n and k in every precision; data null in bytes
  std::span<const float> bias;
  Int8Matrix bytes;
  bool in_bytes() const { return bytes.panels != nullptr; }
};

/// What a product over one group of a byte matrix's columns takes from it.
kernels::Int8ProductArgs Int8Group(const PackedLinear& linear, int group);
/// What a product of one group to its outputs [first, first + count) takes; first is a multiple of
/// kInt8Block.
kernels::Int8ProductArgs Int8Outputs(const PackedLinear& linear, int first, int count);

struct PackedNorm {
  std::span<const float> gain;
  std::span<const float> bias;
};

struct PackedLayer {
  PackedLinear query;
  PackedLinear key;
  PackedLinear value;
  PackedLinear attention_output;
  PackedLinear ffn_up;
  PackedLinear ffn_down;
  PackedNorm attention_norm;
  PackedNorm ffn_norm;
};

/// What the linear layers of the encoder are kept in. The head, norms and sums of embeddings are
/// fp32 in both.
enum class WeightPrecision { kFloat, kInt8 };

struct WeightPlan {
  WeightPrecision precision = WeightPrecision::kFloat;
  /// Of kInt8: linear layers that stay in the file's element type, "layers.9.ffn_down". An FFN's
  /// two go together.
  std::set<std::string> in_float = {};
  /// Of kInt8: rounds weights for inputs like these; null: each to the nearest byte.
  const InputMoments* inputs = nullptr;
  /// Of a packed file: EngineOptions' read_in_place.
  bool in_place = false;
  bool InFloat(const std::string& name) const {
    return precision == WeightPrecision::kFloat || in_float.contains(name);
  }
};

/// Linear weights of kFloat keep the file's element type, so fp16 files stay half the size; they
/// are widened exactly when read. Word embeddings are read in place from the mapped file.
/// Everything else is fp32. What is added to linear layers in bytes is a section of a packed file
/// too (packed_model.h, pack.cc), and a change of what they mean a new version.
///
/// A packed file's bytes are copied into the arena and its huge pages: read in place, in pages of
/// 4 KiB of the page cache, v2-m3's shape had 3,570 instead of 4,310 tokens a second with amx and
/// 1,240 instead of 1,370 with avx512_vnni in a virtual machine, whose page walks are long.
class NativeWeights {
 public:
  static Result<std::unique_ptr<NativeWeights>> Pack(std::shared_ptr<const Model> model,
                                                     const WeightPlan& plan,
                                                     const kernels::Table& table, Team& team);

  const EncoderSpec& spec() const { return model_->spec(); }
  const TensorView& word_embedding() const { return model_->weights().word_embedding; }
  std::span<const float> position_row(int row) const { return Row(positions_, row); }
  std::span<const float> type_row(int row) const { return Row(types_, row); }
  bool has_types() const { return !types_.empty(); }
  /// Linear layers of the encoder are in bytes, but for those that stayed in float.
  bool in_bytes() const { return in_bytes_; }
  /// So are both linear layers of every FFN.
  bool ffn_in_bytes() const {
    return std::all_of(layers.begin(), layers.end(),
                       [](const PackedLayer& layer) { return layer.ffn_up.in_bytes(); });
  }
  /// As Model's: word embeddings stay mapped.
  Status CheckUnchanged() const { return model_->CheckUnchanged(); }

  /// Keeps all of them in memory: what was packed here and what is read in place.
  Status LockInMemory() const;

  PackedNorm embedding_norm;
  std::vector<PackedLayer> layers;
  PackedLinear head_dense;
  PackedLinear head_project;

  /// Packed weights in memory plus what stays mapped: word embeddings, or the whole packed file.
  size_t bytes() const { return arena_.used() + mapped_bytes_; }

 private:
  NativeWeights() = default;
  std::span<const float> Row(std::span<const float> table, int row) const {
    const auto width = static_cast<size_t>(spec().hidden);
    return table.subspan(static_cast<size_t>(row) * width, width);
  }

  std::shared_ptr<const Model> model_;
  Arena arena_;
  std::span<const float> positions_;
  std::span<const float> types_;
  size_t mapped_bytes_ = 0;
  bool in_bytes_ = false;
};

}  // namespace podium

#endif  // PODIUM_ENGINE_NATIVE_NATIVE_WEIGHTS_H_
