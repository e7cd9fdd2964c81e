#include "engine/native/native_weights.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/concat.h"
#include "base/memory_lock.h"
#include "engine/native/input_moments.h"
#include "engine/native/packed_v1.h"
#include "kernels/layout.h"
#include "model/packed_model.h"

namespace podium {

kernels::Element ToElement(ElementType type) {
  switch (type) {
    case ElementType::kF16:
      return kernels::Element::kF16;
    case ElementType::kBF16:
      return kernels::Element::kBF16;
    case ElementType::kF32:
      break;
  }
  return kernels::Element::kF32;
}

namespace {

// One panel to pack: a slice of one source matrix. Panels are independent, so they are packed on
// all cores.
struct PanelTask {
  kernels::Element element;
  const void* first;
  int rows;
  int k;
  void* out;
  // In bytes; null scale otherwise.
  float* scale = nullptr;
  int32_t* start = nullptr;  // [groups], start_stride apart
  size_t start_stride = 0;
  int group_columns = 0;
  const float* feedback = nullptr;
  Version1Panel version1 = {};
  size_t copied_bytes = 0;  // from a packed file; nothing else is done
};

void PackBytes(const kernels::Table& table, const PanelTask& task) {
  std::vector<float> rows(static_cast<size_t>(task.rows) * static_cast<size_t>(task.k));
  if (task.version1.bytes != nullptr) {
    UnpackVersion1(task.version1, task.rows, task.k, rows.data());
  } else {
    table.widen(task.first, task.element, rows.size(), rows.data());
  }
  kernels::PackInt8Panel(rows.data(), task.rows, task.k, task.group_columns,
                         static_cast<int8_t*>(task.out), task.scale, task.start, task.start_stride,
                         task.feedback);
  // `start` holds sums of bytes now: they become what a sum of products starts from, where a byte
  // of 128 means 0.
  for (int g = 0; g * task.group_columns < task.k; ++g) {
    int32_t* start = task.start + static_cast<size_t>(g) * task.start_stride;
    for (int j = 0; j < kernels::kInt8Block; ++j) start[j] *= -128;
  }
}

// Lays out packed matrices in two passes over the same code: the first only adds up bytes.
class Packer {
 public:
  Packer(const kernels::Table& table, const Model& model, const WeightPlan& plan)
      : table_(table), file_(model.packed()), plan_(plan) {}

  // The first thing that a packed file lacks.
  const Status& status() const { return status_; }

  size_t bytes() const { return bytes_; }
  void UseArena(Arena& arena) { arena_ = &arena; }
  std::span<const PanelTask> tasks() const { return tasks_; }

  std::span<const float> Widened(const TensorView& tensor) {
    const auto count = static_cast<size_t>(tensor.elements());
    const std::span<float> out = Take<float>(count);
    if (arena_ != nullptr) table_.widen(tensor.data, ToElement(tensor.type), count, out.data());
    return out;
  }

  PackedNorm Norm(const NormView& norm) { return {Widened(norm.gain), Widened(norm.bias)}; }

  PackedLinear Float(const LinearView& linear) {
    const TensorView& weight = linear.weight;
    PackedLinear packed = Shape(weight);
    packed.bias = Widened(linear.bias);
    const size_t bytes =
        kernels::PackedBytes(table_, packed.weights.element, packed.weights.n, packed.weights.k);
    std::byte* out = Take<std::byte>(bytes).data();
    packed.weights.data = out;
    if (arena_ == nullptr) return packed;
    ForPanels(weight, table_.panel, [&](PanelTask task) {
      task.out = out;
      tasks_.push_back(task);
      out += kernels::PanelBytes(table_, task.element, task.k);
    });
    return packed;
  }

  // In the encoder's precision.
  PackedLinear Linear(const std::string& name, const LinearView& linear) {
    const TensorView& weight = linear.weight;
    if (plan_.InFloat(name) || (file_ != nullptr && weight.present())) return Float(linear);
    PackedLinear packed = Shape(weight);
    const size_t padded = kernels::Int8RowsPadded(packed.weights.n);
    // A row of the FFN's middle has a scale for each group, other activations have one.
    const int group_columns = name.ends_with("ffn_down")
                                  ? kernels::Int8GroupColumns(packed.weights.k)
                                  : kernels::Int8Depth(packed.weights.k) * kernels::kInt8Depth;
    const auto groups = static_cast<size_t>((packed.weights.k + group_columns - 1) / group_columns);
    const size_t panel_bytes = kernels::Int8PanelBytes(packed.weights.k);
    const size_t count = padded / kernels::kInt8Block * panel_bytes;
    const bool version1 = file_ != nullptr && file_->directory().version == 1;
    if (file_ != nullptr && !version1) {
      packed.bytes = {FromFile<int8_t>(name + ".panels", count).data(),
                      panel_bytes,
                      group_columns,
                      FromFile<float>(name + ".scale", padded),
                      FromFile<int32_t>(name + ".start", groups * padded),
                      Take<float>(padded)};
      packed.bias = FromFile<float>(name + ".bias", padded);
      return packed;
    }
    int8_t* panels = Take<int8_t>(count).data();
    const std::span<float> scale = Take<float>(padded);
    const std::span<int32_t> start = Take<int32_t>(groups * padded);
    const std::span<float> bias = Take<float>(padded);
    packed.bytes = {panels, panel_bytes, group_columns, scale, start, Take<float>(padded)};
    packed.bias = bias;
    Version1Panel old;
    if (version1) old = OfVersion1(name, packed.weights.k, padded, count, bias);
    if (arena_ == nullptr) return packed;
    if (!version1) {
      table_.widen(linear.bias.data, ToElement(linear.bias.type),
                   static_cast<size_t>(linear.bias.elements()), bias.data());
    }
    size_t at = 0;
    ForPanels(weight, kernels::kInt8Block, [&](PanelTask task) {
      task.out = panels;
      task.scale = &scale[at];
      task.start = &start[at];
      task.start_stride = padded;
      task.group_columns = group_columns;
      if (plan_.inputs != nullptr) task.feedback = plan_.inputs->feedback(name);
      if (version1) {
        task.version1 = {old.bytes + at / kernels::kInt8Block * panel_bytes, old.scale + at,
                         old.columns};
      }
      tasks_.push_back(task);
      panels += panel_bytes;
      at += kernels::kInt8Block;
    });
    return packed;
  }

 private:
  template <typename T>
  std::span<T> Take(size_t count) {
    bytes_ += Arena::RoundUp(count * sizeof(T));
    return arena_ == nullptr ? std::span<T>() : arena_->Take<T>(count);
  }

  // An array of the packed file.
  template <typename T>
  std::span<const T> InFile(const std::string& name, size_t count) {
    const auto array = file_->Array<T>(name, count);
    if (!array.ok() && status_.ok()) status_ = array.status();
    return array.ok() ? *array : std::span<const T>();
  }

  // The same, copied unless it is read in place.
  template <typename T>
  std::span<const T> FromFile(const std::string& name, size_t count) {
    const std::span<const T> array = InFile<T>(name, count);
    if (plan_.in_place || array.empty()) return array;
    const std::span<T> out = Take<T>(count);
    if (arena_ == nullptr) return out;
    constexpr size_t kStep = size_t{1} << 18;  // elements
    for (size_t at = 0; at < count; at += kStep) {
      PanelTask task{};
      task.first = &array[at];
      task.out = &out[at];
      task.copied_bytes = std::min(kStep, count - at) * sizeof(T);
      tasks_.push_back(task);
    }
    return out;
  }

  // A product of a version 1 file, all panels of it; writes its bias as a folder would have it.
  Version1Panel OfVersion1(const std::string& name, int k, size_t outputs, size_t panels,
                           std::span<float> bias) {
    const std::string columns = Version1Columns(name);
    Version1Panel all;
    all.bytes = InFile<int8_t>(name + ".panels", panels).data();
    all.scale = InFile<float>(name + ".scale", outputs).data();
    if (!columns.empty()) {
      all.columns = InFile<float>(columns, static_cast<size_t>(k)).data();
    }
    const std::span<const float> held = InFile<float>(name + ".bias", outputs);
    if (arena_ == nullptr || !status_.ok()) return all;
    std::copy(held.begin(), held.end(), bias.begin());
    for (size_t j = 0; j < outputs && name.ends_with("ffn_down"); ++j) {
      const size_t first = j / kernels::kInt8Block * kernels::kInt8Block;
      const Version1Panel panel = {all.bytes + first * (panels / outputs), all.scale + first,
                                   nullptr};
      bias[j] -= Version1BiasOffset(panel, static_cast<int>(j - first), k);
    }
    return all;
  }

  static PackedLinear Shape(const TensorView& weight) {
    PackedLinear packed;
    packed.weights.element = ToElement(weight.type);
    packed.weights.n = static_cast<int>(weight.rows);
    packed.weights.k = static_cast<int>(weight.columns);
    return packed;
  }

  template <typename Add>
  static void ForPanels(const TensorView& weight, int panel, Add&& add) {
    const auto* rows = static_cast<const std::byte*>(weight.data);
    const size_t row_bytes = static_cast<size_t>(weight.columns) * ElementSize(weight.type);
    const int n = static_cast<int>(weight.rows);
    for (int row = 0; row < n; row += panel) {
      add(PanelTask{ToElement(weight.type),
                    rows == nullptr ? nullptr : rows + static_cast<size_t>(row) * row_bytes,
                    std::min(panel, n - row), static_cast<int>(weight.columns), nullptr});
    }
  }

  const kernels::Table& table_;
  const PackedFile* file_;  // null: packs the model's tensors
  const WeightPlan& plan_;
  Status status_;
  Arena* arena_ = nullptr;
  size_t bytes_ = 0;
  std::vector<PanelTask> tasks_;
};

}  // namespace

kernels::Int8ProductArgs Int8Group(const PackedLinear& linear, int group) {
  const Int8Matrix& bytes = linear.bytes;
  const int before = group * bytes.group_columns;
  kernels::Int8ProductArgs args;
  args.depth = kernels::Int8Depth(std::min(bytes.group_columns, linear.weights.k - before));
  args.w = bytes.panels + static_cast<size_t>(before) * kernels::kInt8Block;
  args.w_stride = bytes.panel_stride;
  args.n = linear.weights.n;
  args.w_scale = bytes.scale.data();
  args.start = &bytes.start[static_cast<size_t>(group) * bytes.scale.size()];
  args.bias = group == 0 ? linear.bias.data() : bytes.zero.data();
  return args;
}

kernels::Int8ProductArgs Int8Outputs(const PackedLinear& linear, int first, int count) {
  kernels::Int8ProductArgs args = Int8Group(linear, 0);
  args.w += static_cast<size_t>(first / kernels::kInt8Block) * args.w_stride;
  args.w_scale += first;
  args.start += first;
  args.bias += first;
  args.n = count;
  return args;
}

Result<std::unique_ptr<NativeWeights>> NativeWeights::Pack(std::shared_ptr<const Model> model,
                                                           const WeightPlan& plan,
                                                           const kernels::Table& table,
                                                           Team& team) {
  std::unique_ptr<NativeWeights> weights(new NativeWeights());
  const WeightsView& view = model->weights();
  weights->model_ = std::move(model);  // still holds what `view` points into
  weights->in_bytes_ = plan.precision == WeightPrecision::kInt8;
  weights->mapped_bytes_ =
      static_cast<size_t>(view.word_embedding.elements()) * ElementSize(view.word_embedding.type);
  const PackedFile* file = weights->model_->packed();
  if (file != nullptr && plan.in_place && file->directory().version > 1) {
    weights->mapped_bytes_ = file->size();
  }

  Packer packer(table, *weights->model_, plan);
  const auto lay_out = [&] {
    weights->positions_ = packer.Widened(view.position_embedding);
    if (view.type_embedding.present()) weights->types_ = packer.Widened(view.type_embedding);
    weights->embedding_norm = packer.Norm(view.embedding_norm);
    weights->layers.clear();
    for (const LayerView& layer : view.layers) {
      const auto name = [at = weights->layers.size()](const char* part) {
        return PackedLayerName(at, part);
      };
      PackedLayer packed;
      packed.query = packer.Linear(name("query"), layer.query);
      packed.key = packer.Linear(name("key"), layer.key);
      packed.value = packer.Linear(name("value"), layer.value);
      packed.attention_output = packer.Linear(name("attention_output"), layer.attention_output);
      packed.attention_norm = packer.Norm(layer.attention_norm);
      packed.ffn_norm = packer.Norm(layer.ffn_norm);
      packed.ffn_up = packer.Linear(name("ffn_up"), layer.ffn_up);
      packed.ffn_down = packer.Linear(name("ffn_down"), layer.ffn_down);
      weights->layers.push_back(packed);
    }
    weights->head_dense = packer.Float(view.head_dense);
    weights->head_project = packer.Float(view.head_project);
  };
  lay_out();
  PODIUM_RETURN_IF_ERROR(packer.status());
  const size_t bytes = packer.bytes();
  if (!weights->arena_.Reserve(bytes)) {
    return ResourceExhausted(Concat("packed weights of ", weights->model_->folder(),
                                    ": the system refused ", bytes, " bytes"));
  }
  packer.UseArena(weights->arena_);
  lay_out();
  for (size_t i = 0; i < weights->layers.size(); ++i) {
    const PackedLayer& layer = weights->layers[i];
    if (layer.ffn_up.in_bytes() == layer.ffn_down.in_bytes()) continue;
    return Corrupt(Concat(weights->model_->folder(), ": ", PackedLayerName(i, "ffn_up"), " and ",
                          PackedLayerName(i, "ffn_down"),
                          ": one is in bytes and the other in float, expected both alike"));
  }

  const std::span<const PanelTask> tasks = packer.tasks();
  constexpr int kPanelsPerClaim = 8;
  const int claims = static_cast<int>((tasks.size() + kPanelsPerClaim - 1) / kPanelsPerClaim);
  team.ParallelFor(claims, [&](int claim, int) {
    const size_t begin = static_cast<size_t>(claim) * kPanelsPerClaim;
    const size_t end = std::min(tasks.size(), begin + kPanelsPerClaim);
    for (const PanelTask& task : tasks.subspan(begin, end - begin)) {
      if (task.copied_bytes > 0) {
        std::memcpy(task.out, task.first, task.copied_bytes);
        // At once, so that both copies are in memory for a moment only.
        file->Drop({static_cast<const std::byte*>(task.first), task.copied_bytes});
      } else if (task.scale != nullptr) {
        PackBytes(table, task);
      } else {
        kernels::PackPanel(table, task.element, task.first, task.rows, task.k, task.out);
      }
    }
  });
  PODIUM_RETURN_IF_ERROR(weights->CheckUnchanged());  // what was packed is what the file held
  return weights;
}

Status NativeWeights::LockInMemory() const {
  const std::string what = model_->folder() + ": mlock";
  PODIUM_RETURN_IF_ERROR(LockMemory(arena_.data(), arena_.used(), what));
  const PackedFile* file = model_->packed();
  if (file != nullptr && mapped_bytes_ == file->size()) {
    return LockMemory(file->bytes().data(), file->size(), what);
  }
  return LockMemory(word_embedding().data, mapped_bytes_, what);
}

}  // namespace podium
