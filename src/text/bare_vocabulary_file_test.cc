// vocab.txt and sentencepiece.bpe.model with the small files beside them, good and hostile. On
// whole texts they are compared with the tokenizer.json of the same model in tests/text.
#include "text/bare_vocabulary_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "tests/support/sentencepiece_writer.h"
#include "tests/support/temp_folder.h"
#include "text/sentencepiece_model.h"

namespace podium {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::ProtoWriter;

constexpr size_t kAll = std::numeric_limits<size_t>::max();

SettingsFiles Settings(std::string config, std::string special = "", std::string added = "") {
  return {{std::move(config), "tokenizer_config.json"},
          {std::move(special), "special_tokens_map.json"},
          {std::move(added), "added_tokens.json"}};
}

// 0 [PAD], 1 [UNK], 2 [CLS], 3 [SEP], 4 [MASK], 5 a, …
const char kVocabulary[] = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n##b\nA\né\n字\ne\n";

std::vector<int32_t> Ids(const Result<std::unique_ptr<Tokenizer>>& tokenizer, const char* text) {
  EXPECT_TRUE(tokenizer.ok()) << tokenizer.status().ToString();
  return tokenizer.ok() ? (*tokenizer)->Encode(text, kAll).ids : std::vector<int32_t>{-1};
}

std::vector<int32_t> BertIds(const char* text, const SettingsFiles& settings) {
  return Ids(ParseVocabularyText({kVocabulary, "vocab.txt"}, settings), text);
}

TEST(VocabularyText, ObeysTheConfig) {
  EXPECT_THAT(BertIds("A é字a ab[MASK]", Settings("")), ElementsAre(5, 10, 9, 5, 5, 6, 4));
  EXPECT_THAT(BertIds("A é", Settings(R"({"do_lower_case":false})")), ElementsAre(7, 8));
  EXPECT_THAT(BertIds("A é", Settings(R"({"strip_accents":false,"do_lower_case":null})")),
              ElementsAre(5, 8));
  EXPECT_THAT(BertIds("字字", Settings(R"({"tokenize_chinese_chars":false})")), ElementsAre(1));
  const auto tokenizer = ParseVocabularyText(
      {kVocabulary, "vocab.txt"},
      Settings(R"({"model_max_length":512,"tokenizer_class":"BertTokenizerFast"})"));
  ASSERT_TRUE(tokenizer.ok());
  EXPECT_EQ((*tokenizer)->length_max(), 512);
  EXPECT_EQ((*tokenizer)->vocabulary(), 11);
  const auto& pieces = (*tokenizer)->pair_template().pieces;
  ASSERT_EQ(pieces.size(), 5u);
  EXPECT_EQ(pieces[0].id, 2);
  EXPECT_EQ(pieces[2].id, 3);
  EXPECT_EQ(pieces[4].type, 1);
}

TEST(VocabularyText, LineEnds) {
  for (const char* text : {"[UNK]\r\n[CLS]\r\n[SEP]\r\n\r\na", "[UNK]\n[CLS]\n[SEP]\n\na\n",
                           "[UNK]\r[CLS]\r[SEP]\r\ra\r"}) {
    const auto tokenizer = ParseVocabularyText({text, "vocab.txt"}, Settings(""));
    EXPECT_THAT(Ids(tokenizer, "a"), ElementsAre(4)) << text;
    EXPECT_EQ((*tokenizer)->vocabulary(), 7);  // [PAD] and [MASK] come after the file's five lines
  }
}

TEST(VocabularyText, SpecialAndAddedTokens) {
  const char* map = R"({"mask_token":{"content":"[MASK]","lstrip":true},"cls_token":"a",
                        "additional_special_tokens":["<new>"]})";
  EXPECT_THAT(BertIds("é [MASK] <new>", Settings("", map)), ElementsAre(10, 4, 11));
  EXPECT_THAT(BertIds("x[CLS]x", Settings("", map)), ElementsAre(1, 1, 1, 1, 1));
  // The config goes before the map, and the decoder of the config before everything.
  const char* config = R"({"cls_token":"[CLS]"})";
  EXPECT_THAT(BertIds("[CLS]", Settings(config, map)), ElementsAre(2));
  const char* decoder = R"({"added_tokens_decoder":{"11":{"content":"<D>","single_word":false,
      "lstrip":false,"rstrip":false,"normalized":true,"special":false}}})";
  EXPECT_THAT(BertIds("<d> <new>", Settings(decoder, map)), ElementsAre(11, 1, 1, 1));
  EXPECT_THAT(BertIds("x<new>", Settings("", "", R"({"<NEW>":11})")), ElementsAre(1, 11));
}

TEST(VocabularyText, RefusesByName) {
  const struct {
    const char *vocabulary, *config, *special, *added, *named;
  } cases[] = {
      {"a\n", "", "", "", "vocab.txt: no piece is \"[UNK]\", the unk_token"},
      {"[UNK]\n[CLS]\n", "", "", "", "the sep_token"},
      {"\xFF\n", "", "", "", "vocab.txt: byte 0 is not UTF-8"},
      {kVocabulary, R"({"tokenizer_class":"MPNetTokenizer"})", "", "", "\"MPNetTokenizer\""},
      {kVocabulary, R"({"tokenizer_class":7})", "", "", "tokenizer_class"},
      {kVocabulary, R"({"do_lower_case":1})", "", "", "do_lower_case"},
      {kVocabulary, R"({"do_basic_tokenize":false})", "", "", "do_basic_tokenize"},
      {kVocabulary, R"({"never_split":["a"]})", "", "", "never_split"},
      {kVocabulary, R"({"truncation_side":"left"})", "", "", "truncation_side"},
      {kVocabulary, R"({"cls_token":5})", "", "", "tokenizer_config.json: cls_token"},
      {kVocabulary, R"({"cls_token":"x"})", "", "", "no piece is \"x\", the cls_token"},
      {kVocabulary, "[]", "", "", "tokenizer_config.json"},
      {kVocabulary, "", "{", "", "special_tokens_map.json"},
      {kVocabulary, "", R"({"additional_special_tokens":"a"})", "", "additional_special_tokens"},
      {kVocabulary, "", R"({"pad_token":{"content":"x","lstrip":1}})", "", "pad_token.lstrip"},
      {kVocabulary, "", "", R"({"<new>":12})", "\"<new>\" has id 12, the vocabulary gives it 11"},
      {kVocabulary, "", "", R"({"<new>":"x"})", "added_tokens.json: \"<new>\""},
      {kVocabulary, R"({"added_tokens_decoder":{"x":{}}})", "", "", "[\"x\"].content"},
  };
  for (const auto& c : cases) {
    const auto tokenizer =
        ParseVocabularyText({c.vocabulary, "vocab.txt"}, Settings(c.config, c.special, c.added));
    ASSERT_FALSE(tokenizer.ok()) << c.named;
    EXPECT_THAT(tokenizer.status().message(), HasSubstr(c.named));
  }
}

// <unk>, <s>, </s>, then "▁" 4, "a" 5, "b" 6, "▁ab" 7; <mask> is 8.
ProtoWriter SmallModel() {
  ProtoWriter model;
  model.Piece("<unk>", 0, 2).Piece("<s>", 0, 3).Piece("</s>", 0, 3);
  model.Piece("▁", -2).Piece("a", -1).Piece("b", -1.5F).Piece("▁ab", -3);
  return model;
}

Result<std::unique_ptr<Tokenizer>> ParseModel(const ProtoWriter& model, const char* config = "") {
  return ParseSentencePiece({model.text, "sentencepiece.bpe.model"}, Settings(config));
}

TEST(SentencePieceFile, ShiftsIds) {
  const auto tokenizer = ParseModel(SmallModel());
  EXPECT_THAT(Ids(tokenizer, " ab  ba  <mask>x<s></s><pad> "),
              ElementsAre(7, 4, 6, 5, 8, 4, 3, 0, 2, 1));
  EXPECT_EQ((*tokenizer)->vocabulary(), 9);
  EXPECT_EQ((*tokenizer)->Piece(8), "<mask>");
  EXPECT_EQ((*tokenizer)->pair_template().special_tokens(), 4);
  const auto plain = ParseSentencePiece(
      {SmallModel().text, "m"},
      Settings(R"({"mask_token":{"content":"<mask>","lstrip":false},"model_max_length":8192})"));
  EXPECT_THAT(Ids(plain, "ab <mask>"), ElementsAre(7, 8));
  EXPECT_EQ((*plain)->length_max(), 8192);
}

TEST(SentencePieceFile, RefusesByName) {
  const auto with = [](uint32_t part, uint32_t field, uint64_t value) {
    ProtoWriter model = SmallModel();
    model.Bytes(part, ProtoWriter().Varint(field, value).text);
    return model;
  };
  ProtoWriter control = SmallModel();
  control.Piece("<c>", 0, 4);
  ProtoWriter endless = SmallModel();
  endless.Piece("x", std::numeric_limits<float>::infinity());
  ProtoWriter bytes = SmallModel();
  bytes.Piece("\xFF", 0);
  ProtoWriter order;
  order.Piece("<s>", 0).Piece("<unk>", 0).Piece("</s>", 0);
  ProtoWriter charsmap = SmallModel();
  charsmap.Bytes(3, ProtoWriter().Bytes(2, "abc").text);
  const struct {
    ProtoWriter model;
    const char *config, *named;
  } cases[] = {
      {{}, "", "first pieces"},
      {order, "", "first pieces"},
      {with(2, 3, 2), "", "BPE"},
      {with(2, 35, 1), "", "byte_fallback"},
      {with(2, 24, 1), "", "treat_whitespace_as_suffix"},
      {with(3, 3, 0), "", "add_dummy_prefix"},
      {with(3, 4, 0), "", "remove_extra_whitespaces"},
      {with(3, 5, 0), "", "escape_whitespaces"},
      {control, "", "piece 7 \"<c>\" is of type 4"},
      {endless, "", "score is inf"},
      {bytes, "", "not UTF-8"},
      {charsmap, "", "charsmap of 3 bytes"},
      {SmallModel(), R"({"tokenizer_class":"CamembertTokenizer"})", "\"CamembertTokenizer\""},
      {SmallModel(), R"({"cls_token":"[CLS]"})",
       "cls_token: without a tokenizer.json only \"<s>\""},
  };
  for (const auto& c : cases) {
    const auto tokenizer = ParseModel(c.model, c.config);
    ASSERT_FALSE(tokenizer.ok()) << c.named;
    EXPECT_THAT(tokenizer.status().message(), HasSubstr(c.named));
  }
}

TEST(SentencePieceModel, Wire) {
  const std::string good = SmallModel().text;
  // Cut anywhere it is corrupt, or a model of fewer pieces; nothing outside of it is read.
  for (size_t size = 0; size < good.size(); ++size) {
    const std::string cut = good.substr(0, size);
    const auto model = SentencePieceModel::Parse(cut);
    EXPECT_LT(model.ok() ? model->pieces.size() : 0, 7u) << size;
  }
  const std::string corrupt[] = {
      std::string("\x0A\x05"
                  "ab"),                                            // longer than the file
      std::string("\x0A\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"),  // of 2^64 - 1 bytes
      std::string("\x02\x00", 2),                                   // field 0
      std::string("\x0B"),                                          // a group
      std::string("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80"),  // an endless number
      std::string("\x15\x00\x00", 3),                               // half a float
      std::string("\x0A\x02\x15\x00", 4),                           // the same in a piece
  };
  for (const std::string& bytes : corrupt) {
    const auto model = SentencePieceModel::Parse(bytes);
    ASSERT_FALSE(model.ok()) << bytes.size();
    EXPECT_EQ(model.status().code(), StatusCode::kCorrupt);
    EXPECT_THAT(model.status().message(), testing::StartsWith("byte "));
  }
  // Fields that are not known are passed over, of every kind.
  ProtoWriter more = SmallModel();
  more.Varint(99, ~uint64_t{0}).Float(98, 1).Bytes(97, "xyz");
  more.text += std::string("\x99\x06\x01\x02\x03\x04\x05\x06\x07\x08", 10);
  EXPECT_EQ(SentencePieceModel::Parse(more.text).value().pieces.size(), 7u);
}

TEST(OpenTokenizer, TakesTheNewestFormOfAFolder) {
  const testing_support::TempFolder folder;
  const auto write = [&](const char* name, const std::string& text) {
    std::ofstream(std::filesystem::path(folder.path()) / name, std::ios::binary) << text;
  };
  write("vocab.txt", kVocabulary);
  write("tokenizer_config.json", R"({"do_lower_case":false})");
  EXPECT_THAT(Ids(OpenTokenizer(folder.path()), "A"), ElementsAre(7));
  write("special_tokens_map.json", R"({"unk_token":"a"})");
  EXPECT_THAT(Ids(OpenTokenizer(folder.path()), "Ax"), ElementsAre(5));
  write("sentencepiece.bpe.model", SmallModel().text);
  EXPECT_THAT(OpenTokenizer(folder.path()).status().message(), HasSubstr("unk_token"));
  write("special_tokens_map.json", "{}");
  EXPECT_THAT(Ids(OpenTokenizer(folder.path()), "ab"), ElementsAre(7));
  write("tokenizer.json", "{}");
  EXPECT_THAT(OpenTokenizer(folder.path()).status().message(), HasSubstr("tokenizer.json: model"));
  write("tokenizer.json", "");
  EXPECT_THAT(OpenTokenizer(folder.path()).status().message(), HasSubstr("the file is empty"));
}

}  // namespace
}  // namespace podium
