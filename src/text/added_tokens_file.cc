#include "text/added_tokens_file.h"

#include <optional>
#include <unordered_set>
#include <utility>

#include "base/concat.h"
#include "base/utf8.h"
#include "text/file_error.h"
#include "text/unicode.h"

namespace podium {

Result<FileToken> ParseAddedToken(json::Value value, const std::string& where, bool all_flags) {
  FileToken out;
  out.where = where;
  out.token.id = -1;
  const auto text_value = value.Find("content");
  const auto text = text_value ? text_value->AsString() : std::nullopt;
  if (!text || text->empty()) return WrongType(where + ".content", text_value, "a text");
  out.token.text = *text;
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
    if (!flag_value && !all_flags) continue;
    const auto given = flag_value ? flag_value->AsBool() : std::nullopt;
    if (!given) return WrongType(Concat(where, ".", key), flag_value, "a bool");
    *flag = *given;
  }
  return out;
}

Status InstallAddedTokens(std::vector<FileToken> tokens, TokenizerParts& parts) {
  std::vector<AddedToken> raw, normalized;
  std::unordered_set<std::string> texts, normalized_texts;
  bool any_rstrip[2] = {};  // of those that are not normalized, of those that are
  for (const FileToken& each : tokens) any_rstrip[each.normalized] |= each.token.rstrip;
  for (FileToken& each : tokens) {
    AddedToken& token = each.token;
    // The reference matches after invalid bytes were replaced, we match before.
    if (token.text.find("\xEF\xBF\xBD") != std::string::npos) {
      return Unsupported(Concat(each.where, ".content: U+FFFD is not supported"));
    }
    if (!texts.insert(token.text).second) {
      return Corrupt(Concat(each.where, ": \"", token.text, "\" is there twice"));
    }
    int32_t id = parts.model->vocabulary().Find(token.text);
    if (id < 0) {
      id = parts.model->vocabulary().size() + static_cast<int32_t>(parts.extra_pieces.size());
      parts.extra_pieces.push_back(token.text);
    }
    if (token.id >= 0 && id != token.id) {
      return Corrupt(Concat(each.where, ": \"", token.text, "\" has id ", token.id,
                            ", the vocabulary gives it ", id));
    }
    token.id = id;
    if (each.normalized) {
      token.text = parts.normalizer.Apply(token.text);
      if (token.text.empty()) {
        return Unsupported(Concat(each.where, ": nothing is left of it after normalization"));
      }
      // The reference takes one of the two, and not the same one each time it reads the file.
      if (!normalized_texts.insert(token.text).second) {
        return Unsupported(
            Concat(each.where, ": another token is \"", token.text, "\" too after normalization"));
      }
    }
    // Where one token swallows the white space that another one starts with, which swallows too,
    // the reference loses the second or fails, by the count of spaces.
    if (token.lstrip && any_rstrip[each.normalized] && IsWhitespace(DecodeUtf8(token.text).code)) {
      return Unsupported(Concat(each.where, ": \"", token.text,
                                "\" starts with white space and has ",
                                "lstrip, while another token has rstrip"));
    }
    (each.normalized ? normalized : raw).push_back(std::move(token));
  }
  PODIUM_ASSIGN_OR_RETURN(parts.raw_tokens, AddedTokens::Build(std::move(raw)));
  PODIUM_ASSIGN_OR_RETURN(parts.normalized_tokens, AddedTokens::Build(std::move(normalized)));
  return OkStatus();
}

}  // namespace podium
