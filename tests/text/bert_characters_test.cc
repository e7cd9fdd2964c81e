// What BertNormalizer and BertPreTokenizer make of every code point, against checksums of what the
// `tokenizers` library makes of them (data/bert_characters.txt, tools/export_tokens.py).
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/utf8.h"
#include "golden_files.h"
#include "json/json.h"
#include "text/bert_normalizer.h"
#include "text/normalizer.h"
#include "text/pre_tokenizer.h"

namespace podium {
namespace {

// Writes down the words that it is given.
class Listener final : public Model::Run {
 public:
  void Append(std::string_view part, std::vector<int32_t>&) override { word_ += part; }
  void End(std::vector<int32_t>&) override {
    words += word_ + "\n";
    word_.clear();
  }
  bool empty() const override { return word_.empty(); }
  std::string words;

 private:
  std::string word_;
};

TEST(BertCharacters, EveryCodePointIsAsInTheReference) {
  std::ifstream file(PODIUM_SOURCE_DIR "/tests/text/data/bert_characters.txt");
  std::string header;
  ASSERT_TRUE(std::getline(file, header));

  Normalizer normalizers[4];
  normalizers[0].Add(MakeBert({.lowercase = true}));
  normalizers[1].Add(MakeBert({.strip_accents = false, .lowercase = false}));
  normalizers[2].Add(MakeBert({false, false, true, false}));
  normalizers[3].Add(MakeBert({false, false, false, true}));
  const auto json = json::Document::Parse(R"({"type":"BertPreTokenizer"})", "test");
  ASSERT_TRUE(json.ok());
  const auto rules = ParsePreTokenizer(json->root(), "test");
  ASSERT_TRUE(rules.ok());

  std::vector<int32_t> ids;
  for (char32_t block = 0; block < 0x110000; block += 0x1000) {
    std::string made[4];
    Listener listener;
    PreTokenizerRun pre_tokenizer(*rules, listener);
    for (char32_t code = block; code < block + 0x1000; ++code) {
      if (code >= 0xD800 && code < 0xE000) continue;
      std::string c;
      AppendUtf8(code, c);
      for (int i = 0; i < 4; ++i) {
        made[i] += normalizers[i].Apply("a" + c + "b\u302e" + c + "\U0001d165") + "\n";
      }
      pre_tokenizer.Feed("a" + c + "b", ids);
      pre_tokenizer.EndSpan(ids);
    }
    std::string got;
    for (const std::string& column : made) got += std::to_string(golden::Crc32(column)) + " ";
    got += std::to_string(golden::Crc32(listener.words));
    std::string expected;
    ASSERT_TRUE(std::getline(file, expected));
    EXPECT_EQ(got, expected) << "in the 4096 code points from " << static_cast<uint32_t>(block);
  }
}

}  // namespace
}  // namespace podium
