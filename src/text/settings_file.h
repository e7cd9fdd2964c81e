// The small files beside a vocabulary: tokenizer_config.json, special_tokens_map.json and
// added_tokens.json. Beside a tokenizer.json only the first one's lengths are looked at; older
// folders have a bare vocabulary, and these say how it is used.
#ifndef PODIUM_TEXT_SETTINGS_FILE_H_
#define PODIUM_TEXT_SETTINGS_FILE_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "text/added_tokens_file.h"

namespace podium {

/// The text of a file and its path for errors. An empty text counts as an absent file.
struct FileText {
  std::string text;
  std::string path;
};

struct SettingsFiles {
  FileText config;          // tokenizer_config.json
  FileText special_tokens;  // special_tokens_map.json
  FileText added_tokens;    // added_tokens.json
};

/// tokenizer_config.json's model_max_length when it is a sensible number, else 0. A truncation_side
/// other than "right" is kUnsupported.
Result<int> ParseLengthMax(const FileText& config);

struct TokenizerSettings {
  int length_max = 0;
  std::string tokenizer_class;  // "" when none is named
  std::optional<bool> do_lower_case, strip_accents, tokenize_chinese_chars;
  struct Special {
    std::string name;  // "cls_token"
    FileToken token;
    bool plain = false;  // given as a text without flags
  };
  std::vector<Special> special;  // in no order; each name once, but "additional_special_tokens"
  std::vector<FileToken> added;  // by id

  const Special* Find(std::string_view name) const;
};

/// What a bare vocabulary needs. A setting that is not supported is kUnsupported and named.
Result<TokenizerSettings> ParseSettings(const SettingsFiles& files);

}  // namespace podium

#endif  // PODIUM_TEXT_SETTINGS_FILE_H_
