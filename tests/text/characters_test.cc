// What each normalizer and pre-tokenizer makes of every code point, against checksums of what the
// `tokenizers` library makes of them (data/characters.txt, tools/export_tokens.py).
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/utf8.h"
#include "golden_files.h"
#include "text/bert_normalizer.h"
#include "text/character_steps.h"
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
  std::string words;

 private:
  std::string word_;
};

// The steps in the order of the file's columns.
std::vector<Normalizer> Normalizers() {
  std::vector<std::unique_ptr<NormalizerStep>> steps;
  steps.push_back(MakeBert({.lowercase = true}));
  steps.push_back(MakeBert({.strip_accents = false, .lowercase = false}));
  steps.push_back(MakeBert({false, false, true, false}));
  steps.push_back(MakeBert({false, false, false, true}));
  for (const bool compatible : {false, true}) {
    for (const bool composed : {true, false}) {
      steps.push_back(MakeNormalForm(compatible, composed));
    }
  }
  steps.push_back(MakeLowercase());
  steps.push_back(MakeStripAccents());
  steps.push_back(MakeNmt());
  std::vector<Normalizer> normalizers(steps.size());
  for (size_t i = 0; i < steps.size(); ++i) normalizers[i].Add(std::move(steps[i]));
  return normalizers;
}

std::vector<PreTokenizer> PreTokenizers() {
  std::vector<PreTokenizer> all;
  for (const SplitRule& rule :
       {SplitRule::Bert(), SplitRule::Whitespace(), SplitRule::WhitespaceSplit(),
        SplitRule::Punctuation(SplitRule::Keep::kIsolated), SplitRule::Digits(true)}) {
    all.push_back({{rule}});
  }
  return all;
}

TEST(Characters, EveryCodePointIsAsInTheReference) {
  std::ifstream file(PODIUM_SOURCE_DIR "/tests/text/data/characters.txt");
  std::string header;
  ASSERT_TRUE(std::getline(file, header));

  const std::vector<Normalizer> normalizers = Normalizers();
  const std::vector<PreTokenizer> pre_tokenizers = PreTokenizers();
  std::vector<int32_t> ids;
  size_t blocks = 0;
  for (std::string line; std::getline(file, line); ++blocks) {
    std::istringstream expected(line);
    uint32_t block = 0;
    expected >> block;
    std::string text;
    for (char32_t code = block; code < block + 0x1000; ++code) {
      if (code >= 0xD800 && code < 0xE000) continue;
      std::string c;
      AppendUtf8(code, c);
      text += "a" + c + "b\u302e" + c + "\U0001d165\n";
    }
    std::vector<std::string> made;
    for (const Normalizer& normalizer : normalizers) made.push_back(normalizer.Apply(text));
    for (const PreTokenizer& pre_tokenizer : pre_tokenizers) {
      Listener listener;
      PreTokenizerRun run(pre_tokenizer, listener);
      run.Feed(text, ids);
      run.EndSpan(ids);
      made.push_back(listener.words);
    }
    for (size_t column = 0; column < made.size(); ++column) {
      uint32_t sum = 0;
      expected >> sum;
      EXPECT_EQ(golden::Crc32(made[column]), sum)
          << "column " << column << ", the 4096 code points from " << block;
    }
  }
  EXPECT_GT(blocks, 50u);
}

}  // namespace
}  // namespace podium
