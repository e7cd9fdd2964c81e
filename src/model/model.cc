#include "model/model.h"

#include <string_view>
#include <utility>

#include "base/concat.h"
#include "base/file.h"
#include "json/json.h"
#include "model/bind.h"
#include "model/config.h"
#include "model/packed_model.h"
#include "model/score_config.h"
#include "model/tensor_files.h"

namespace podium {
namespace {

class FileModel final : public Model {
 public:
  FileModel(std::string folder, EncoderSpec spec, TensorFiles files, BoundWeights bound)
      : files_(std::move(files)), realigned_(std::move(bound.realigned)) {
    folder_ = std::move(folder);
    spec_ = std::move(spec);
    weights_ = std::move(bound.view);
    parameters_ = bound.parameters;
  }

  Status CheckUnchanged() const override { return files_.CheckUnchanged(); }

 private:
  TensorFiles files_;
  std::vector<std::unique_ptr<std::byte[]>> realigned_;
};

class PackedModel final : public Model {
 public:
  PackedModel(PackedFile file, EncoderSpec spec, WeightsView weights) : file_(std::move(file)) {
    folder_ = file_.path();
    spec_ = std::move(spec);
    weights_ = std::move(weights);
    parameters_ = file_.directory().parameters;
  }

  Status CheckUnchanged() const override { return file_.CheckUnchanged(); }
  Result<std::string> ReadFile(const std::string& name, size_t bytes_max) const override {
    return file_.ReadFile(name, bytes_max);
  }
  const PackedFile* packed() const override { return &file_; }

 private:
  PackedFile file_;
};

// A list of modules that wrap the encoder (sentence-transformers writes one). Any but the encoder
// itself would change the score.
Status CheckModules(const std::string& folder) {
  const std::string path = Concat(folder, "/modules.json");
  const auto text = ReadFile(path, kConfigBytesMax);
  if (text.status().code() == StatusCode::kNotFound) return OkStatus();
  PODIUM_RETURN_IF_ERROR(text.status());
  PODIUM_ASSIGN_OR_RETURN(const json::Document document, json::Document::Parse(*text, path));
  if (!document.root().is(json::Type::kArray)) return Corrupt(Concat(path, ": expected an array"));
  Status status;
  document.root().ForEachElement([&](json::Value module) {
    const auto value = module.Find("type");
    const auto type = value ? value->AsString() : std::nullopt;
    if (type && type->ends_with(".Transformer")) return true;
    status = Unsupported(Concat(path, ": module ", type.value_or("without a type"),
                                " is not done by Podium; supported: the Transformer module alone. "
                                "A list with a pooling module belongs to an embedding model"));
    return false;
  });
  return status;
}

// sentence-transformers' own config of a reranker, where there is one.
constexpr const char* kSentenceTransformersConfig = "config_sentence_transformers.json";
Status ApplySentenceTransformersConfig(const Result<std::string>& text, const std::string& path,
                                       EncoderSpec& spec) {
  if (text.status().code() == StatusCode::kNotFound) return OkStatus();
  PODIUM_RETURN_IF_ERROR(text.status());
  PODIUM_ASSIGN_OR_RETURN(
      spec.score_scale, ReadSentenceTransformersConfig(*text, path, spec.labels, spec.score_scale));
  return OkStatus();
}

// pad_token of a tokenizer's file: a text, or an object with its text as "content".
Result<std::string> PaddingTokenOf(const Model& model, const char* name) {
  const std::string path = Concat(model.folder(), "/", name);
  const auto text = model.ReadFile(name, kConfigBytesMax);
  if (text.status().code() == StatusCode::kNotFound) return std::string();
  PODIUM_RETURN_IF_ERROR(text.status());
  PODIUM_ASSIGN_OR_RETURN(const json::Document document, json::Document::Parse(*text, path));
  auto token = document.root().Find("pad_token");
  if (token && token->is(json::Type::kObject)) token = token->Find("content");
  return std::string(token ? token->AsString().value_or("") : "");
}

Result<std::shared_ptr<const Model>> OpenPacked(const std::string& path) {
  PODIUM_ASSIGN_OR_RETURN(PackedFile file, PackedFile::Open(path));
  const auto within = [&](const char* name) { return Concat(path, ": file/", name); };
  PODIUM_ASSIGN_OR_RETURN(const std::string config, file.ReadFile("config.json", kConfigBytesMax));
  PODIUM_ASSIGN_OR_RETURN(EncoderSpec spec, ParseConfig(config, within("config.json")));
  PODIUM_RETURN_IF_ERROR(
      ApplySentenceTransformersConfig(file.ReadFile(kSentenceTransformersConfig, kConfigBytesMax),
                                      within(kSentenceTransformersConfig), spec));
  PODIUM_ASSIGN_OR_RETURN(WeightsView weights, BindPacked(file, spec));
  return std::shared_ptr<const Model>(
      std::make_shared<PackedModel>(std::move(file), std::move(spec), std::move(weights)));
}

}  // namespace

Result<std::string> Model::ReadFile(const std::string& name, size_t bytes_max) const {
  return podium::ReadFile(Concat(folder_, "/", name), bytes_max);
}

Result<std::string> ReadPaddingToken(const Model& model) {
  for (const char* name : {"tokenizer_config.json", "special_tokens_map.json"}) {
    PODIUM_ASSIGN_OR_RETURN(std::string token, PaddingTokenOf(model, name));
    if (!token.empty()) return token;
  }
  return std::string();
}

Result<std::shared_ptr<const Model>> OpenModel(const std::string& folder) {
  if (IsPackedFile(folder)) return OpenPacked(folder);
  const std::string config_path = Concat(folder, "/config.json");
  const auto config = ReadFile(config_path, kConfigBytesMax);
  if (config.status().code() == StatusCode::kNotFound &&
      ReadFile(Concat(folder, "/adapter_config.json"), kConfigBytesMax).ok()) {
    return Unsupported(
        Concat(folder,
               ": an adapter (adapter_config.json), not a whole model: merge it into "
               "its base model and save that, config.json beside it"));
  }
  PODIUM_RETURN_IF_ERROR(config.status());
  PODIUM_ASSIGN_OR_RETURN(EncoderSpec spec, ParseConfig(*config, config_path));
  PODIUM_RETURN_IF_ERROR(CheckModules(folder));
  PODIUM_RETURN_IF_ERROR(ApplySentenceTransformersConfig(
      ReadFile(Concat(folder, "/", kSentenceTransformersConfig), kConfigBytesMax),
      Concat(folder, "/", kSentenceTransformersConfig), spec));
  PODIUM_ASSIGN_OR_RETURN(TensorFiles files, TensorFiles::Open(folder));
  PODIUM_ASSIGN_OR_RETURN(BoundWeights bound, BindWeights(spec, files));
  return std::shared_ptr<const Model>(
      std::make_shared<FileModel>(folder, std::move(spec), std::move(files), std::move(bound)));
}

}  // namespace podium
