#include "engine/native/native_weights.h"

#include <algorithm>
#include <utility>

#include "base/concat.h"
#include "kernels/layout.h"

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
};

// Lays out packed matrices in two passes over the same code: the first only adds up bytes.
class Packer {
 public:
  explicit Packer(const kernels::Table& table) : table_(table) {}

  size_t bytes() const { return bytes_; }
  void UseArena(Arena& arena) { arena_ = &arena; }
  std::span<const PanelTask> tasks() const { return tasks_; }

  std::span<const float> Widened(const TensorView& tensor) {
    const auto count = static_cast<size_t>(tensor.elements());
    bytes_ += Arena::RoundUp(count * sizeof(float));
    if (arena_ == nullptr) return {};
    const std::span<float> out = arena_->Take<float>(count);
    table_.widen(tensor.data, ToElement(tensor.type), count, out.data());
    return out;
  }

  PackedNorm Norm(const NormView& norm) { return {Widened(norm.gain), Widened(norm.bias)}; }

  PackedLinear Linear(const LinearView& linear) {
    const TensorView& weight = linear.weight;
    PackedLinear packed;
    packed.weights.element = ToElement(weight.type);
    packed.weights.n = static_cast<int>(weight.rows);
    packed.weights.k = static_cast<int>(weight.columns);
    packed.bias = Widened(linear.bias);
    const size_t bytes =
        kernels::PackedBytes(table_, packed.weights.element, packed.weights.n, packed.weights.k);
    bytes_ += Arena::RoundUp(bytes);
    if (arena_ == nullptr) return packed;
    std::byte* out = arena_->Take<std::byte>(bytes).data();
    packed.weights.data = out;
    const auto* rows = static_cast<const std::byte*>(weight.data);
    const size_t row_bytes = static_cast<size_t>(weight.columns) * ElementSize(weight.type);
    for (int row = 0; row < packed.weights.n; row += table_.panel) {
      tasks_.push_back({packed.weights.element, rows + static_cast<size_t>(row) * row_bytes,
                        std::min(table_.panel, packed.weights.n - row), packed.weights.k, out});
      out += kernels::PanelBytes(table_, packed.weights.element, packed.weights.k);
    }
    return packed;
  }

 private:
  const kernels::Table& table_;
  Arena* arena_ = nullptr;
  size_t bytes_ = 0;
  std::vector<PanelTask> tasks_;
};

}  // namespace

Result<std::unique_ptr<NativeWeights>> NativeWeights::Pack(std::shared_ptr<const Model> model,
                                                           const kernels::Table& table,
                                                           Team& team) {
  std::unique_ptr<NativeWeights> weights(new NativeWeights());
  const WeightsView& view = model->weights();
  weights->model_ = std::move(model);  // still holds what `view` points into
  weights->mapped_bytes_ =
      static_cast<size_t>(view.word_embedding.elements()) * ElementSize(view.word_embedding.type);

  Packer packer(table);
  const auto lay_out = [&] {
    weights->positions_ = packer.Widened(view.position_embedding);
    if (view.type_embedding.present()) weights->types_ = packer.Widened(view.type_embedding);
    weights->embedding_norm = packer.Norm(view.embedding_norm);
    weights->layers.clear();
    for (const LayerView& layer : view.layers) {
      PackedLayer packed;
      packed.query = packer.Linear(layer.query);
      packed.key = packer.Linear(layer.key);
      packed.value = packer.Linear(layer.value);
      packed.attention_output = packer.Linear(layer.attention_output);
      packed.ffn_up = packer.Linear(layer.ffn_up);
      packed.ffn_down = packer.Linear(layer.ffn_down);
      packed.attention_norm = packer.Norm(layer.attention_norm);
      packed.ffn_norm = packer.Norm(layer.ffn_norm);
      weights->layers.push_back(packed);
    }
    weights->head_dense = packer.Linear(view.head_dense);
    weights->head_project = packer.Linear(view.head_project);
  };
  lay_out();
  const size_t bytes = packer.bytes();
  if (!weights->arena_.Reserve(bytes)) {
    return ResourceExhausted(Concat("packed weights of ", weights->model_->folder(),
                                    ": the system refused ", bytes, " bytes"));
  }
  packer.UseArena(weights->arena_);
  lay_out();

  const std::span<const PanelTask> tasks = packer.tasks();
  constexpr int kPanelsPerClaim = 8;
  const int claims = static_cast<int>((tasks.size() + kPanelsPerClaim - 1) / kPanelsPerClaim);
  team.ParallelFor(claims, [&](int claim, int) {
    const size_t begin = static_cast<size_t>(claim) * kPanelsPerClaim;
    const size_t end = std::min(tasks.size(), begin + kPanelsPerClaim);
    for (const PanelTask& task : tasks.subspan(begin, end - begin)) {
      kernels::PackPanel(table, task.element, task.first, task.rows, task.k, task.out);
    }
  });
  return weights;
}

}  // namespace podium
