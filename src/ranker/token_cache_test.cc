#include "ranker/token_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/concat.h"
#include "ranker/request_encoder.h"
#include "tests/support/byte_tokenizer.h"

namespace podium {
namespace {

using namespace std::string_literals;  // NOLINT(google-build-using-namespace)

TokenCache::Shared Ids(std::vector<int32_t> ids, bool complete = true) {
  auto encoded = std::make_shared<Encoded>();
  encoded->ids = std::move(ids);
  encoded->complete = complete;
  return encoded;
}

std::unique_ptr<Tokenizer> MiniTokenizer() {
  auto opened = OpenTokenizer(std::string(PODIUM_SOURCE_DIR) + "/models/podium-mini-zh-en");
  EXPECT_TRUE(opened.ok()) << opened.status().ToString();
  return *std::move(opened);
}

// Words, Chinese, emoji, broken UTF-8, nothing at all; some long.
std::string MakeText(std::mt19937& random) {
  static constexpr const char* kPieces[] = {"router ", "the ",  "Ä",       "番茄是一种浆果",
                                            "🍅",      "\xff",  "e\u0301", "1234 ",
                                            "\n\t",    "[SEP]", "x",       "。"};
  std::string text;
  const size_t pieces = random() % 20 == 0 ? random() % 2000 : random() % 30;
  for (size_t i = 0; i < pieces; ++i) text += kPieces[random() % std::size(kPieces)];
  return text;
}

TEST(TokenCache, IdsAreThoseWithoutIt) {
  for (const size_t bytes : {size_t{40} << 10, size_t{4} << 20}) {  // always full; never
    const auto plain = MiniTokenizer();
    const auto cache = std::make_shared<TokenCache>(bytes);
    const CachedTokenizer cached(MiniTokenizer(), cache);
    std::mt19937 random(1);
    std::vector<std::string> texts;
    for (int i = 0; i < 150; ++i) texts.push_back(MakeText(random));
    for (int request = 0; request < 300; ++request) {
      const auto rule = static_cast<PairRule>(random() % 3);
      const int length_max = LengthMin(rule, plain->pair_template().special_tokens()) +
                             static_cast<int>(random() % (request % 2 == 0 ? 40 : 500));
      const EncodeOptions options{.truncate = random() % 10 != 0,
                                  .keep_end = random() % 4 == 0,
                                  .document_tokens_max = static_cast<int>(random() % 3) * 7};
      RequestEncoder want_encoder(*plain, length_max, rule, 1000, options);
      RequestEncoder got_encoder(cached, length_max, rule, 1000, options);
      EncodedPairs want;
      EncodedPairs got;
      const std::string& query = texts[random() % texts.size()];
      for (uint32_t i = 0; i < 12; ++i) {
        const Pair pair{query, texts[random() % texts.size()]};
        Score want_score;
        Score got_score;
        const Status want_status = want_encoder.Add(i, pair, want, want_score);
        const Status got_status = got_encoder.Add(i, pair, got, got_score);
        ASSERT_EQ(got_status.ToString(), want_status.ToString());
        ASSERT_EQ(got_score.truncated, want_score.truncated);
        ASSERT_EQ(got_score.tokens, want_score.tokens);
      }
      ASSERT_EQ(got.ids, want.ids) << "request " << request;
      ASSERT_EQ(got.types, want.types);
      ASSERT_EQ(got.lengths, want.lengths);
      ASSERT_EQ(got.copies, want.copies);
    }
    const TokenCache::Figures figures = cache->figures();
    EXPECT_GT(figures.hits, 300u);
    EXPECT_GT(figures.misses, 100u);
    EXPECT_EQ(figures.evictions > 0, bytes < 100'000);
    EXPECT_LE(figures.bytes, bytes);
  }
}

TEST(TokenCache, WhatWasUsedLongestAgoLeavesFirst) {
  TokenCache cache(64 << 10);
  std::vector<std::string> texts;
  for (int i = 0; i < 1000; ++i) texts.push_back(Concat("text ", i));
  for (int i = 0; i < 1000; ++i) {
    cache.Insert(0, texts[static_cast<size_t>(i)], 10, Ids({i}));
    ASSERT_NE(cache.Find(0, texts[0], 10), nullptr) << "used all the time";
    ASSERT_LE(cache.figures().bytes, size_t{64} << 10);
  }
  const TokenCache::Figures figures = cache.figures();
  EXPECT_EQ(figures.evictions, 1000 - figures.texts);
  EXPECT_GT(figures.texts, 100u);
  EXPECT_EQ(cache.Find(0, texts[1], 10), nullptr);
  EXPECT_EQ(cache.Find(0, texts[999], 10)->ids[0], 999);
  // The newest ones are there, without a gap.
  for (size_t i = 1000 - figures.texts + 1; i < 1000; ++i) {
    EXPECT_NE(cache.Find(0, texts[i], 10), nullptr) << i;
  }
}

TEST(TokenCache, WhatWasCutServesNoMoreThanItHas) {
  TokenCache cache(1 << 20);
  cache.Insert(0, "cut", 3, Ids({1, 2, 3}, false));
  EXPECT_NE(cache.Find(0, "cut", 2), nullptr);
  EXPECT_NE(cache.Find(0, "cut", 3), nullptr);
  EXPECT_EQ(cache.Find(0, "cut", 4), nullptr);
  cache.Insert(0, "cut", 5, Ids({1, 2, 3, 4, 5}, false));
  EXPECT_EQ(cache.Find(0, "cut", 4)->ids.size(), 5u);
  EXPECT_EQ(cache.figures().texts, 1u);
  cache.Insert(0, "whole", 5, Ids({1, 2}));
  EXPECT_NE(cache.Find(0, "whole", 1000), nullptr);
  EXPECT_EQ(cache.Find(1, "whole", 1000), nullptr) << "another tokenizer";
  EXPECT_EQ(cache.Find(0, "whole\0"s, 1000), nullptr);
  cache.Insert(0, "", 5, Ids({}));
  EXPECT_NE(cache.Find(0, "", 5), nullptr);
}

TEST(TokenCache, ATextOfAWholeShareIsNotKept) {
  TokenCache cache(1 << 20);
  const std::string large(40 << 10, 'x');
  cache.Insert(0, large, 10, Ids({1}));
  EXPECT_EQ(cache.Find(0, large, 10), nullptr);
  cache.Insert(0, "small text", 10, Ids(std::vector<int32_t>(10'000, 1)));
  EXPECT_EQ(cache.Find(0, "small text", 10), nullptr);
  EXPECT_EQ(cache.figures().bytes, 0u);
}

TEST(TokenCache, ManyThreads) {
  const auto cache = std::make_shared<TokenCache>(32 << 10);
  const CachedTokenizer tokenizer(std::make_unique<ByteTokenizer>(), cache);
  std::vector<std::thread> threads;
  for (uint32_t seed = 0; seed < 4; ++seed) {
    threads.emplace_back([&, seed] {
      std::mt19937 random(seed);
      for (int i = 0; i < 20'000; ++i) {
        const std::string text = Concat("text ", random() % 100);
        const size_t tokens_max = 1 + random() % 10;
        const Encoded encoded = tokenizer.Encode(text, tokens_max);
        const size_t least = encoded.complete ? text.size() : tokens_max;
        ASSERT_GE(encoded.ids.size(), least);
        for (size_t at = 0; at < encoded.ids.size(); ++at)
          ASSERT_EQ(encoded.ids[at], 10 + text[at]);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const TokenCache::Figures figures = cache->figures();
  EXPECT_EQ(figures.hits + figures.misses, 80'000u);
  EXPECT_GT(figures.hits, 1000u);
  EXPECT_LE(figures.bytes, size_t{32} << 10);
  EXPECT_GT(figures.evictions, 100u);
}

}  // namespace
}  // namespace podium
