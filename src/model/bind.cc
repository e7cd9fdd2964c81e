#include "model/bind.h"

#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/concat.h"

namespace podium {
namespace {

constexpr size_t kMissingShown = 6;

std::string ShowShape(const std::vector<int64_t>& shape) {
  std::string out = "[";
  for (size_t i = 0; i < shape.size(); ++i) out += Concat(i == 0 ? "" : ", ", shape[i]);
  return out + "]";
}

std::optional<ElementType> ParseElementType(std::string_view dtype) {
  if (dtype == "F32") return ElementType::kF32;
  if (dtype == "F16") return ElementType::kF16;
  if (dtype == "BF16") return ElementType::kBF16;
  return std::nullopt;
}

class Binder {
 public:
  Binder(const EncoderSpec& spec, const TensorFiles& files) : spec_(spec), files_(files) {}

  Result<BoundWeights> Run() {
    PODIUM_RETURN_IF_ERROR(FindPrefix());
    const int64_t hidden = spec_.hidden;
    WeightsView& view = bound_.view;
    const std::string embeddings = prefix_ + "embeddings.";
    view.word_embedding = Matrix(embeddings + "word_embeddings.weight", spec_.vocabulary, hidden);
    view.position_embedding =
        Matrix(embeddings + "position_embeddings.weight", spec_.positions, hidden);
    view.type_embedding =
        Matrix(embeddings + "token_type_embeddings.weight", spec_.token_types, hidden);
    view.embedding_norm = Norm(embeddings + "LayerNorm");
    for (int i = 0; i < spec_.layers && missing_.size() <= kMissingShown; ++i) {
      view.layers.push_back(Layer(Concat(prefix_, "encoder.layer.", i, ".")));
    }
    const size_t missing_in_body = missing_.size();
    const std::string beyond =
        Concat(prefix_, "encoder.layer.", spec_.layers, ".output.dense.weight");
    if (const MappedTensor* unused = files_.Find(beyond)) {
      Fail(Corrupt(Concat(unused->file, ": tensor ", beyond, " is beyond the ", spec_.layers,
                          " layers of config.json")));
    }
    switch (spec_.head) {
      case HeadKind::kDenseTanhProject:
        view.head_dense = Linear(outer_ + "classifier.dense", hidden, hidden);
        view.head_project = Linear(outer_ + "classifier.out_proj", spec_.labels, hidden);
        break;
      case HeadKind::kPoolerTanhProject:
        view.head_dense = Linear(prefix_ + "pooler.dense", hidden, hidden);
        view.head_project = Linear(outer_ + "classifier", spec_.labels, hidden);
        break;
    }
    if (!missing_.empty()) return Missing(missing_in_body);
    PODIUM_RETURN_IF_ERROR(error_);
    return std::move(bound_);
  }

 private:
  // The encoder's tensors are under the family's name, under none, or wrapped in "model.".
  Status FindPrefix() {
    const std::string family = spec_.head == HeadKind::kPoolerTanhProject ? "bert." : "roberta.";
    std::string tried;
    for (const std::string outer : {"", "model."}) {
      for (const std::string& inner : {family, std::string()}) {
        prefix_ = outer + inner;
        const std::string name = prefix_ + "embeddings.word_embeddings.weight";
        if (files_.Find(name) != nullptr) {
          // The head stands outside the encoder: beside it, or at the top.
          outer_ = HasHead(outer) ? outer : "";
          return OkStatus();
        }
        tried += Concat(tried.empty() ? "" : ", ", name);
      }
    }
    return Corrupt(
        Concat(files_.origin(), ": no word embeddings of ", spec_.architecture, "; tried ", tried));
  }
  bool HasHead(const std::string& outer) const {
    return files_.Find(outer + "classifier.weight") != nullptr ||
           files_.Find(outer + "classifier.dense.weight") != nullptr;
  }

  LayerView Layer(const std::string& name) {
    const int64_t hidden = spec_.hidden;
    LayerView layer;
    layer.query = Linear(name + "attention.self.query", hidden, hidden);
    layer.key = Linear(name + "attention.self.key", hidden, hidden);
    layer.value = Linear(name + "attention.self.value", hidden, hidden);
    layer.attention_output = Linear(name + "attention.output.dense", hidden, hidden);
    layer.attention_norm = Norm(name + "attention.output.LayerNorm");
    layer.ffn_up = Linear(name + "intermediate.dense", spec_.ffn, hidden);
    layer.ffn_down = Linear(name + "output.dense", hidden, spec_.ffn);
    layer.ffn_norm = Norm(name + "output.LayerNorm");
    return layer;
  }

  LinearView Linear(const std::string& name, int64_t outputs, int64_t inputs) {
    return {Matrix(name + ".weight", outputs, inputs), Vector(name + ".bias", outputs)};
  }

  NormView Norm(const std::string& name) {
    // Checkpoints converted from TensorFlow keep its names.
    const bool old_names =
        files_.Find(name + ".weight") == nullptr && files_.Find(name + ".gamma") != nullptr;
    return {Vector(name + (old_names ? ".gamma" : ".weight"), spec_.hidden),
            Vector(name + (old_names ? ".beta" : ".bias"), spec_.hidden)};
  }

  TensorView Vector(const std::string& name, int64_t size) { return Bind(name, {size}, 1, size); }
  TensorView Matrix(const std::string& name, int64_t rows, int64_t columns) {
    return Bind(name, {rows, columns}, rows, columns);
  }

  TensorView Bind(const std::string& name, const std::vector<int64_t>& shape, int64_t rows,
                  int64_t columns) {
    const MappedTensor* tensor = files_.Find(name);
    if (tensor == nullptr) {
      missing_.push_back(name);
      return {};
    }
    const auto type = ParseElementType(tensor->dtype);
    if (!type) {
      Fail(Unsupported(Concat(tensor->file, ": tensor ", name, ": got ", tensor->dtype,
                              ", supported: F32, F16, BF16")));
      return {};
    }
    if (tensor->shape != shape) {
      Fail(Corrupt(Concat(tensor->file, ": tensor ", name, ": got shape ", ShowShape(tensor->shape),
                          ", config.json asks for ", ShowShape(shape))));
      return {};
    }
    TensorView view{.data = tensor->data, .type = *type, .rows = rows, .columns = columns};
    bound_.parameters += static_cast<size_t>(view.elements());
    if (reinterpret_cast<uintptr_t>(view.data) % ElementSize(*type) != 0) {
      const size_t bytes = static_cast<size_t>(view.elements()) * ElementSize(*type);
      auto copy = std::make_unique_for_overwrite<std::byte[]>(bytes);
      std::memcpy(copy.get(), view.data, bytes);
      view.data = copy.get();
      bound_.realigned.push_back(std::move(copy));
    }
    return view;
  }

  void Fail(Status status) {
    if (error_.ok()) error_ = std::move(status);
  }

  Status Missing(size_t missing_in_body) const {
    std::string names;
    for (size_t i = 0; i < missing_.size() && i < kMissingShown; ++i) {
      names += Concat(i == 0 ? "" : ", ", missing_[i]);
    }
    if (missing_.size() > kMissingShown) names += ", …";
    if (missing_in_body == 0) {
      return Corrupt(Concat(files_.origin(), ": the classification head is missing (", names,
                            "): this is probably an embedding model, not a reranker"));
    }
    return Corrupt(Concat(files_.origin(), ": tensors are missing: ", names));
  }

  const EncoderSpec& spec_;
  const TensorFiles& files_;
  std::string prefix_;  // of the encoder's names
  std::string outer_;   // of the head's names
  BoundWeights bound_;
  std::vector<std::string> missing_;
  Status error_;  // the first tensor of a wrong kind or shape
};

}  // namespace

Result<BoundWeights> BindWeights(const EncoderSpec& spec, const TensorFiles& files) {
  return Binder(spec, files).Run();
}

}  // namespace podium
