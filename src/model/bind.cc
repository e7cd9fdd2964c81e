#include "model/bind.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "base/concat.h"

namespace podium {
namespace {

constexpr size_t kMissingShown = 6;

constexpr std::string_view kWordEmbedding = "embeddings.word_embeddings.weight";

// What training wrappers put in front of every name when a state dict is saved through them; they
// compute nothing of their own.
constexpr std::string_view kWrappers[] = {"model.",      "module.",   "_orig_mod.",
                                          "auto_model.", "hf_model.", "0."};

// Tensors that old files carry beside the weights: the row numbers 0, 1, 2, … and zeros.
constexpr std::string_view kBuffers[] = {"embeddings.position_ids", "embeddings.token_type_ids"};

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
    const std::string beyond =
        Concat(prefix_, "encoder.layer.", spec_.layers, ".output.dense.weight");
    if (const MappedTensor* unused = files_.Find(beyond)) {
      Fail(Corrupt(Concat(unused->file, ": tensor ", beyond, " is beyond the ", spec_.layers,
                          " layers of config.json")));
    }
    const size_t missing_in_body = missing_.size();
    const size_t found_in_body = used_.size();
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
    if (!missing_.empty()) return Missing(missing_in_body, used_.size() == found_in_body);
    PODIUM_RETURN_IF_ERROR(error_);
    PODIUM_RETURN_IF_ERROR(CheckLeftOver());
    return std::move(bound_);
  }

 private:
  // The encoder's names start with the family's, or with nothing, behind any wrappers' names. The
  // head stands outside the encoder: beside it or further out.
  Status FindPrefix() {
    std::vector<std::string> prefixes;
    for (const auto& [name, tensor] : files_.tensors()) {
      if (!name.ends_with(kWordEmbedding)) continue;
      prefixes.push_back(name.substr(0, name.size() - kWordEmbedding.size()));
    }
    std::sort(prefixes.begin(), prefixes.end());
    const std::string_view family =
        spec_.head == HeadKind::kPoolerTanhProject ? "bert." : "roberta.";
    if (prefixes.empty()) {
      return Corrupt(Concat(files_.origin(), ": no word embeddings: expected tensor ", family,
                            kWordEmbedding, ", or the same without \"", family, "\""));
    }
    if (prefixes.size() > 1) {
      return Corrupt(Concat(files_.origin(), ": more than one encoder: tensors ", prefixes[0],
                            kWordEmbedding, " and ", prefixes[1], kWordEmbedding));
    }
    prefix_ = prefixes.front();
    std::string_view wrapped = prefix_;
    if (wrapped.ends_with(family)) wrapped.remove_suffix(family.size());
    outer_ = wrapped;
    if (!AreWrappers(wrapped)) {
      return Corrupt(Concat(files_.origin(), ": the encoder's names start with ", prefix_,
                            ", expected ", family,
                            " or nothing, behind any of model., module., …"));
    }
    std::vector<std::string> heads;
    for (std::string_view outer = prefix_;; outer = outer.substr(0, outer.rfind('.') + 1)) {
      const std::string candidate(outer);
      if (HasHead(candidate)) heads.push_back(candidate);
      if (outer.empty()) break;
      outer.remove_suffix(1);
    }
    if (heads.size() > 1) {
      return Corrupt(Concat(files_.origin(), ": more than one classification head: tensors ",
                            heads[0], "classifier… and ", heads[1], "classifier…"));
    }
    if (!heads.empty()) outer_ = heads.front();
    return OkStatus();
  }
  static bool AreWrappers(std::string_view names) {
    while (!names.empty()) {
      const auto* wrapper =
          std::find_if(std::begin(kWrappers), std::end(kWrappers),
                       [&](std::string_view word) { return names.starts_with(word); });
      if (wrapper == std::end(kWrappers)) return false;
      names.remove_prefix(wrapper->size());
    }
    return true;
  }
  bool HasHead(const std::string& outer) const {
    return files_.Find(outer + "classifier.weight") != nullptr ||
           files_.Find(outer + "classifier.dense.weight") != nullptr ||
           files_.Find(outer + "classifier.out_proj.weight") != nullptr;
  }

  // A tensor inside the encoder or the head that no role asks for (an adapter, a scale of quantized
  // weights, a table of relative positions) would be left out of the score.
  Status CheckLeftOver() const {
    const std::string* first = nullptr;
    for (const auto& [name, tensor] : files_.tensors()) {
      const bool inside = name.starts_with(prefix_ + "embeddings.") ||
                          name.starts_with(prefix_ + "encoder.") ||
                          name.starts_with(outer_ + "classifier.");
      if (!inside || used_.contains(name)) continue;
      const std::string_view local = std::string_view(name).substr(prefix_.size());
      if (std::find(std::begin(kBuffers), std::end(kBuffers), local) != std::end(kBuffers))
        continue;
      if (first == nullptr || name < *first) first = &name;
    }
    if (first == nullptr) return OkStatus();
    return Unsupported(Concat(
        files_.Find(*first)->file, ": tensor ", *first, " has no place in a ", spec_.architecture,
        ": the score would be computed without it. (An adapter must be merged "
        "into the weights, quantized weights saved as F32, F16 or BF16)"));
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
    used_.insert(name);
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

  Status Missing(size_t missing_in_body, bool whole_head) const {
    std::string names;
    for (size_t i = 0; i < missing_.size() && i < kMissingShown; ++i) {
      names += Concat(i == 0 ? "" : ", ", missing_[i]);
    }
    if (missing_.size() > kMissingShown) names += ", …";
    const std::string_view tensors = missing_.size() == 1 ? "a tensor is" : "tensors are";
    if (missing_in_body > 0) {
      return Corrupt(Concat(files_.origin(), ": ", tensors, " missing: ", names));
    }
    if (whole_head) {
      return Corrupt(Concat(files_.origin(), ": the classification head is missing (", names,
                            "): this is probably an embedding model, not a reranker"));
    }
    return Corrupt(Concat(files_.origin(), ": ", tensors, " missing of the classification head: ",
                          names, "; without it the score would be noise"));
  }

  const EncoderSpec& spec_;
  const TensorFiles& files_;
  std::string prefix_;  // of the encoder's names
  std::string outer_;   // of the head's names
  BoundWeights bound_;
  std::unordered_set<std::string> used_;
  std::vector<std::string> missing_;
  Status error_;  // the first tensor of a wrong kind or shape
};

}  // namespace

Result<BoundWeights> BindWeights(const EncoderSpec& spec, const TensorFiles& files) {
  return Binder(spec, files).Run();
}

}  // namespace podium
