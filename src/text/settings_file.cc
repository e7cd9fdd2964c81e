#include "text/settings_file.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/concat.h"
#include "json/json.h"
#include "text/file_error.h"

namespace podium {
namespace {

// model_max_length is 1e30 where a model gives none; no encoder has a million positions.
constexpr double kSensibleLengthMax = 1e6;

constexpr std::string_view kSpecialNames[] = {"bos_token", "eos_token", "unk_token", "sep_token",
                                              "pad_token", "cls_token", "mask_token"};
constexpr std::string_view kAdditional = "additional_special_tokens";

Result<json::Document> ParseObject(const FileText& file) {
  PODIUM_ASSIGN_OR_RETURN(json::Document document, json::Document::Parse(file.text, file.path));
  if (!document.root().is(json::Type::kObject)) {
    return WrongType(file.path, document.root(), "an object");
  }
  return document;
}

Result<int> ReadLengthMax(json::Value root, const std::string& path) {
  if (const auto side = root.Find("truncation_side"); side && side->AsString() != "right") {
    return Unsupported(Concat(path, ": truncation_side: only \"right\" is supported"));
  }
  const auto value = root.Find("model_max_length");
  const auto length = value ? value->AsDouble() : std::nullopt;
  if (!length || !(*length >= 1) || *length > kSensibleLengthMax) return 0;
  return static_cast<int>(*length);
}

// Absent and null are the same.
Status ReadFlag(json::Value root, const char* key, const std::string& path,
                std::optional<bool>& out) {
  const auto value = root.Find(key);
  if (!value || value->is(json::Type::kNull)) return OkStatus();
  out = value->AsBool();
  return out ? OkStatus() : WrongType(Concat(path, ": ", key), value, "a bool");
}

// A special token is a text or an object with flags.
Status ReadSpecial(json::Value value, std::string_view name, const std::string& where,
                   TokenizerSettings& out) {
  TokenizerSettings::Special special;
  special.name = name;
  if (const auto text = value.AsString(); text && !text->empty()) {
    special.plain = true;
    special.token.token.text = *text;
    special.token.token.id = -1;
    special.token.where = where;
  } else if (value.is(json::Type::kObject)) {
    PODIUM_ASSIGN_OR_RETURN(special.token, ParseAddedToken(value, where, false));
  } else {
    return WrongType(where, value, "a text or an object");
  }
  out.special.push_back(std::move(special));
  return OkStatus();
}

// Of two files the one that is read first counts.
Status ReadSpecials(json::Value root, const std::string& path, TokenizerSettings& out) {
  for (const std::string_view name : kSpecialNames) {
    const auto value = root.Find(name);
    if (!value || value->is(json::Type::kNull) || out.Find(name) != nullptr) continue;
    PODIUM_RETURN_IF_ERROR(ReadSpecial(*value, name, Concat(path, ": ", name), out));
  }
  const auto additional = root.Find(kAdditional);
  if (!additional || additional->is(json::Type::kNull) || out.Find(kAdditional) != nullptr) {
    return OkStatus();
  }
  if (!additional->is(json::Type::kArray)) {
    return WrongType(Concat(path, ": ", kAdditional), additional, "an array");
  }
  if (additional->size() > kAddedTokensMax) {
    return ResourceExhausted(Concat(path, ": ", kAdditional, ": ", additional->size(),
                                    " tokens, limit ", kAddedTokensMax));
  }
  Status status;
  additional->ForEachElement([&](json::Value value) {
    status = ReadSpecial(value, kAdditional, Concat(path, ": ", kAdditional), out);
    return status.ok();
  });
  return status;
}

// {"128": {"content": …, flags}}
Status ReadDecoder(json::Value decoder, const std::string& where, TokenizerSettings& out) {
  if (!decoder.is(json::Type::kObject)) return WrongType(where, decoder, "an object");
  if (decoder.size() > kAddedTokensMax) {
    return ResourceExhausted(
        Concat(where, ": ", decoder.size(), " tokens, limit ", kAddedTokensMax));
  }
  Status status;
  decoder.ForEachMember([&](std::string_view key, json::Value value) {
    const std::string token_where = Concat(where, "[\"", key, "\"]");
    Result<FileToken> token = ParseAddedToken(value, token_where, true);
    if (!token.ok()) {
      status = std::move(token).status();
      return false;
    }
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), token->token.id);
    if (error != std::errc() || end != key.data() + key.size() || token->token.id < 0) {
      status = Corrupt(Concat(token_where, ": the key is no id"));
      return false;
    }
    out.added.push_back(std::move(token).value());
    return true;
  });
  return status;
}

// {"<new>": 250002}: what was added to a slow tokenizer, looked for in the normalised text unless
// the token is also a special one.
Status ReadAdded(const FileText& file, TokenizerSettings& out) {
  PODIUM_ASSIGN_OR_RETURN(const json::Document document, ParseObject(file));
  if (document.root().size() > kAddedTokensMax) {
    return ResourceExhausted(
        Concat(file.path, ": ", document.root().size(), " tokens, limit ", kAddedTokensMax));
  }
  Status status;
  document.root().ForEachMember([&](std::string_view text, json::Value value) {
    const auto id = value.AsInt();
    const std::string where = Concat(file.path, ": \"", text, "\"");
    if (text.empty() || !id || *id < 0 || *id > INT32_MAX) {
      status = WrongType(where, value, "an id, and a text that is not empty,");
      return false;
    }
    FileToken token;
    token.token.text = text;
    token.token.id = static_cast<int32_t>(*id);
    token.normalized = true;
    token.where = where;
    out.added.push_back(std::move(token));
    return true;
  });
  return status;
}

}  // namespace

const TokenizerSettings::Special* TokenizerSettings::Find(std::string_view name) const {
  for (const Special& each : special) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

Result<int> ParseLengthMax(const FileText& config) {
  if (config.text.empty()) return 0;
  PODIUM_ASSIGN_OR_RETURN(const json::Document document,
                          json::Document::Parse(config.text, config.path));
  return ReadLengthMax(document.root(), config.path);
}

Result<TokenizerSettings> ParseSettings(const SettingsFiles& files) {
  TokenizerSettings out;
  bool has_decoder = false;
  if (!files.config.text.empty()) {
    const std::string& path = files.config.path;
    PODIUM_ASSIGN_OR_RETURN(const json::Document document, ParseObject(files.config));
    const json::Value root = document.root();
    PODIUM_ASSIGN_OR_RETURN(out.length_max, ReadLengthMax(root, path));
    if (const auto name = root.Find("tokenizer_class"); name && !name->is(json::Type::kNull)) {
      const auto text = name->AsString();
      if (!text) return WrongType(path + ": tokenizer_class", name, "a string");
      out.tokenizer_class = *text;
    }
    PODIUM_RETURN_IF_ERROR(ReadFlag(root, "do_lower_case", path, out.do_lower_case));
    PODIUM_RETURN_IF_ERROR(ReadFlag(root, "strip_accents", path, out.strip_accents));
    PODIUM_RETURN_IF_ERROR(
        ReadFlag(root, "tokenize_chinese_chars", path, out.tokenize_chinese_chars));
    std::optional<bool> basic;
    PODIUM_RETURN_IF_ERROR(ReadFlag(root, "do_basic_tokenize", path, basic));
    if (basic == false) {
      return Unsupported(path + ": do_basic_tokenize: only true is supported");
    }
    if (const auto never = root.Find("never_split"); never && never->size() > 0) {
      return Unsupported(path + ": never_split is not supported");
    }
    PODIUM_RETURN_IF_ERROR(ReadSpecials(root, path, out));
    if (const auto decoder = root.Find("added_tokens_decoder")) {
      has_decoder = true;
      PODIUM_RETURN_IF_ERROR(ReadDecoder(*decoder, path + ": added_tokens_decoder", out));
    }
  }
  // Where the decoder is, it has everything that the two older files say.
  if (!has_decoder && !files.special_tokens.text.empty()) {
    PODIUM_ASSIGN_OR_RETURN(const json::Document document, ParseObject(files.special_tokens));
    PODIUM_RETURN_IF_ERROR(ReadSpecials(document.root(), files.special_tokens.path, out));
  }
  if (!has_decoder && !files.added_tokens.text.empty()) {
    PODIUM_RETURN_IF_ERROR(ReadAdded(files.added_tokens, out));
  }
  std::sort(out.added.begin(), out.added.end(),
            [](const FileToken& a, const FileToken& b) { return a.token.id < b.token.id; });
  return out;
}

}  // namespace podium
