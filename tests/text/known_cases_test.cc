// What went wrong in other rerankers, as docs/known_cases.md numbers it: cases of text and length.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "golden_files.h"
#include "text/pair_encoder.h"
#include "text/tokenizer.h"

namespace podium::golden {
namespace {

constexpr size_t kAll = std::numeric_limits<size_t>::max();

std::string Repeat(const std::string& text, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

struct Ids {
  std::vector<int32_t> ids;
  std::vector<uint8_t> types;
  bool cut = false;
};

Ids EncodePair(const Tokenizer& tokenizer, int limit, const std::string& query,
               const std::string& document) {
  const PairEncoder encoder(tokenizer, limit);
  Ids pair;
  const Encoded encoded = encoder.EncodeQuery(query);
  pair.cut =
      encoder.AppendPair(encoded, encoder.EncodeDocument(document, encoded), pair.ids, pair.types);
  return pair;
}

class KnownCases : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    tokenizer_ = GoldenTokenizer(GetParam());
    if (tokenizer_ == nullptr) GTEST_SKIP() << kNotFetched;
    // A text of exactly one token, which stays one beside others.
    word_ = unigram() ? "▁a" : "a";
    ASSERT_EQ(Encode(Words(7)).size(), 7u);
  }
  bool unigram() const { return !std::string_view(GetParam()).starts_with("bert_"); }
  std::vector<int32_t> Encode(const std::string& text) const {
    return tokenizer_->Encode(text, kAll).ids;
  }
  std::string Words(int count) const { return Repeat(unigram() ? word_ : word_ + " ", count); }

  const Tokenizer* tokenizer_ = nullptr;
  std::string word_;
};

TEST_P(KnownCases, Case033ControlCharactersInsideWordsAreNothing) {
  EXPECT_EQ(Encode("T\x10his is a te\x10st"), Encode("This is a test"));
}

TEST_P(KnownCases, Case034AnEllipsisIsThreeDotsAfterAnySpace) {
  for (int count = 1; count <= 6; ++count) {
    const std::string dots = Repeat("\u2026", count);
    EXPECT_EQ(Encode("a\u202f" + dots), Encode("a " + dots));
    if (unigram()) {
      EXPECT_EQ(Encode("a\u202f" + dots), Encode("a " + Repeat("...", count)));
    }
  }
}

TEST_P(KnownCases, Case035NearlyEqualWaysAreTheReferences) {
  const bool xlmr = std::string_view(GetParam()).starts_with("xlmr");
  if (!xlmr) GTEST_SKIP() << "ids of XLM-RoBERTa's vocabulary";
  EXPECT_THAT(Encode("=LLC-s nmrcsss mtiaiol!@\"ccc technooay @\"ccc\"@\"ccc"),
              testing::ElementsAre(2203, 23708, 441, 9, 7, 653, 39, 19437, 7, 7, 7, 347, 4526,
                                   34837, 38, 981, 58, 238, 10060, 128500, 31, 3337, 1374, 58, 238,
                                   10060, 58, 981, 58, 238, 10060));
}

TEST_P(KnownCases, Case038SpacesThatNormalizationMakesAreJoined) {
  EXPECT_EQ(Encode("a\u3000\u00a0b"), Encode("a b"));
  EXPECT_EQ(Encode("a\u3000\u00a0b").size(), 2u);
}

// The policy is parity: special strings in a text are their ids, as in the reference.
TEST_P(KnownCases, Case040AThousandSpecialStringsFit) {
  for (const char* text : {"<|endoftext|>", "[SEP]", "</s>", "<s>", "<mask>", "<unk>"}) {
    const Ids pair = EncodePair(*tokenizer_, 512, "query", Repeat(text, 1000));
    EXPECT_EQ(pair.ids.size(), 512u) << text;
    EXPECT_TRUE(pair.cut);
  }
}

// A Unigram model reads a run of one character to its end: until then no way through is settled.
TEST_P(KnownCases, Case044MillionsOfDotsTakeLinearTime) {
  ExpectLinearTime(500'000, [&](size_t count) {
    const std::string dots(count, '.');
    EXPECT_EQ(EncodePair(*tokenizer_, 512, "query", dots).ids.size(), 512u);
  });
}

TEST_P(KnownCases, Case045CuttingEarlyGivesWhatCuttingLateGives) {
  const std::string query = Words(10'000), document = Words(100'000);
  for (const int limit : {255, 256}) {
    const Ids pair = EncodePair(*tokenizer_, limit, query, document);
    EXPECT_EQ(pair.ids, EncodePair(*tokenizer_, limit, Words(300), Words(301)).ids);
    EXPECT_EQ(pair.ids.size(), static_cast<size_t>(limit));
  }
}

TEST_P(KnownCases, Case047NeverMoreThanTheLimit) {
  std::mt19937 random(47);
  const auto some = [&] {
    return Words(static_cast<int>(random() % (random() % 2 == 0 ? 20 : 1200)));
  };
  for (int i = 0; i < 100; ++i) {
    const int limit = i % 3 == 0 ? 512 : static_cast<int>(6 + random() % 600);
    const Ids pair = EncodePair(*tokenizer_, limit, some(), some());
    EXPECT_LE(pair.ids.size(), static_cast<size_t>(limit));
    EXPECT_EQ(pair.ids.size(), pair.types.size());
    if (pair.cut) {
      EXPECT_EQ(pair.ids.size(), static_cast<size_t>(limit));
    }
  }
}

TEST_P(KnownCases, Case050ALongQueryLeavesRoomForTheDocument) {
  const Ids pair = EncodePair(*tokenizer_, 512, Words(600), Words(20));
  const int special = tokenizer_->pair_template().special_tokens();
  EXPECT_EQ(pair.ids.size(), 512u);
  EXPECT_EQ(pair.ids, EncodePair(*tokenizer_, 512, Words(512 - special - 20), Words(20)).ids);
}

TEST_P(KnownCases, Case051LongestFirst) {
  const Ids pair = EncodePair(*tokenizer_, 512, Words(200), Words(500));
  const int document = unigram() ? 308 : 309;  // 4 special tokens, or 3
  EXPECT_TRUE(pair.cut);
  EXPECT_EQ(pair.ids, EncodePair(*tokenizer_, 512, Words(200), Words(document)).ids);
  EXPECT_FALSE(EncodePair(*tokenizer_, 512, Words(200), Words(document)).cut);
}

TEST_P(KnownCases, Case070AnEmptyDocumentIsJustItsTemplate) {
  if (!unigram()) GTEST_SKIP() << "the template of XLM-RoBERTa";
  Ids pair = EncodePair(*tokenizer_, 512, "a", "");
  EXPECT_THAT(pair.ids, testing::ElementsAre(0, Encode("a")[0], 2, 2, 2));
}

INSTANTIATE_TEST_SUITE_P(Files, KnownCases,
                         testing::Values("mini", "xlmr", "xlmr_m3", "bert_mini", "bert_en",
                                         "bert_zh"),
                         [](const auto& name) { return std::string(name.param); });

}  // namespace
}  // namespace podium::golden
