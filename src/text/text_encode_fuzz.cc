// Any bytes through a Unigram and a WordPiece tokenizer: ids in range, and fewer ids are a prefix
// of all.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/file.h"
#include "text/tokenizer.h"
#include "text/tokenizer_file.h"

namespace {

const podium::Tokenizer& Unigram() {
  static const auto opened = podium::OpenTokenizer(PODIUM_SOURCE_DIR "/models/podium-mini-zh-en");
  PODIUM_CHECK(opened.ok());
  return **opened;
}

const podium::Tokenizer& WordPiece() {
  static const auto parsed = [] {
    const auto file =
        podium::ReadFile(PODIUM_SOURCE_DIR "/tests/text/data/bert_mini.json", 1 << 20);
    PODIUM_CHECK(file.ok());
    return podium::ParseTokenizer(*file, "bert_mini.json", "", "");
  }();
  PODIUM_CHECK(parsed.ok());
  return **parsed;
}

void Encode(const podium::Tokenizer& tokenizer, std::string_view text) {
  const podium::Encoded all = tokenizer.Encode(text, SIZE_MAX);
  PODIUM_CHECK(all.complete);
  for (const int32_t id : all.ids) PODIUM_CHECK(id >= 0 && id < tokenizer.vocabulary());
  for (const size_t wanted : {size_t{1}, size_t{7}, all.ids.size() / 2, all.ids.size()}) {
    const podium::Encoded part = tokenizer.Encode(text, wanted);
    PODIUM_CHECK(part.ids.size() >= std::min(wanted, all.ids.size()));
    PODIUM_CHECK(part.ids.size() <= all.ids.size());
    PODIUM_CHECK(std::equal(part.ids.begin(), part.ids.end(), all.ids.begin()));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Encode(Unigram(), text);
  Encode(WordPiece(), text);
  return 0;
}
