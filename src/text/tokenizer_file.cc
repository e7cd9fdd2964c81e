// OpenTokenizer: tokenizer.json and tokenizer_config.json of a model folder.
#include "text/tokenizer_file.h"

#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/concat.h"
#include "base/file.h"
#include "json/json.h"
#include "text/chain_tokenizer.h"
#include "text/file_error.h"
#include "text/model_file.h"
#include "text/normalizer_file.h"
#include "text/pre_tokenizer_file.h"

namespace podium {
namespace {

// The largest public tokenizer files have 40 MB.
constexpr size_t kFileBytesMax = size_t{256} << 20;
constexpr size_t kAddedTokensMax = 65536;
// model_max_length is 1e30 where a model gives none; no encoder has a million positions.
constexpr double kSensibleLengthMax = 1e6;

struct FileToken {
  AddedToken token;
  bool normalized = false;
};

Result<FileToken> ParseAddedToken(json::Value value, const std::string& where) {
  FileToken out;
  const auto text_value = value.Find("content");
  const auto text = text_value ? text_value->AsString() : std::nullopt;
  if (!text || text->empty()) return WrongType(where + ".content", text_value, "a text");
  out.token.text = *text;
  // The reference matches after invalid bytes were replaced, we match before.
  if (out.token.text.find("\xEF\xBF\xBD") != std::string::npos) {
    return Unsupported(Concat(where, ".content: U+FFFD is not supported"));
  }
  const auto id_value = value.Find("id");
  const auto id = id_value ? id_value->AsInt() : std::nullopt;
  if (!id || *id < 0 || *id > INT32_MAX) return WrongType(where + ".id", id_value, "an id");
  out.token.id = static_cast<int32_t>(*id);
  bool special = false;
  const std::pair<const char*, bool*> flags[] = {
      {"single_word", &out.token.single_word},
      {"lstrip", &out.token.lstrip},
      {"rstrip", &out.token.rstrip},
      {"normalized", &out.normalized},
      {"special", &special},
  };
  for (const auto& [key, flag] : flags) {
    const auto flag_value = value.Find(key);
    const auto given = flag_value ? flag_value->AsBool() : std::nullopt;
    if (!given) return WrongType(Concat(where, ".", key), flag_value, "a bool");
    *flag = *given;
  }
  return out;
}

Status ParseAddedTokens(std::optional<json::Value> value, const std::string& where,
                        TokenizerParts& parts) {
  if (!value || value->is(json::Type::kNull)) return OkStatus();
  if (!value->is(json::Type::kArray)) return WrongType(where, value, "an array");
  if (value->size() > kAddedTokensMax) {
    return ResourceExhausted(
        Concat(where, ": ", value->size(), " tokens, limit ", kAddedTokensMax));
  }
  std::vector<AddedToken> raw, normalized;
  std::unordered_set<std::string> texts;
  Status status;
  size_t index = 0;
  value->ForEachElement([&](json::Value element) {
    const std::string token_where = Concat(where, "[", index++, "]");
    Result<FileToken> parsed = ParseAddedToken(element, token_where);
    if (!parsed.ok()) {
      status = std::move(parsed).status();
      return false;
    }
    AddedToken& token = parsed->token;
    if (!texts.insert(token.text).second) {
      status = Corrupt(Concat(token_where, ": \"", token.text, "\" is there twice"));
      return false;
    }
    // The reference takes the vocabulary's id, or the next free one, whatever the file says.
    int32_t id = parts.model->vocabulary().Find(token.text);
    if (id < 0) {
      id = parts.model->vocabulary().size() + static_cast<int32_t>(parts.extra_pieces.size());
      parts.extra_pieces.push_back(token.text);
    }
    if (id != token.id) {
      status = Corrupt(Concat(token_where, ": \"", token.text, "\" has id ", token.id,
                              ", the vocabulary gives it ", id));
      return false;
    }
    if (parsed->normalized) {
      token.text = parts.normalizer.Apply(token.text);
      if (token.text.empty()) {
        status = Unsupported(Concat(token_where, ": nothing is left of it after normalization"));
        return false;
      }
    }
    (parsed->normalized ? normalized : raw).push_back(std::move(token));
    return true;
  });
  PODIUM_RETURN_IF_ERROR(std::move(status));
  PODIUM_ASSIGN_OR_RETURN(parts.raw_tokens, AddedTokens::Build(std::move(raw)));
  PODIUM_ASSIGN_OR_RETURN(parts.normalized_tokens, AddedTokens::Build(std::move(normalized)));
  return OkStatus();
}

// 0 when the text is empty: a model folder need not have the file.
Result<int> ParseLengthMax(std::string_view config, std::string_view origin) {
  if (config.empty()) return 0;
  PODIUM_ASSIGN_OR_RETURN(const json::Document document, json::Document::Parse(config, origin));
  if (const auto side = document.root().Find("truncation_side");
      side && side->AsString() != "right") {
    return Unsupported(Concat(origin, ": truncation_side: only \"right\" is supported"));
  }
  const auto value = document.root().Find("model_max_length");
  const auto length = value ? value->AsDouble() : std::nullopt;
  if (!length || !(*length >= 1) || *length > kSensibleLengthMax) return 0;
  return static_cast<int>(*length);
}

}  // namespace

Result<std::unique_ptr<Tokenizer>> ParseTokenizer(std::string_view file, std::string_view origin,
                                                  std::string_view config,
                                                  std::string_view config_origin) {
  TokenizerParts parts;
  PODIUM_ASSIGN_OR_RETURN(parts.length_max, ParseLengthMax(config, config_origin));
  PODIUM_ASSIGN_OR_RETURN(const json::Document document, json::Document::Parse(file, origin));
  const json::Value root = document.root();
  if (!root.is(json::Type::kObject)) return WrongType(std::string(origin), root, "an object");
  const auto where = [&](const char* key) { return Concat(origin, ": ", key); };
  if (const auto normalizer = root.Find("normalizer")) {
    PODIUM_RETURN_IF_ERROR(ParseNormalizer(*normalizer, where("normalizer"), parts.normalizer));
  }
  if (const auto pre_tokenizer = root.Find("pre_tokenizer")) {
    PODIUM_ASSIGN_OR_RETURN(parts.pre_tokenizer,
                            ParsePreTokenizer(*pre_tokenizer, where("pre_tokenizer")));
  }
  const auto model = root.Find("model");
  if (!model) return WrongType(where("model"), model, "an object");
  PODIUM_ASSIGN_OR_RETURN(parts.model, ParseModel(*model, where("model")));
  PODIUM_RETURN_IF_ERROR(ParseAddedTokens(root.Find("added_tokens"), where("added_tokens"), parts));
  const int vocabulary =
      parts.model->vocabulary().size() + static_cast<int>(parts.extra_pieces.size());
  const auto post_processor = root.Find("post_processor");
  if (!post_processor) return WrongType(where("post_processor"), post_processor, "a value");
  PODIUM_ASSIGN_OR_RETURN(parts.templates,
                          ParseTemplates(*post_processor, vocabulary, where("post_processor")));
  return std::unique_ptr<Tokenizer>(std::make_unique<ChainTokenizer>(std::move(parts)));
}

Result<std::unique_ptr<Tokenizer>> OpenTokenizer(const std::string& folder) {
  const std::string path = folder + "/tokenizer.json";
  const std::string config_path = folder + "/tokenizer_config.json";
  PODIUM_ASSIGN_OR_RETURN(const std::string file, ReadFile(path, kFileBytesMax));
  Result<std::string> config = ReadFile(config_path, kFileBytesMax);
  if (!config.ok() && config.status().code() != StatusCode::kNotFound) {
    return std::move(config).status();
  }
  if (config.ok() && config->empty()) return Corrupt(config_path + ": the file is empty");
  return ParseTokenizer(file, path, config.ok() ? std::string_view(config.value()) : "",
                        config_path);
}

int PairTemplate::special_tokens() const {
  int count = 0;
  for (const TemplatePiece& piece : pieces) count += piece.kind == TemplatePiece::Kind::kId;
  return count;
}

}  // namespace podium
