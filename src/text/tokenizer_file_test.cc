// Tokenizer files, good and hostile: small files built from parts.
// Over 400 lines because the cases share one file whose parts are replaced one by one.
#include "text/tokenizer_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

namespace podium {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr size_t kAll = std::numeric_limits<size_t>::max();

// A file whose parts can be replaced one by one.
struct File {
  std::string added = R"([{"id":0,"content":"<s>","single_word":false,"lstrip":false,"rstrip":false,
                           "normalized":false,"special":true}])";
  std::string normalizer = "null";
  std::string pre_tokenizer = R"({"type":"Metaspace","replacement":"▁","prepend_scheme":"always"})";
  std::string post_processor = R"({"type":"RobertaProcessing","sep":["</s>",2],"cls":["<s>",0]})";
  std::string model = R"({"type":"Unigram","unk_id":1,"vocab":[["<s>",0],["<unk>",0],["</s>",0],
                          ["▁",-2],["a",-1],["b",-1.5],["▁a",-2],[" ",-1]]})";
  std::string text() const {
    return R"({"version":"1.0","truncation":{"max_length":2},"padding":null,"added_tokens":)" +
           added + R"(,"normalizer":)" + normalizer + R"(,"pre_tokenizer":)" + pre_tokenizer +
           R"(,"post_processor":)" + post_processor + R"(,"decoder":{"type":"X"},"model":)" +
           model + "}";
  }
};

Result<std::unique_ptr<Tokenizer>> Parse(const File& file, std::string_view config = "") {
  return ParseTokenizer(file.text(), "tokenizer.json", config, "tokenizer_config.json");
}

std::vector<int32_t> Ids(const File& file, std::string_view text) {
  const auto tokenizer = Parse(file);
  EXPECT_TRUE(tokenizer.ok()) << tokenizer.status().ToString();
  return tokenizer.ok() ? (*tokenizer)->Encode(text, kAll).ids : std::vector<int32_t>{-1};
}

TEST(TokenizerFile, Reads) {
  File file;
  const auto tokenizer = Parse(file, R"({"model_max_length":512})");
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.status().ToString();
  EXPECT_EQ((*tokenizer)->vocabulary(), 8);
  EXPECT_EQ((*tokenizer)->Piece(6), "▁a");
  EXPECT_EQ((*tokenizer)->Piece(8), "");
  EXPECT_EQ((*tokenizer)->Piece(-1), "");
  EXPECT_EQ((*tokenizer)->length_max(), 512);
  EXPECT_EQ((*tokenizer)->pair_template().special_tokens(), 4);
  EXPECT_EQ((*tokenizer)->single_template().size(), 3u);
  EXPECT_THAT((*tokenizer)->Encode("ab a<s>b", kAll).ids, ElementsAre(6, 5, 6, 0, 3, 5));
}

TEST(TokenizerFile, LengthMaxIsZeroWhenNotSensible) {
  for (const char* config : {"", "{}", R"({"model_max_length":1e30})", R"({"model_max_length":0})",
                             R"({"model_max_length":-3})", R"({"model_max_length":"512"})",
                             R"({"model_max_length":null,"truncation_side":"right"})"}) {
    const auto tokenizer = Parse(File(), config);
    ASSERT_TRUE(tokenizer.ok()) << tokenizer.status().ToString();
    EXPECT_EQ((*tokenizer)->length_max(), 0) << config;
  }
  EXPECT_EQ(Parse(File(), R"({"truncation_side":"left"})").status().code(),
            StatusCode::kUnsupported);
  EXPECT_EQ(Parse(File(), "{").status().code(), StatusCode::kCorrupt);
}

// What the reference gives for each spelling was looked up by hand.
TEST(TokenizerFile, PreTokenizers) {
  const auto ids = [](const char* pre_tokenizer, const char* text) {
    File file;
    file.pre_tokenizer = pre_tokenizer;
    return Ids(file, text);
  };
  const char* older =
      R"({"type":"Metaspace","replacement":"▁","add_prefix_space":true,"str_rep":"▁"})";
  EXPECT_THAT(ids(older, "b a"), ElementsAre(3, 5, 6));
  EXPECT_THAT(ids(older, " a "), ElementsAre(6, 3));
  const char* never = R"({"type":"Metaspace","replacement":"▁","prepend_scheme":"never"})";
  EXPECT_THAT(ids(never, "a a"), ElementsAre(4, 6));
  const char* first = R"({"type":"Metaspace","replacement":"▁","prepend_scheme":"first"})";
  EXPECT_THAT(ids(first, "a<s>a"), ElementsAre(6, 0, 4));
  EXPECT_THAT(ids(first, "<s>a"), ElementsAre(0, 4));
  const char* words = R"({"type":"Sequence","pretokenizers":[{"type":"WhitespaceSplit"},
                          {"type":"Metaspace","replacement":"▁"}]})";
  EXPECT_THAT(ids(words, " a\t\u3000 b "), ElementsAre(6, 3, 5));
  EXPECT_THAT(ids(R"({"type":"WhitespaceSplit"})", " a b\n"), ElementsAre(4, 5));
  EXPECT_THAT(ids("null", "a b"), ElementsAre(4, 7, 5));
  EXPECT_THAT(ids(R"({"type":"Sequence","pretokenizers":[]})", "a b"), ElementsAre(4, 7, 5));
}

// The sums of the ways through differ in their last places only, and not as those of the exact
// numbers do.
TEST(TokenizerFile, ScoresAreReadAsTheReferenceReadsThem) {
  File file;
  file.pre_tokenizer = "null";
  file.model = R"({"type":"Unigram","unk_id":1,"vocab":[["<s>",0],["<unk>",0],["</s>",0],
                   ["g",-15.440134965081217],["gg",1.8904666584502934]]})";
  EXPECT_THAT(Ids(file, "ggggggg"), ElementsAre(4, 4, 4, 3));
}

// Both came out otherwise than in the reference.
TEST(TokenizerFile, RefusesWhatDependsOnPlacesBeforeNormalization) {
  File file;
  file.pre_tokenizer = R"({"type":"Sequence","pretokenizers":[
      {"type":"Metaspace","replacement":"▁","prepend_scheme":"first"}]})";
  EXPECT_TRUE(Parse(file).ok());
  file.normalizer = R"({"type":"Strip","strip_left":true,"strip_right":false})";
  EXPECT_EQ(Parse(file).status().code(), StatusCode::kUnsupported);
  EXPECT_THAT(Parse(file).status().ToString(), testing::HasSubstr("prepend_scheme"));

  File spaces;
  const auto added = [](const char* strip, const char* text, const char* other) {
    return std::string(R"([{"id":8,"content":"<m>","single_word":false,"lstrip":false,"rstrip":)") +
           other + R"(,"normalized":false,"special":true},{"id":9,"content":")" + text +
           R"(","single_word":false,"lstrip":)" + strip +
           R"(,"rstrip":false,"normalized":false,"special":true}])";
  };
  spaces.added = added("true", "  ", "true");
  EXPECT_EQ(Parse(spaces).status().code(), StatusCode::kUnsupported);
  EXPECT_THAT(Parse(spaces).status().ToString(), testing::HasSubstr("lstrip"));
  for (const std::string& fine :
       {added("false", "  ", "true"), added("true", "x ", "true"), added("true", "  ", "false")}) {
    spaces.added = fine;
    EXPECT_TRUE(Parse(spaces).ok()) << fine;
  }
  spaces.added = added("false", "  ", "true");
  EXPECT_THAT(Ids(spaces, "<m>    a"), ElementsAre(8, 9, 9, 6));

  File alike;
  const auto cases = [](const char* first, const char* second) {
    const std::string flags =
        R"(,"single_word":false,"lstrip":false,"rstrip":false,"special":false)";
    return R"([{"id":8,"content":"QQ","normalized":)" + std::string(first) + flags +
           R"(},{"id":9,"content":"qq","normalized":)" + second + flags + "}]";
  };
  alike.normalizer = R"({"type":"Lowercase"})";
  alike.added = cases("true", "true");
  EXPECT_EQ(Parse(alike).status().code(), StatusCode::kUnsupported);
  EXPECT_THAT(Parse(alike).status().ToString(), testing::HasSubstr("after normalization"));
  alike.added = cases("false", "true");
  EXPECT_THAT(Ids(alike, "qqQQ"), ElementsAre(9, 8));
}

TEST(TokenizerFile, AddedTokensBeyondTheVocabulary) {
  const char* flags = R"("single_word":false,"lstrip":false,"rstrip":false,"special":false,)";
  File file;
  file.added = std::string(R"([{"id":8,"content":"ab",)") + flags + R"("normalized":false},)" +
               R"({"id":9,"content":"bb",)" + flags + R"("normalized":true}])";
  file.normalizer = R"({"type":"Replace","pattern":{"String":"x"},"content":"b"})";
  EXPECT_THAT(Ids(file, "aab"), ElementsAre(6, 8));
  EXPECT_THAT(Ids(file, "abxaxx"), ElementsAre(8, 3, 5, 4, 9));
  EXPECT_EQ(Parse(file).value()->Piece(9), "bb");
  EXPECT_EQ(Parse(file).value()->vocabulary(), 10);
}

TEST(TokenizerFile, Templates) {
  File file;
  file.post_processor = R"({"type":"BertProcessing","sep":["</s>",2],"cls":["<s>",0]})";
  const auto bert = Parse(file);
  ASSERT_TRUE(bert.ok());
  const auto& pieces = (*bert)->pair_template().pieces;
  ASSERT_EQ(pieces.size(), 5u);
  EXPECT_EQ(pieces[2].type, 0);
  EXPECT_EQ(pieces[3].type, 1);
  EXPECT_EQ(pieces[4].type, 1);
  file.post_processor = "null";
  EXPECT_EQ(Parse(file).value()->pair_template().special_tokens(), 0);
  file.post_processor =
      R"({"type":"TemplateProcessing","single":[{"Sequence":{"id":"A","type_id":0}}],
      "pair":[{"SpecialToken":{"id":"x","type_id":0}},{"Sequence":{"id":"A","type_id":0}},
              {"Sequence":{"id":"B","type_id":1}}],
      "special_tokens":{"x":{"id":"x","ids":[2,0],"tokens":["</s>","<s>"]}}})";
  const auto custom = Parse(file);
  ASSERT_TRUE(custom.ok()) << custom.status().ToString();
  EXPECT_EQ((*custom)->pair_template().special_tokens(), 2);
  EXPECT_EQ((*custom)->pair_template().pieces[0].id, 2);
}

// Each file is refused, and the message names the part.
TEST(TokenizerFile, RefusesByName) {
  struct Case {
    std::string File::* part;
    const char* value;
    const char* named;
  };
  const Case cases[] = {
      {&File::model, R"({"type":"BPE"})", "\"BPE\""},
      {&File::model, "null", "model.type"},
      {&File::model, R"({"type":"Unigram","unk_id":0})", "model.vocab"},
      {&File::model, R"({"type":"Unigram","unk_id":0,"vocab":{}})", "model.vocab"},
      {&File::model, R"({"type":"Unigram","unk_id":0,"vocab":[]})", "unk_id"},
      {&File::model, R"({"type":"Unigram","unk_id":null,"vocab":[["a",0]]})", "unk_id"},
      {&File::model, R"({"type":"Unigram","unk_id":99999999999,"vocab":[["a",0]]})", "unk_id"},
      {&File::model, R"({"type":"Unigram","unk_id":0,"vocab":[["a","0"]]})", "vocab[0]"},
      {&File::model, R"({"type":"Unigram","unk_id":0,"vocab":[["a",0],["b"]]})", "vocab[1]"},
      {&File::model, R"({"type":"Unigram","unk_id":0,"vocab":[["a",0],["b",1,2]]})", "vocab[1]"},
      {&File::model, R"({"type":"Unigram","unk_id":0,"vocab":[[1,0]]})", "vocab[0]"},
      {&File::model, R"({"type":"Unigram","unk_id":0,"vocab":[["a",null]]})", "vocab[0]"},
      {&File::model, R"({"type":"Unigram","unk_id":0,"vocab":["a"]})", "vocab[0]"},
      {&File::model, R"({"type":"Unigram","unk_id":0,"byte_fallback":true,"vocab":[["a",0]]})",
       "byte_fallback"},
      {&File::normalizer, R"({"type":"ByteLevel"})", "\"ByteLevel\""},
      {&File::normalizer, R"({"type":"Sequence","normalizers":[{"type":"Casefold"}]})",
       "normalizers[0]: \"Casefold\""},
      {&File::normalizer, R"({"type":"Prepend"})", "prepend"},
      {&File::normalizer, R"({"type":"Sequence"})", "normalizers"},
      {&File::normalizer, R"({"type":"Precompiled","precompiled_charsmap":"AAA"})", "base64"},
      {&File::normalizer, R"({"type":"Precompiled","precompiled_charsmap":"A?=="})", "character 1"},
      {&File::normalizer, R"({"type":"Precompiled","precompiled_charsmap":""})", "charsmap"},
      {&File::normalizer, R"({"type":"Precompiled","precompiled_charsmap":"/////w=="})",
       "charsmap"},
      {&File::normalizer, R"({"type":"Precompiled","precompiled_charsmap":5})", "charsmap"},
      {&File::normalizer, R"({"type":"Replace","pattern":{"Regex":"[a-z]+"},"content":""})",
       "[a-z]+"},
      {&File::normalizer, R"({"type":"Replace","pattern":{"Regex":"a{0,}"},"content":""})",
       "a{0,}"},
      {&File::normalizer, R"({"type":"Replace","pattern":{"Regex":"a{999999999,}"},"content":""})",
       "a{999999999,}"},
      {&File::normalizer, R"({"type":"Replace","pattern":{"Regex":"\\s+"},"content":""})", "s+"},
      {&File::normalizer, R"({"type":"Replace","pattern":{"Regex":""},"content":""})", "pattern"},
      {&File::normalizer, R"({"type":"Replace","pattern":{"String":""},"content":""})", "pattern"},
      {&File::normalizer, R"({"type":"Replace","pattern":"a","content":""})", "pattern"},
      {&File::normalizer, R"({"type":"Strip","strip_left":1,"strip_right":true})", "strip_left"},
      {&File::normalizer, "7", "normalizer.type"},
      {&File::pre_tokenizer, R"({"type":"ByteLevel"})", "\"ByteLevel\""},
      {&File::pre_tokenizer, R"({"type":"Metaspace","replacement":"ab"})", "replacement"},
      {&File::pre_tokenizer, R"({"type":"Metaspace","replacement":""})", "replacement"},
      {&File::pre_tokenizer, R"({"type":"Metaspace","replacement":"▁","prepend_scheme":"x"})",
       "\"x\""},
      {&File::pre_tokenizer, R"({"type":"Metaspace","replacement":"▁","add_prefix_space":false})",
       "add_prefix_space"},
      {&File::pre_tokenizer, R"({"type":"Metaspace","replacement":"▁","split":0})", "split"},
      {&File::pre_tokenizer, R"({"type":"Sequence","pretokenizers":[{"type":"UnicodeScripts"}]})",
       "pretokenizers[0]: \"UnicodeScripts\""},
      {&File::pre_tokenizer, R"({"type":"Sequence"})", "pretokenizers"},
      {&File::pre_tokenizer, R"({"type":"Punctuation","behavior":"Isolate"})", "behavior"},
      {&File::pre_tokenizer, R"({"type":"Digits","individual_digits":1})", "individual_digits"},
      {&File::pre_tokenizer, R"({"type":"CharDelimiterSplit","delimiter":"ab"})", "delimiter"},
      {&File::pre_tokenizer, R"({"type":"Split","pattern":"a","behavior":"Removed"})", "pattern"},
      {&File::pre_tokenizer, R"({"type":"Split","pattern":{"String":"a"}})", "behavior"},
      {&File::pre_tokenizer,
       R"({"type":"Split","pattern":{"String":"ab"},"behavior":"Removed","invert":false})",
       "\"ab\""},
      {&File::pre_tokenizer,
       R"({"type":"Split","pattern":{"Regex":"[ab]"},"behavior":"Removed","invert":false})",
       "\"[ab]\""},
      {&File::pre_tokenizer,
       R"({"type":"Sequence","pretokenizers":[{"type":"WhitespaceSplit"},
          {"type":"Metaspace","replacement":"▁","prepend_scheme":"first"}]})",
       "prepend_scheme"},
      {&File::post_processor, R"({"type":"ByteLevel"})", "\"ByteLevel\""},
      {&File::post_processor, R"({"type":"Sequence"})", "processors"},
      {&File::post_processor, R"({"type":"Sequence","processors":[{"type":"ByteLevel"}]})",
       "no template"},
      {&File::post_processor,
       R"({"type":"Sequence","processors":[{"type":"BertProcessing","sep":["x",1],"cls":["y",0]},
                                           {"type":"TemplateProcessing"}]})",
       "processors[1]: a second template"},
      {&File::model, R"({"type":"BPE","vocab":{},"merges":[]})", "\"BPE\""},
      {&File::post_processor, R"({"type":"BertProcessing","sep":["x",8],"cls":["y",0]})",
       "sep[1]: id 8"},
      {&File::post_processor, R"({"type":"BertProcessing","sep":["x",-1],"cls":["y",0]})",
       "sep[1]: id -1"},
      {&File::post_processor, R"({"type":"BertProcessing","sep":["x"],"cls":["y",0]})", "sep[1]"},
      {&File::post_processor, R"({"type":"TemplateProcessing","single":[],"pair":[]})", "single"},
      {&File::post_processor,
       R"({"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"x","type_id":0}},
           {"Sequence":{"id":"A","type_id":0}}],"pair":[],"special_tokens":{}})",
       "single[0]"},
      {&File::post_processor,
       R"({"type":"TemplateProcessing","single":[{"Sequence":{"id":"A","type_id":300}}]})",
       "type_id"},
      {&File::added, R"([{"id":0,"content":"<s>"}])", "added_tokens[0].single_word"},
      {&File::added, R"([{"id":0,"content":""}])", "added_tokens[0].content"},
      {&File::added, R"([{"id":1e9,"content":"x","single_word":false,"lstrip":false,"rstrip":false,
            "normalized":false,"special":true}])",
       "added_tokens[0].id"},
      {&File::added, "{}", "added_tokens"},
      {&File::added,
       R"([{"id":1000000000,"content":"new","single_word":false,"lstrip":false,"rstrip":false,
            "normalized":false,"special":true}])",
       "id 1000000000"},
      {&File::added,
       R"([{"id":3,"content":"a","single_word":false,"lstrip":false,"rstrip":false,
            "normalized":false,"special":true}])",
       "gives it 4"},
  };
  for (const Case& c : cases) {
    File file;
    file.*c.part = c.value;
    const auto tokenizer = Parse(file);
    ASSERT_FALSE(tokenizer.ok()) << c.value;
    EXPECT_THAT(tokenizer.status().message(), HasSubstr(c.named)) << c.value;
    EXPECT_THAT(tokenizer.status().message(), testing::StartsWith("tokenizer.json: ")) << c.value;
  }
}

TEST(TokenizerFile, TheOneTemplateOfASequence) {
  File file;
  file.post_processor = R"({"type":"Sequence","processors":[{"type":"ByteLevel"},
                            {"type":"BertProcessing","sep":["</s>",2],"cls":["<s>",0]}]})";
  const auto tokenizer = Parse(file);
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.status().ToString();
  EXPECT_EQ((*tokenizer)->pair_template().special_tokens(), 3);
}

// A BERT file whose parts can be replaced.
File Bert() {
  File file;
  file.added = R"([{"id":0,"content":"[UNK]","single_word":false,"lstrip":false,"rstrip":false,
                    "normalized":false,"special":true}])";
  file.normalizer = R"({"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":true,
                        "strip_accents":null,"lowercase":true})";
  file.pre_tokenizer = R"({"type":"BertPreTokenizer"})";
  file.post_processor = R"({"type":"BertProcessing","sep":["[SEP]",1],"cls":["[CLS]",2]})";
  file.model = R"({"type":"WordPiece","unk_token":"[UNK]","continuing_subword_prefix":"##",
                   "max_input_chars_per_word":4,"vocab":{"[UNK]":0,"[SEP]":1,"[CLS]":2,"a":3,
                   "##b":4,"##bc":5,"##c":6,"字":7,"-":8,"é":9,"A":10,"##d##":11}})";
  return file;
}

TEST(WordPieceFile, LongestPieceFirst) {
  const File file = Bert();
  EXPECT_THAT(Ids(file, "a abc Abb"), ElementsAre(3, 3, 5, 3, 4, 4));
  EXPECT_THAT(Ids(file, "b abx a"), ElementsAre(0, 0, 3));  // no piece to start, to go on
  EXPECT_THAT(Ids(file, "abbb abbbb a"), ElementsAre(3, 4, 4, 4, 0, 3));
  EXPECT_THAT(Ids(file, "a-a字a[UNK]a[unk]"), ElementsAre(3, 8, 3, 7, 3, 0, 3, 0, 0, 0));
  EXPECT_THAT(Ids(file, "\u00e1\u0301\u0302 a\u200bb"), ElementsAre(3, 3, 4));
  EXPECT_THAT(Ids(file, ""), ElementsAre());
  EXPECT_THAT(Ids(file, " \t\u3000"), ElementsAre());
  EXPECT_EQ(Parse(file).value()->pair_template().special_tokens(), 3);
}

TEST(WordPieceFile, NormalizerFlags) {
  const auto ids = [](const char* flags, const char* text) {
    File file = Bert();
    file.normalizer = std::string(R"({"type":"BertNormalizer",)") + flags + "}";
    return Ids(file, text);
  };
  const std::string others = R"("clean_text":false,"handle_chinese_chars":false,)";
  const auto both = [&](const char* flags) { return others + flags; };
  EXPECT_THAT(ids(both(R"("lowercase":false)").c_str(), "é A 字字"), ElementsAre(9, 10, 0));
  EXPECT_THAT(ids(both(R"("lowercase":true,"strip_accents":false)").c_str(), "É A"),
              ElementsAre(9, 3));
  EXPECT_THAT(ids(both(R"("lowercase":false,"strip_accents":true)").c_str(), "á A"),
              ElementsAre(3, 10));
  EXPECT_THAT(ids(both(R"("lowercase":true,"strip_accents":null)").c_str(), "Á"), ElementsAre(3));
  EXPECT_THAT(ids(both(R"("lowercase":true)").c_str(), "a\u00ad"), ElementsAre(0));
}

// An unending word is neither held nor looked at, and what follows it is still right.
TEST(WordPieceFile, AWordOfMegabytesIsOneUnknown) {
  for (const char* unit : {"a", "字", "\u302e", "\u0301", "\U0001d165\u302e", "\u00ad"}) {
    File file = Bert();
    file.normalizer = R"({"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":false,
                          "strip_accents":true,"lowercase":true})";
    std::string text = "a ab";
    while (text.size() < 3'000'000) text += unit;
    text += " a";
    const std::string_view name = unit;
    const bool vanishes = name == "\u0301" || name == "\u00ad";
    const std::vector<int32_t> expected =
        vanishes ? std::vector<int32_t>{3, 3, 4, 3} : std::vector<int32_t>{3, 0, 3};
    EXPECT_EQ(Ids(file, text), expected) << unit;
  }
}

TEST(WordPieceFile, RefusesByName) {
  const auto model = [](const char* vocabulary, const char* unknown = R"("[UNK]")",
                        const char* prefix = R"("##")", const char* chars = "100") {
    return std::string(R"({"type":"WordPiece","unk_token":)") + unknown +
           R"(,"continuing_subword_prefix":)" + prefix + R"(,"max_input_chars_per_word":)" + chars +
           R"(,"vocab":)" + vocabulary + "}";
  };
  const char* good = R"({"[UNK]":0,"a":1,"b":2})";
  const struct {
    std::string model;
    const char* named;
  } cases[] = {
      {model(good, R"("[unk]")"), "unk_token: \"[unk]\" is not in the vocabulary"},
      {model(good, "null"), "unk_token: got null"},
      {model(good, "0"), "unk_token: got"},
      {model(good, R"("[UNK]")", "7"), "continuing_subword_prefix: got"},
      {model(good, R"("[UNK]")", "null"), "continuing_subword_prefix: got null"},
      {model(good, R"("[UNK]")", R"("##")", "0"), "max_input_chars_per_word"},
      {model(good, R"("[UNK]")", R"("##")", "1001"), "max_input_chars_per_word"},
      {model(good, R"("[UNK]")", R"("##")", "1e30"), "max_input_chars_per_word"},
      {model(good, R"("[UNK]")", R"("##")", "\"100\""), "max_input_chars_per_word"},
      {model("[]"), "vocab: got array"},
      {model("null"), "vocab: got null"},
      {model("{}"), "unk_token"},
      {model(R"({"[UNK]":0,"a":1,"b":1})"), "vocab[\"b\"]: id 1 is there twice"},
      {model(R"({"[UNK]":0,"a":1,"b":3})"), "vocab[\"b\"]: got id 3"},
      {model(R"({"[UNK]":0,"a":-1})"), "vocab[\"a\"]: got id -1"},
      {model(R"({"[UNK]":0,"a":99999999999})"), "vocab[\"a\"]: got id 99999999999"},
      {model(R"({"[UNK]":0,"a":1.5})"), "vocab[\"a\"]: got "},
      {model(R"({"[UNK]":0,"a":"1"})"), "vocab[\"a\"]: got string"},
      {model(R"({"[UNK]":0,"a":1,"a":2})"), "\"a\" is there twice, once as id 1"},
      {model(R"({"[UNK]":0,"":1})"), "id 1 has no text"},
      {R"({"type":"WordPiece","vocab":{}})", "unk_token: got nothing"},
  };
  for (const auto& c : cases) {
    File file = Bert();
    file.model = c.model;
    const auto tokenizer = Parse(file);
    ASSERT_FALSE(tokenizer.ok()) << c.model;
    EXPECT_THAT(tokenizer.status().message(), HasSubstr(c.named)) << c.model;
    EXPECT_THAT(tokenizer.status().message(), testing::StartsWith("tokenizer.json: model."))
        << c.model;
  }
  for (const char* flag : {"clean_text", "handle_chinese_chars", "strip_accents", "lowercase"}) {
    File file = Bert();
    const std::string key = std::string("\"") + flag + "\":";
    const size_t at = file.normalizer.find(key) + key.size();
    file.normalizer.replace(at, 4, "1");
    const auto tokenizer = Parse(file);
    ASSERT_FALSE(tokenizer.ok()) << flag;
    EXPECT_THAT(tokenizer.status().message(), HasSubstr(std::string("normalizer.") + flag));
  }
}

TEST(TokenizerFile, HostileJson) {
  for (const std::string& text :
       {std::string(), std::string("{"), std::string("[]"), std::string("{}"),
        std::string(1000, '['), std::string("\xFF"), std::string("{\"model\":1e999}")}) {
    EXPECT_FALSE(ParseTokenizer(text, "tokenizer.json", "", "").ok()) << text.substr(0, 20);
  }
}

TEST(OpenTokenizer, SaysWhichFileIsMissing) {
  const auto folder = std::filesystem::temp_directory_path() / "podium_tokenizer_file_test";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const auto absent = OpenTokenizer(folder.string());
  EXPECT_EQ(absent.status().code(), StatusCode::kNotFound);
  EXPECT_THAT(absent.status().message(), HasSubstr("tokenizer.json"));
  std::ofstream(folder / "tokenizer.json") << File().text();
  EXPECT_TRUE(OpenTokenizer(folder.string()).ok());
  std::ofstream(folder / "tokenizer_config.json") << "{\"model_max_length\":77}";
  EXPECT_EQ(OpenTokenizer(folder.string()).value()->length_max(), 77);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace podium
