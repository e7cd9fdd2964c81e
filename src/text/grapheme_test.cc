#include "text/grapheme.h"

#include <gtest/gtest.h>

#include <string_view>

namespace podium {
namespace {

TEST(Grapheme, Clusters) {
  const auto count = [](std::u32string_view text) {
    GraphemeBreaker breaker;
    int clusters = 0;
    for (const char32_t code : text) clusters += breaker.StartsCluster(code);
    return clusters;
  };
  EXPECT_EQ(count(U"ab"), 2);
  EXPECT_EQ(count(U"\r\n"), 1);
  EXPECT_EQ(count(U"\n\r"), 2);
  EXPECT_EQ(count(U"e\u0301a"), 2);
  EXPECT_EQ(count(U"\u1100\u1161\u11A8"), 1);
  EXPECT_EQ(count(U"\U0001F469\u200D\U0001F469"), 1);
  EXPECT_EQ(count(U"\U0001F1E8\U0001F1F3\U0001F1E8\U0001F1F3"), 2);
  EXPECT_EQ(count(U"\u0600\u00B9"), 1);
  // Conjuncts: consonant, linker, consonant; not with the non-joiner between.
  EXPECT_EQ(count(U"\u0915\u094D\u0958"), 1);
  EXPECT_EQ(count(U"\u0915\u093C\u094D\u200D\u0958"), 1);
  EXPECT_EQ(count(U"\u0915\u094D\u200C\u0958"), 2);
  EXPECT_EQ(count(U"\u0915\u0958"), 2);
  EXPECT_EQ(count(U"a\u094D\u0958"), 2);
  // No pictographs any more, as of Unicode 17.
  EXPECT_EQ(count(U"\U0001F469\u200D\u2605"), 2);
  EXPECT_EQ(count(U"\U0001F469\u0300\u200D\u2122"), 1);
  EXPECT_EQ(count(U"\U0001F469\u200D\u200D\u2122"), 2);
  // Of three and four bytes, newer than the tables of Debian 12's utf8proc.
  EXPECT_EQ(count(U"a\U0001E6EF"), 1);
  EXPECT_EQ(count(U"a\U000113B8\U0001611E"), 1);
  EXPECT_EQ(count(U"\u00B9\u1AE1"), 1);
  EXPECT_EQ(count(U"\U000113D1\u00B2"), 1);
  EXPECT_EQ(count(U"\U00011A3A\u00B2"), 2);
}

}  // namespace
}  // namespace podium
