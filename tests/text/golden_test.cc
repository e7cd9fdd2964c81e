// Our token ids against the ones the `tokenizers` library gave (tools/export_tokens.py).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "json/json.h"
#include "text/pair_encoder.h"
#include "text/tokenizer.h"
#include "text/tokenizer_file.h"

namespace podium {
namespace {

constexpr size_t kAll = std::numeric_limits<size_t>::max();
const std::string kSource = PODIUM_SOURCE_DIR;
const std::string kMini = kSource + "/models/podium-mini-zh-en";

std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

// Lines of a file in tests/text/data, without the first, which says where they come from.
std::vector<std::string> ReadData(const std::string& name) {
  std::istringstream file(ReadAll(kSource + "/tests/text/data/" + name));
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  EXPECT_GT(lines.size(), 1u) << name;
  lines.erase(lines.begin());
  return lines;
}

std::string Unescape(const std::string& line) {
  std::string out;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '\\') {
      out.push_back(line[i]);
      continue;
    }
    out.push_back(static_cast<char>(std::stoi(line.substr(i + 2, 2), nullptr, 16)));
    i += 3;
  }
  return out;
}

std::vector<int32_t> ParseIds(const std::string& line) {
  std::istringstream in(line);
  return {std::istream_iterator<int32_t>(in), {}};
}

void Substitute(std::string& text, const std::string& from, const std::string& to, size_t start) {
  const size_t at = text.find(from, start);
  ASSERT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
}

// The tokenizer file of the name that the data files use; empty when it was not fetched.
std::string TokenizerFile(const std::string& name) {
  if (name == "mini") return ReadAll(kMini + "/tokenizer.json");
  if (name == "bert_mini") return ReadAll(kSource + "/tests/text/data/bert_mini.json");
  const char* folder = std::getenv("PODIUM_TEST_TOKENIZERS");
  const std::string path =
      (folder != nullptr ? std::string(folder) : kSource + "/.deps/tokenizers") + "/" +
      (name == "xlmr_m3" ? "xlmr" : name) + "/tokenizer.json";
  if (!std::filesystem::exists(path)) return "";
  std::string file = ReadAll(path);
  if (name == "xlmr_m3") {
    Substitute(file, "\"add_prefix_space\": true",
               "\"prepend_scheme\": \"always\", \"split\": true", file.find("\"pre_tokenizer\""));
    Substitute(file, "\"lstrip\": false", "\"lstrip\": true", file.find("\"<mask>\""));
  }
  return file;
}

class GoldenTokens : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::string file = TokenizerFile(GetParam());
    if (file.empty()) GTEST_SKIP() << "run scripts/fetch-tokenizers to get this tokenizer file";
    auto opened = ParseTokenizer(file, "tokenizer.json", "", "");
    ASSERT_TRUE(opened.ok()) << opened.status().ToString();
    tokenizer_ = std::move(opened).value();
    lines_ =
        ReadData(std::string(GetParam()).starts_with("bert_") ? "lines_bert.txt" : "lines.txt");
  }
  std::vector<std::string> lines_;
  std::unique_ptr<Tokenizer> tokenizer_;
};

TEST_P(GoldenTokens, EveryLineHasTheReferencesIds) {
  const auto ids = ReadData(std::string("ids_") + GetParam() + ".txt");
  ASSERT_GE(lines_.size(), 1500u);
  ASSERT_EQ(lines_.size(), ids.size());
  for (size_t i = 0; i < lines_.size(); ++i) {
    const Encoded encoded = tokenizer_->Encode(Unescape(lines_[i]), kAll);
    EXPECT_EQ(encoded.ids, ParseIds(ids[i])) << "line " << i + 2 << ": " << lines_[i];
    EXPECT_TRUE(encoded.complete);
  }
}

// One text of everything, long enough to go down in many parts: asking for fewer ids gives a
// prefix.
TEST_P(GoldenTokens, FewerIdsAreAPrefix) {
  std::string text;
  for (const std::string& line : lines_) text += Unescape(line);
  const Encoded whole = tokenizer_->Encode(text, kAll);
  ASSERT_GT(whole.ids.size(), 10000u);
  for (const size_t wanted : {0u, 1u, 2u, 17u, 508u, 509u, 5000u}) {
    const Encoded part = tokenizer_->Encode(text, wanted);
    ASSERT_GE(part.ids.size(), wanted);
    EXPECT_LT(part.ids.size(), wanted + 4096);
    EXPECT_FALSE(part.complete);
    EXPECT_TRUE(std::equal(part.ids.begin(), part.ids.end(), whole.ids.begin())) << wanted;
  }
}

TEST_P(GoldenTokens, LongTextsWithoutSpacesTakeLinearTime) {
  std::string text;
  while (text.size() < 3 * 32000) text += "番茄是茄科的一种植物果实可以生吃也可以做菜";
  const auto start = std::chrono::steady_clock::now();
  EXPECT_GT(tokenizer_->Encode(text, kAll).ids.size(), 1000u);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(100));
}

INSTANTIATE_TEST_SUITE_P(Files, GoldenTokens,
                         testing::Values("mini", "xlmr", "xlmr_m3", "bert_mini", "bert_en",
                                         "bert_zh"));

// Published ids of the bge-m3 form of the XLM-R tokenizer.
TEST(GoldenAnchors, PublishedIdsOfBgeM3) {
  const std::string file = TokenizerFile("xlmr_m3");
  if (file.empty()) GTEST_SKIP() << "run scripts/fetch-tokenizers to get this tokenizer file";
  const auto tokenizer = ParseTokenizer(file, "tokenizer.json", "", "");
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.status().ToString();
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
    EXPECT_EQ((*tokenizer)->Encode(c.text, kAll).ids, ParseIds(c.ids)) << c.text;
  }
  const PairEncoder encoder(**tokenizer, 512);
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

// The n first of some one-token words with the m first of others, around every turn of the rule.
class GoldenPairs : public testing::TestWithParam<const char*> {};

TEST_P(GoldenPairs, LongestFirstAroundTheLimit) {
  const auto opened = ParseTokenizer(TokenizerFile(GetParam()), "tokenizer.json", "", "");
  ASSERT_TRUE(opened.ok()) << opened.status().ToString();
  const Tokenizer& tokenizer = **opened;
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
}  // namespace podium
