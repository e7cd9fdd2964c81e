// OpenTokenizer: the tokenizer of a model folder, from tokenizer.json where there is one.
#include "text/tokenizer_file.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/concat.h"
#include "base/file.h"
#include "base/function_ref.h"
#include "json/json.h"
#include "text/added_tokens_file.h"
#include "text/bare_vocabulary_file.h"
#include "text/chain_tokenizer.h"
#include "text/file_error.h"
#include "text/model_file.h"
#include "text/normalizer_file.h"
#include "text/pre_tokenizer_file.h"
#include "text/settings_file.h"

namespace podium {
namespace {

// The largest public tokenizer files have 40 MB.
constexpr size_t kFileBytesMax = size_t{256} << 20;

Status ParseAddedTokens(std::optional<json::Value> value, const std::string& where,
                        TokenizerParts& parts) {
  if (!value || value->is(json::Type::kNull)) return OkStatus();
  if (!value->is(json::Type::kArray)) return WrongType(where, value, "an array");
  if (value->size() > kAddedTokensMax) {
    return ResourceExhausted(
        Concat(where, ": ", value->size(), " tokens, limit ", kAddedTokensMax));
  }
  std::vector<FileToken> tokens;
  Status status;
  value->ForEachElement([&](json::Value element) {
    const std::string token_where = Concat(where, "[", tokens.size(), "]");
    Result<FileToken> token = ParseAddedToken(element, token_where, true);
    const auto id_value = element.Find("id");
    const auto id = id_value ? id_value->AsInt() : std::nullopt;
    if (!token.ok()) {
      status = std::move(token).status();
    } else if (!id || *id < 0 || *id > INT32_MAX) {
      status = WrongType(token_where + ".id", id_value, "an id");
    } else {
      token->token.id = static_cast<int32_t>(*id);
      tokens.push_back(std::move(token).value());
    }
    return status.ok();
  });
  PODIUM_RETURN_IF_ERROR(std::move(status));
  return InstallAddedTokens(std::move(tokens), parts);
}

// Whether a Metaspace with the prepend_scheme "first" is in there.
bool PrependsFirst(json::Value pre_tokenizer) {
  const auto scheme = pre_tokenizer.Find("prepend_scheme");
  bool found = scheme && scheme->AsString() == "first";
  if (const auto steps = pre_tokenizer.Find("pretokenizers")) {
    steps->ForEachElement([&](json::Value step) {
      found |= PrependsFirst(step);
      return !found;
    });
  }
  return found;
}

using ReadByName = FunctionRef<Result<std::string>(const std::string& name, size_t bytes_max)>;

// The text of a file that need not be there, "" when it is not.
Result<FileText> ReadOptional(const std::string& origin, ReadByName read, const char* name) {
  const std::string path = Concat(origin, "/", name);
  Result<std::string> text = read(name, kFileBytesMax);
  if (text.ok() && text->empty()) return Corrupt(path + ": the file is empty");
  if (text.ok()) return FileText{std::move(text).value(), path};
  if (text.status().code() == StatusCode::kNotFound) return FileText{"", path};
  return std::move(text).status();
}

}  // namespace

Result<std::unique_ptr<Tokenizer>> ParseTokenizer(std::string_view file, std::string_view origin,
                                                  std::string_view config,
                                                  std::string_view config_origin) {
  TokenizerParts parts;
  PODIUM_ASSIGN_OR_RETURN(parts.length_max,
                          ParseLengthMax({std::string(config), std::string(config_origin)}));
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
    // It means the start of the text before normalization, which may take away or insert there.
    if (!parts.normalizer.empty() && PrependsFirst(*pre_tokenizer)) {
      return Unsupported(
          Concat(where("pre_tokenizer"), ".prepend_scheme: \"first\" after a normalizer"));
    }
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
  return OpenTokenizer(folder, [&](const std::string& name, size_t bytes_max) {
    return ReadFile(Concat(folder, "/", name), bytes_max);
  });
}

Result<std::unique_ptr<Tokenizer>> OpenTokenizer(const std::string& origin, ReadByName read) {
  SettingsFiles settings;
  PODIUM_ASSIGN_OR_RETURN(const FileText file, ReadOptional(origin, read, "tokenizer.json"));
  PODIUM_ASSIGN_OR_RETURN(settings.config, ReadOptional(origin, read, "tokenizer_config.json"));
  if (!file.text.empty()) {
    return ParseTokenizer(file.text, file.path, settings.config.text, settings.config.path);
  }
  PODIUM_ASSIGN_OR_RETURN(settings.special_tokens,
                          ReadOptional(origin, read, "special_tokens_map.json"));
  PODIUM_ASSIGN_OR_RETURN(settings.added_tokens, ReadOptional(origin, read, "added_tokens.json"));
  PODIUM_ASSIGN_OR_RETURN(const FileText pieces,
                          ReadOptional(origin, read, "sentencepiece.bpe.model"));
  if (!pieces.text.empty()) return ParseSentencePiece(pieces, settings);
  PODIUM_ASSIGN_OR_RETURN(const FileText vocabulary, ReadOptional(origin, read, "vocab.txt"));
  if (!vocabulary.text.empty()) return ParseVocabularyText(vocabulary, settings);
  return NotFound(Concat(origin, ": no tokenizer.json, sentencepiece.bpe.model or vocab.txt"));
}

int PairTemplate::special_tokens() const {
  int count = 0;
  for (const TemplatePiece& piece : pieces) count += piece.kind == TemplatePiece::Kind::kId;
  return count;
}

}  // namespace podium
