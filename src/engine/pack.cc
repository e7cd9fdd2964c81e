#include "engine/pack.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "base/concat.h"
#include "base/file_writer.h"
#include "base/fnv.h"
#include "engine/native/native_engine.h"
#include "engine/native/native_weights.h"
#include "kernels/layout.h"
#include "kernels/select.h"
#include "model/config.h"
#include "model/packed_model.h"
#include "podium/version.h"

namespace podium {
namespace {

constexpr float kHalfMax = 65504;
constexpr size_t kHeldFileBytesMax = size_t{256} << 20;  // tokenizer_file.cc's limit

// What of a model's folder is read, and what says under which terms it may be given away.
constexpr const char* kHeldFiles[] = {"config.json",
                                      "config_sentence_transformers.json",
                                      "tokenizer.json",
                                      "tokenizer_config.json",
                                      "special_tokens_map.json",
                                      "added_tokens.json",
                                      "sentencepiece.bpe.model",
                                      "vocab.txt",
                                      "README.md",
                                      "LICENSE",
                                      "LICENSE.txt"};

// Round to nearest even; |value| ≤ kHalfMax.
uint16_t ToHalf(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const auto sign = static_cast<uint16_t>(bits >> 16 & 0x8000);
  const uint32_t size = bits & 0x7FFFFFFF;
  constexpr uint32_t kLeastNormal = 0x38800000;  // 2^-14
  if (size < kLeastNormal) {                     // multiples of 2^-24
    const float steps = std::nearbyint(std::fabs(value) * 16777216.0f);
    return static_cast<uint16_t>(sign | static_cast<uint16_t>(steps));
  }
  const uint32_t rounded = size + 0xFFF + (size >> 13 & 1);
  return static_cast<uint16_t>(sign | (rounded - 0x38000000) >> 13);
}

// Appends sections and remembers them.
class SectionWriter {
 public:
  static Result<SectionWriter> Create(const std::string& path) {
    PODIUM_ASSIGN_OR_RETURN(FileWriter file, FileWriter::Create(path));
    SectionWriter writer(std::move(file));
    const std::array<std::byte, kPackedHeaderBytes> room = {};
    PODIUM_RETURN_IF_ERROR(writer.file_.Write(room));
    return writer;
  }

  Status Add(std::string name, const char* type, std::vector<int64_t> shape,
             std::span<const std::byte> bytes) {
    PODIUM_RETURN_IF_ERROR(Begin(std::move(name), type, std::move(shape)));
    return Append(bytes);
  }

  template <typename T>
  Status Add(std::string name, const char* type, std::span<const T> values) {
    return Add(std::move(name), type, {static_cast<int64_t>(values.size())}, std::as_bytes(values));
  }

  // A section in parts.
  Status Begin(std::string name, const char* type, std::vector<int64_t> shape) {
    PODIUM_RETURN_IF_ERROR(file_.Align(kPackedAlignment));
    PackedSection section;
    section.name = std::move(name);
    section.type = type;
    section.shape = std::move(shape);
    section.offset = file_.position();
    section.checksum = Fnv1a({});
    sections_.push_back(std::move(section));
    return OkStatus();
  }
  Status Append(std::span<const std::byte> bytes) {
    sections_.back().bytes += bytes.size();
    sections_.back().checksum = Fnv1a(bytes, sections_.back().checksum);
    return file_.Write(bytes);
  }

  Result<PackedDirectory> Finish(PackedDirectory directory) {
    directory.sections = std::move(sections_);
    PODIUM_RETURN_IF_ERROR(file_.Align(kPackedAlignment));
    const uint64_t offset = file_.position();
    const std::string text = PackedDirectoryText(directory);
    const auto bytes = std::as_bytes(std::span(text));
    PODIUM_RETURN_IF_ERROR(file_.Write(bytes));
    PODIUM_RETURN_IF_ERROR(file_.Rewrite(PackedHeader(directory.version, offset, bytes)));
    PODIUM_RETURN_IF_ERROR(file_.Commit());
    return directory;
  }

 private:
  explicit SectionWriter(FileWriter file) : file_(std::move(file)) {}

  FileWriter file_;
  std::vector<PackedSection> sections_;
};

Status AddFiles(const Model& model, SectionWriter& out) {
  bool has_tokenizer = false;
  for (const char* name : kHeldFiles) {
    // Read only where there is no tokenizer.json.
    const std::string_view view = name;
    if (has_tokenizer && (view == "sentencepiece.bpe.model" || view == "vocab.txt")) continue;
    const auto text = model.ReadFile(name, kHeldFileBytesMax);
    if (text.status().code() == StatusCode::kNotFound) continue;
    PODIUM_RETURN_IF_ERROR(text.status());
    has_tokenizer |= view == "tokenizer.json";
    PODIUM_RETURN_IF_ERROR(out.Add(Concat("file/", name), "u8",
                                   {static_cast<int64_t>(text->size())},
                                   std::as_bytes(std::span(*text))));
  }
  return OkStatus();
}

std::span<const std::byte> Bytes(const TensorView& view) {
  return {static_cast<const std::byte*>(view.data),
          static_cast<size_t>(view.elements()) * ElementSize(view.type)};
}

Status AddTensor(const std::string& name, const TensorView& view, SectionWriter& out) {
  return out.Add(name, PackedTypeName(view.type), {view.rows, view.columns}, Bytes(view));
}

bool FitsHalf(const TensorView& view) {
  const auto* values = static_cast<const float*>(view.data);
  // The comparison is false for a NaN.
  return std::all_of(values, values + view.elements(),
                     [](float value) { return std::fabs(value) <= kHalfMax; });
}

Status AddWords(const TensorView& view, const std::string& form, SectionWriter& out) {
  constexpr const char* kName = "embeddings.word";
  if (form == "keep" || view.type != ElementType::kF32 || !FitsHalf(view)) {
    return AddTensor(kName, view, out);
  }
  PODIUM_RETURN_IF_ERROR(out.Begin(kName, "f16", {view.rows, view.columns}));
  const auto width = static_cast<size_t>(view.columns);
  std::vector<uint16_t> row(width);
  for (int64_t i = 0; i < view.rows; ++i) {
    const float* values = static_cast<const float*>(view.data) + static_cast<size_t>(i) * width;
    std::transform(values, values + width, row.begin(), ToHalf);
    PODIUM_RETURN_IF_ERROR(out.Append(std::as_bytes(std::span(row))));
  }
  return OkStatus();
}

Status AddLayers(const Model& model, const NativeWeights& weights, SectionWriter& out) {
  Status status;
  const auto keep = [&](Status next) {
    if (status.ok()) status = std::move(next);
  };
  // Both lists of layers have the same linear layers in the same order.
  struct Pair {
    std::string name;
    const LinearView* plain;
    const PackedLinear* packed;
  };
  std::vector<Pair> pairs;
  ForEachEncoderLinear(model.weights(), model.spec(),
                       [&](std::string name, const LinearView& plain, int, int) {
                         pairs.push_back({std::move(name), &plain, nullptr});
                       });
  size_t at = 0;
  ForEachEncoderLinear(weights, model.spec(),
                       [&](const std::string&, const PackedLinear& packed, int, int) {
                         pairs[at++].packed = &packed;
                       });
  for (const auto& [name, plain, packed] : pairs) {
    if (!packed->in_bytes()) {
      keep(AddTensor(name + ".weight", plain->weight, out));
      keep(AddTensor(name + ".bias", plain->bias, out));
      continue;
    }
    const Int8Matrix& bytes = packed->bytes;
    const size_t panels = bytes.scale.size() / kernels::kInt8Block;
    const int64_t depth = kernels::Int8Depth(packed->weights.k) * kernels::kInt8Depth;
    keep(out.Add(name + ".panels", "i8",
                 {static_cast<int64_t>(panels), depth / 4, kernels::kInt8Block, 4},
                 std::as_bytes(std::span(bytes.panels, panels * bytes.panel_stride))));
    keep(out.Add(name + ".scale", "f32", bytes.scale));
    keep(out.Add(name + ".start", "i32", bytes.start));
    keep(out.Add(name + ".bias", "f32", packed->bias));
  }
  return status;
}

}  // namespace

Result<std::set<std::string>> LinearsInFloat(const std::vector<std::string>& groups, int layers) {
  std::set<std::string> names;
  const auto add = [&](int layer, std::initializer_list<const char*> parts) {
    for (const char* part : parts) names.insert(PackedLayerName(static_cast<size_t>(layer), part));
  };
  for (const std::string& group : groups) {
    const size_t before = names.size();
    for (int layer = 0; layer < layers; ++layer) {
      for (const std::string& number : {Concat(layer), std::string("*")}) {
        if (group == Concat("layers.", number, ".ffn")) add(layer, {"ffn_up", "ffn_down"});
        if (group == Concat("layers.", number, ".attention")) {
          add(layer, {"query", "key", "value", "attention_output"});
        }
      }
    }
    if (names.size() == before) {
      return InvalidArgument(Concat("float: got \"", group,
                                    "\", allowed: layers.N.attention and "
                                    "layers.N.ffn with N from 0 to ",
                                    layers - 1, " or *, each once"));
    }
  }
  return names;
}

Result<PackedDirectory> PackModel(const std::shared_ptr<const Model>& model,
                                  const PackOptions& options, Team& team, const std::string& path) {
  if (model->packed() != nullptr) {
    return InvalidArgument(Concat(model->folder(), ": is packed already; give the model's folder"));
  }
  if (options.embeddings != "auto" && options.embeddings != "keep") {
    return InvalidArgument(
        Concat("embeddings: got \"", options.embeddings, "\", allowed: auto, keep"));
  }
  PODIUM_RETURN_IF_ERROR(CheckNativeSpec(model->spec()));
  WeightPlan plan{.precision = WeightPrecision::kInt8};
  plan.inputs = options.inputs.get();
  PODIUM_ASSIGN_OR_RETURN(plan.in_float, LinearsInFloat(options.in_float, model->spec().layers));
  // Every table packs the same bytes.
  PODIUM_ASSIGN_OR_RETURN(const std::unique_ptr<NativeWeights> weights,
                          NativeWeights::Pack(model, plan, *kernels::BestTable(), team));
  PODIUM_ASSIGN_OR_RETURN(SectionWriter out, SectionWriter::Create(path));
  PODIUM_RETURN_IF_ERROR(AddFiles(*model, out));
  PODIUM_RETURN_IF_ERROR(AddLayers(*model, *weights, out));
  Status status;
  ForEachPlainTensor(model->weights(), model->spec(),
                     [&](const std::string& name, const TensorView& view, int, int) {
                       if (!status.ok() || &view == &model->weights().word_embedding) return;
                       status = AddTensor(name, view, out);
                     });
  PODIUM_RETURN_IF_ERROR(std::move(status));
  // Last: few of its rows are read, the rest is read whole.
  PODIUM_RETURN_IF_ERROR(AddWords(model->weights().word_embedding, options.embeddings, out));
  PODIUM_RETURN_IF_ERROR(model->CheckUnchanged());  // what was packed is what the files held
  PackedDirectory directory;
  directory.made_by = Version();
  directory.source = options.source;
  directory.precision = "int8";
  directory.calibration = options.calibration;
  directory.parameters = model->parameters();
  return out.Finish(std::move(directory));
}

Status VerifyPacked(const std::string& path, Team& team) {
  PODIUM_ASSIGN_OR_RETURN(const std::shared_ptr<const Model> model, OpenModel(path));
  const PackedFile* file = model->packed();
  if (file == nullptr) return InvalidArgument(Concat(path, ": no packed model"));
  const std::vector<PackedSection>& sections = file->directory().sections;
  std::vector<Status> found(sections.size());
  team.ParallelFor(static_cast<int>(sections.size()), [&](int i, int) {
    found[static_cast<size_t>(i)] = file->Verify(sections[static_cast<size_t>(i)]);
  });
  for (Status& status : found) PODIUM_RETURN_IF_ERROR(std::move(status));
  return NativeWeights::Pack(model, {.precision = WeightPrecision::kInt8, .in_place = true},
                             *kernels::BestTable(), team)
      .status();
}

}  // namespace podium
