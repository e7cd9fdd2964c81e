#include "hub/repository.h"

#include "base/concat.h"
#include "json/json.h"
#include "model/hub_cache.h"
#include "model/shard_index.h"

namespace podium::hub {
namespace {

// What the loaders of model/ and text/ look at, where it is there. Names are exact: a repository's
// own names never become paths.
constexpr const char* kSmallFiles[] = {"config_sentence_transformers.json", "modules.json",
                                       "sentence_bert_config.json",         "tokenizer_config.json",
                                       "special_tokens_map.json",           "added_tokens.json"};
// The first that is there is the tokenizer.
constexpr const char* kTokenizers[] = {"tokenizer.json", "sentencepiece.bpe.model", "vocab.txt"};
constexpr const char* kSingle = "model.safetensors";
constexpr const char* kIndex = "model.safetensors.index.json";

Status NoWeights(const Repository& repository, const std::string& model) {
  constexpr size_t kNamedMax = 4;
  std::string others;
  size_t count = 0;
  for (const std::string& file : repository.files) {
    bool is_weights = false;
    for (const char* end : {".bin", ".safetensors", ".onnx", ".gguf", ".h5", ".msgpack", ".pt"}) {
      is_weights = is_weights || file.ends_with(end);
    }
    if (!is_weights || ++count > kNamedMax) continue;
    others += Concat(others.empty() ? "" : ", ", file.substr(0, 100));
  }
  if (count > kNamedMax) others += Concat(" and ", count - kNamedMax, " more");
  std::string message =
      Concat(model, ": there is no model.safetensors, and Podium reads no other weights",
             others.empty() ? "" : Concat("; there is ", others));
  if (repository.files.count("pytorch_model.bin") != 0) {
    message += Concat(
        "\npytorch_model.bin can run code when it is opened. Convert it once, where you trust it: "
        "python3 -c \"from transformers import AutoModelForSequenceClassification as M, "
        "AutoTokenizer as T; M.from_pretrained('",
        model, "').save_pretrained('converted'); T.from_pretrained('", model,
        "').save_pretrained('converted')\"; or look for a revision with safetensors at the model's "
        "discussions (refs/pr/N)");
  }
  return Unsupported(std::move(message));
}

}  // namespace

Result<Repository> ParseRepository(std::string_view text, std::string_view origin) {
  PODIUM_ASSIGN_OR_RETURN(const json::Document document, json::Document::Parse(text, origin));
  Repository repository;
  const auto sha = document.root().Find("sha");
  repository.commit = sha ? std::string(sha->AsString().value_or("")) : "";
  if (!IsCommit(repository.commit)) {
    return Corrupt(Concat(origin,
                          ": no \"sha\" of 40 hexadecimal digits in the reply; is this a "
                          "Hugging Face hub? (HF_ENDPOINT)"));
  }
  const auto siblings = document.root().Find("siblings");
  if (!siblings || !siblings->is(json::Type::kArray)) {
    return Corrupt(Concat(origin, ": no array \"siblings\" in the reply"));
  }
  if (siblings->size() > kRepositoryFilesMax) {
    return ResourceExhausted(
        Concat(origin, ": ", siblings->size(), " files; allowed: ", kRepositoryFilesMax));
  }
  Status status;
  siblings->ForEachElement([&](json::Value sibling) {
    const auto name = sibling.Find("rfilename");
    const auto file = name ? name->AsString() : std::nullopt;
    if (!file) {
      status = Corrupt(Concat(origin, ": an entry of \"siblings\" without a name \"rfilename\""));
      return false;
    }
    repository.files.emplace(*file);
    return true;
  });
  PODIUM_RETURN_IF_ERROR(status);
  return repository;
}

Result<Selection> ChooseFiles(const Repository& repository, const std::string& model) {
  const auto has = [&](const char* name) { return repository.files.count(name) != 0; };
  Selection selection;
  if (!has("config.json")) {
    return Unsupported(
        Concat(model, ": there is no config.json, so it is no model of transformers"));
  }
  selection.files.emplace_back("config.json");
  if (!has(kSingle) && !has(kIndex)) return NoWeights(repository, model);
  for (const char* name : kSmallFiles) {
    if (has(name)) selection.files.emplace_back(name);
  }
  size_t before = selection.files.size();
  for (const char* name : kTokenizers) {
    if (has(name) && selection.files.size() == before) selection.files.emplace_back(name);
  }
  if (selection.files.size() == before) {
    return Unsupported(Concat(model,
                              ": there is no tokenizer that Podium reads "
                              "(tokenizer.json, sentencepiece.bpe.model or vocab.txt)"));
  }
  // Where both are there they hold the same weights.
  selection.files.emplace_back(has(kSingle) ? kSingle : kIndex);
  if (!has(kSingle)) selection.index = kIndex;
  return selection;
}

Result<std::vector<std::string>> ChooseShards(const Repository& repository,
                                              std::string_view index_text,
                                              std::string_view origin) {
  PODIUM_ASSIGN_OR_RETURN(const auto names_by_shard, ParseShardIndex(index_text, origin));
  std::vector<std::string> shards;
  for (const auto& [shard, names] : names_by_shard) {
    if (!shard.ends_with(".safetensors")) {
      return Corrupt(Concat(origin, ": shard \"", shard, "\" is no .safetensors file"));
    }
    if (repository.files.count(shard) == 0) {
      return Corrupt(Concat(origin, ": shard \"", shard, "\" is not in the repository"));
    }
    shards.push_back(shard);
  }
  if (shards.empty()) return Corrupt(Concat(origin, ": names no shard"));
  return shards;
}

}  // namespace podium::hub
