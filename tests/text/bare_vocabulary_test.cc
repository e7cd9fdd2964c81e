// Folders without tokenizer.json against the tokenizer.json of the same model, on all golden texts.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <string_view>

#include "golden_files.h"
#include "json/json.h"
#include "tests/support/sentencepiece_writer.h"
#include "text/bare_vocabulary_file.h"
#include "text/tokenizer_file.h"

namespace podium::golden {
namespace {

void ExpectEqualIds(const Tokenizer& got, const Tokenizer& expected) {
  constexpr size_t kAll = std::numeric_limits<size_t>::max();
  ASSERT_EQ(got.vocabulary(), expected.vocabulary());
  size_t differ = 0;
  for (const Text& text : Texts()) {
    if (got.Encode(text.bytes, kAll).ids == expected.Encode(text.bytes, kAll).ids) continue;
    if (++differ <= 3) ADD_FAILURE() << text.file << ".txt:" << text.line;
  }
  EXPECT_EQ(differ, 0u);
}

class VocabularyText : public testing::TestWithParam<const char*> {};

TEST_P(VocabularyText, GivesTheIdsOfTheTokenizerFile) {
  const Tokenizer* expected = GoldenTokenizer(GetParam());
  if (expected == nullptr) GTEST_SKIP() << kNotFetched;
  std::string vocabulary;
  for (int32_t id = 0; id < expected->vocabulary(); ++id) {
    vocabulary += std::string(expected->Piece(id)) + "\n";
  }
  const bool cased = std::string_view(GetParam()) == "bert_zh";
  const auto got = ParseVocabularyText(
      {vocabulary, "vocab.txt"}, {{cased ? R"({"do_lower_case":false})" : "", "config"}, {}, {}});
  ASSERT_TRUE(got.ok()) << got.status().ToString();
  ExpectEqualIds(**got, *expected);
}

INSTANTIATE_TEST_SUITE_P(Files, VocabularyText, testing::Values("bert_mini", "bert_en", "bert_zh"));

std::string DecodeBase64(std::string_view text) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<uint32_t>(kAlphabet.find(c));
    count += 6;
    if (count >= 8) out.push_back(static_cast<char>(bits >> (count -= 8)));
  }
  return out;
}

// The file that the pieces of a tokenizer.json came from, as far as it is read.
std::string SentencePieceFile(json::Value root) {
  testing_support::ProtoWriter out;
  out.Piece("<unk>", 0, 2).Piece("<s>", 0, 3).Piece("</s>", 0, 3);
  const json::Value vocabulary = *root.Find("model")->Find("vocab");
  size_t id = 0;
  vocabulary.ForEachElement([&](json::Value element) {
    std::string_view text;
    double score = 0;
    element.ForEachElement([&](json::Value part) {
      if (part.AsString()) text = *part.AsString();
      if (part.AsDouble()) score = *part.AsDouble();
      return true;
    });
    if (id >= 4 && id + 1 < vocabulary.size()) out.Piece(text, static_cast<float>(score));
    ++id;
    return true;
  });
  std::string_view map;
  root.Find("normalizer")->Find("normalizers")->ForEachElement([&](json::Value step) {
    if (const auto found = step.Find("precompiled_charsmap")) map = *found->AsString();
    return true;
  });
  testing_support::ProtoWriter normalizer;
  normalizer.Bytes(1, "nmt_nfkc").Bytes(2, DecodeBase64(map));
  out.Bytes(2, testing_support::ProtoWriter().Varint(3, 1).text).Bytes(3, normalizer.text);
  return out.text;
}

class SentencePiece : public testing::TestWithParam<const char*> {};

TEST_P(SentencePiece, GivesTheIdsOfTheTokenizerFile) {
  std::string file = TokenizerFile(GetParam());
  if (file.empty()) GTEST_SKIP() << kNotFetched;
  const auto json = json::Document::Parse(file, "tokenizer.json");
  ASSERT_TRUE(json.ok());
  // xlm-roberta-base's own form: words, then Metaspace; the files here leave out the former.
  const size_t start = file.find("\"pre_tokenizer\"");
  const size_t brace = file.find('{', start);
  file.replace(start, file.find('}', brace) + 1 - start,
               R"("pre_tokenizer":{"type":"Sequence","pretokenizers":[{"type":"WhitespaceSplit"},
                  {"type":"Metaspace","replacement":"▁","add_prefix_space":true}]})");
  const auto expected = ParseTokenizer(file, "tokenizer.json", "", "");
  ASSERT_TRUE(expected.ok()) << expected.status().ToString();
  const bool swallows = std::string_view(GetParam()) == "mini";
  const auto got = ParseSentencePiece(
      {SentencePieceFile(json->root()), "sentencepiece.bpe.model"},
      {{swallows ? "" : R"({"mask_token":{"content":"<mask>"}})", "config"}, {}, {}});
  ASSERT_TRUE(got.ok()) << got.status().ToString();
  ExpectEqualIds(**got, **expected);
}

INSTANTIATE_TEST_SUITE_P(Files, SentencePiece, testing::Values("mini", "xlmr"));

}  // namespace
}  // namespace podium::golden
