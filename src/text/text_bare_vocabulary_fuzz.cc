// Any bytes as vocab.txt or sentencepiece.bpe.model with the files beside them: an error or a
// tokenizer that keeps its promises. The input is one letter (v or s), then the files with NUL NUL
// between: vocabulary, tokenizer_config.json, special_tokens_map.json, added_tokens.json.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "text/bare_vocabulary_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  if (rest.empty()) return 0;
  const bool sentencepiece = rest[0] == 's';
  rest.remove_prefix(1);
  // From the end: a vocabulary may hold NULs, the others may not.
  std::string files[3];
  for (int i = 2; i >= 0; --i) {
    const size_t mark = rest.rfind(std::string_view("\0\0", 2));
    if (mark == std::string_view::npos) break;
    files[i] = rest.substr(mark + 2);
    rest = rest.substr(0, mark);
  }
  const podium::SettingsFiles settings{
      {files[0], "config"}, {files[1], "special"}, {files[2], "added"}};
  const podium::FileText vocabulary{std::string(rest), "vocabulary"};
  const auto tokenizer = sentencepiece ? podium::ParseSentencePiece(vocabulary, settings)
                                       : podium::ParseVocabularyText(vocabulary, settings);
  if (!tokenizer.ok()) return 0;
  for (const std::string_view text : {std::string_view("Hello  <s> \xE4\xBD\xA0 \x80"), rest}) {
    const podium::Encoded all = (*tokenizer)->Encode(text, SIZE_MAX);
    PODIUM_CHECK(all.complete);
    for (const int32_t id : all.ids) PODIUM_CHECK(id >= 0 && id < (*tokenizer)->vocabulary());
  }
  return 0;
}
