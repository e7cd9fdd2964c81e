// Our token ids against the ones the `tokenizers` library gave (tools/export_tokens.py).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "golden_files.h"
#include "json/json.h"
#include "text/pair_encoder.h"
#include "text/tokenizer.h"

namespace podium::golden {
namespace {

constexpr size_t kAll = std::numeric_limits<size_t>::max();
const std::string kMini = PODIUM_SOURCE_DIR "/models/podium-mini-zh-en";

class GoldenTokens : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    tokenizer_ = GoldenTokenizer(GetParam());
    if (tokenizer_ == nullptr) GTEST_SKIP() << kNotFetched;
  }
  const Tokenizer* tokenizer_ = nullptr;
};

TEST_P(GoldenTokens, EveryTextHasTheReferencesIds) {
  const std::vector<Text>& texts = Texts();
  const auto digests = ReadData(std::string("digests_") + GetParam() + ".txt");
  ASSERT_GE(texts.size(), 25000u);
  ASSERT_EQ(texts.size(), digests.size()) << "run tools/export_tokens.py after changing a text";
  int wrong = 0;
  for (size_t i = 0; i < texts.size(); ++i) {
    const Text& text = texts[i];
    const Encoded encoded = tokenizer_->Encode(text.bytes, kAll);
    EXPECT_TRUE(encoded.complete);
    const std::string digest = Digest(encoded.ids);
    if (digest == digests[i] || ++wrong > 5) continue;
    std::vector<int32_t> shown(encoded.ids);
    shown.resize(std::min<size_t>(shown.size(), 200));
    ADD_FAILURE() << text.file << ".txt, line " << text.line << ": digest " << digest << ", the "
                  << "reference's is " << digests[i] << "; for its ids: tools/export_tokens.py "
                  << "--show " << GetParam() << " " << text.file << " " << text.line
                  << "\nours: " << testing::PrintToString(shown);
  }
  EXPECT_EQ(wrong, 0) << "of " << texts.size() << " texts";
}

// One text of everything, long enough to go down in many parts: asking for fewer ids gives a
// prefix.
TEST_P(GoldenTokens, FewerIdsAreAPrefix) {
  std::string text;
  for (size_t i = 0; i < Texts().size(); i += 7) {
    if (Texts()[i].bytes.size() < 1000) text += Texts()[i].bytes;
  }
  const Encoded whole = tokenizer_->Encode(text, kAll);
  ASSERT_GT(whole.ids.size(), 40000u);
  for (const size_t wanted : {0u, 1u, 2u, 17u, 508u, 509u, 5000u, 30000u}) {
    const Encoded part = tokenizer_->Encode(text, wanted);
    ASSERT_GE(part.ids.size(), wanted);
    EXPECT_LT(part.ids.size(), wanted + 4096);
    EXPECT_FALSE(part.complete);
    EXPECT_TRUE(std::equal(part.ids.begin(), part.ids.end(), whole.ids.begin())) << wanted;
  }
}

TEST_P(GoldenTokens, LongTextsWithoutSpacesTakeLinearTime) {
  ExpectLinearTime(3 * 128000, [&](size_t bytes) {
    std::string text;
    while (text.size() < bytes) text += "番茄是茄科的一种植物果实可以生吃也可以做菜";
    EXPECT_GT(tokenizer_->Encode(text, kAll).ids.size(), 1000u);
  });
}

INSTANTIATE_TEST_SUITE_P(Files, GoldenTokens,
                         testing::Values("mini", "xlmr", "xlmr_m3", "bert_mini", "bert_en",
                                         "bert_zh"));

// Published ids of the bge-m3 form of the XLM-R tokenizer.
TEST(GoldenAnchors, PublishedIdsOfBgeM3) {
  const Tokenizer* tokenizer = GoldenTokenizer("xlmr_m3");
  if (tokenizer == nullptr) GTEST_SKIP() << kNotFetched;
  const struct {
    const char* text;
    const char* ids;
  } cases[] = {
      {"Hello, world!", "35378 4 8999 38"},
      {"The quick brown fox jumps over the lazy dog.",
       "581 63773 119455 6 147797 88203 7 645 70 21 3285 10269 5"},
      {"你好世界，这是一个测试。", "6 124084 3221 4 100013 49125 30"},
      {"double  spaces   and\ttab\tcharacters", "41929 32628 7 136 20928 124850"},
      {"ﬁ ligature ＦＵＬＬＷＩＤＴＨ ｈａｌｆ", "809 19881 6644 167765 1456 7146 23415 23552"},
      {"Ｎｏｒｍａｌｉｚａｔｉｏｎ: ①②③ Ⅳ Ⅴ ㎞ ㎡", "28723 47691 12 37638 7610 310 1785 347 304"},
      {"🚀 emojis 😀🎉 and ½ symbols © ™ € — dashes…",
       "6 247206 18255 40292 21119 243816 136 78660 26582 7 950 50523 2505 292 48 114942 27"},
      {"   leading and trailing spaces   ", "105207 136 141037 214 32628 7 6"},
      {"<s> special </s> tokens <mask> inline <unk>", "0 5361 6 2 47 84694 250001 23 2256 6 3"},
      {"x<mask>y", "1022 250001 113"},
      {"x <mask>", "1022 250001"},
      {"<mask> x", "250001 1022"},
      {"a", "10"},
      {"", ""},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(tokenizer->Encode(c.text, kAll).ids, ParseIds(c.ids)) << c.text;
  }
  const PairEncoder encoder(*tokenizer, 512);
  const Encoded query = encoder.EncodeQuery("A red apple");
  std::vector<int32_t> ids;
  std::vector<uint8_t> types;
  EXPECT_FALSE(encoder.AppendPair(query, encoder.EncodeDocument("A llama in the garden", query),
                                  ids, types));
  EXPECT_THAT(ids, testing::ElementsAre(0, 62, 4842, 108787, 2, 2, 62, 67140, 23, 70, 80583, 2));
  EXPECT_THAT(types, testing::Each(0));
}

TEST(GoldenModel, TheBundledModelsReferencePairs) {
  const auto tokenizer = OpenTokenizer(kMini);
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.status().ToString();
  EXPECT_EQ((*tokenizer)->length_max(), 512);
  const PairEncoder encoder(**tokenizer, 512);
  std::istringstream file(ReadAll(kMini + "/reference.jsonl"));
  int pairs = 0;
  for (std::string line; std::getline(file, line); ++pairs) {
    const auto document = json::Document::Parse(line, "reference.jsonl");
    ASSERT_TRUE(document.ok());
    const json::Value root = document->root();
    std::vector<int32_t> expected, ids;
    root.Find("input_ids")->ForEachElement([&](json::Value id) {
      expected.push_back(static_cast<int32_t>(*id.AsInt()));
      return true;
    });
    std::vector<uint8_t> types;
    const Encoded query = encoder.EncodeQuery(*root.Find("query")->AsString());
    encoder.AppendPair(query, encoder.EncodeDocument(*root.Find("document")->AsString(), query),
                       ids, types);
    EXPECT_EQ(ids, expected) << line;
    EXPECT_EQ(types.size(), ids.size());
  }
  EXPECT_GT(pairs, 10);
}

// Pairs of texts of all kinds, by each rule, at limits where nothing, one or both are cut.
TEST_P(GoldenTokens, PairsOfTextsByEachRule) {
  std::vector<const std::string*> texts;
  for (const Text& text : Texts()) {
    if (text.file != "repeats") texts.push_back(&text.bytes);
  }
  const auto digests = ReadData(std::string("pair_digests_") + GetParam() + ".txt");
  ASSERT_EQ(digests.size(), 2000u);
  int cut = 0, refused = 0, wrong = 0;
  for (size_t i = 0; i < digests.size() && wrong < 5; ++i) {
    // tools/corpus.py, pairs
    const std::string& query_text = *texts[i * 7919 % texts.size()];
    const std::string& document_text = *texts[(i * 10007 + 13) % texts.size()];
    const int limit = std::vector{20, 64, 65, 512}[i % 4];
    std::string got;
    for (const PairRule rule :
         {PairRule::kLongestFirst, PairRule::kOnlySecond, PairRule::kFlagEmbedding}) {
      const PairEncoder encoder(*tokenizer_, limit, rule);
      const Encoded query = encoder.EncodeQuery(query_text);
      const Encoded document = encoder.EncodeDocument(document_text, query);
      if (!got.empty()) got += ' ';
      if (!encoder.CheckRoom(query, document).ok()) {
        got += '-';
        ++refused;
        continue;
      }
      std::vector<int32_t> ids;
      std::vector<uint8_t> types;
      cut += encoder.AppendPair(query, document, ids, types);
      ids.insert(ids.end(), types.begin(), types.end());
      got += Digest(ids);
    }
    EXPECT_EQ(got, digests[i]) << "pair " << i << ", limit " << limit << "\n"
                               << query_text << "\n"
                               << document_text;
    wrong += got != digests[i];
  }
  EXPECT_GT(cut, 500);
  EXPECT_GT(refused, 50);
}

// The n first of some one-token words with the m first of others, around every turn of the rule.
class GoldenPairs : public testing::TestWithParam<const char*> {};

TEST_P(GoldenPairs, LongestFirstAroundTheLimit) {
  const Tokenizer& tokenizer = *GoldenTokenizer(GetParam());
  const auto lines = ReadData(std::string("pairs_") + GetParam() + ".txt");
  const auto words = [](const std::string& all, int count) {
    std::istringstream in(all);
    std::string text, word;
    for (int i = 0; i < count && in >> word; ++i) text += (i > 0 ? " " : "") + word;
    return text;
  };
  ASSERT_GT(lines.size(), 500u);
  for (size_t i = 2; i < lines.size(); ++i) {
    std::istringstream in(lines[i]);
    int limit = 0, n = 0, m = 0;
    in >> limit >> n >> m;
    // The ids, then as many segment ids.
    const std::vector<int32_t> expected{std::istream_iterator<int32_t>(in), {}};
    const PairEncoder encoder(tokenizer, limit);
    const Encoded query = encoder.EncodeQuery(words(lines[0], n));
    const Encoded document = encoder.EncodeDocument(words(lines[1], m), query);
    std::vector<int32_t> got;
    std::vector<uint8_t> types;
    const bool cut = encoder.AppendPair(query, document, got, types);
    got.insert(got.end(), types.begin(), types.end());
    EXPECT_EQ(got, expected) << lines[i];
    EXPECT_EQ(cut, n + m + tokenizer.pair_template().special_tokens() > limit) << lines[i];
  }
}

INSTANTIATE_TEST_SUITE_P(Files, GoldenPairs, testing::Values("mini", "bert_mini"));

}  // namespace
}  // namespace podium::golden
