#include "text/unicode.h"

#include <gtest/gtest.h>

#include <string>

namespace podium {
namespace {

TEST(Unicode, Properties) {
  for (const char32_t code : {0x9, 0xB, 0x20, 0x85, 0xA0, 0x2009, 0x202F, 0x3000}) {
    EXPECT_TRUE(IsWhitespace(code)) << static_cast<uint32_t>(code);
  }
  for (const char32_t code : {0x8, 0x1C, 0x200B, 0xFEFF, 0x61}) {
    EXPECT_FALSE(IsWhitespace(code)) << static_cast<uint32_t>(code);
  }
  for (const char32_t code : {0x61, 0x5F, 0x30, 0xE9, 0x4E2D, 0x301, 0x200D, 0x24B6, 0x2160}) {
    EXPECT_TRUE(IsWord(code)) << static_cast<uint32_t>(code);
  }
  for (const char32_t code : {0x0, 0x20, 0x2D, 0xB2, 0x3002, 0x1F600, 0xFFFD}) {
    EXPECT_FALSE(IsWord(code)) << static_cast<uint32_t>(code);
  }
}

TEST(Unicode, Graphemes) {
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
  // Newer than utf8proc 2.8's tables.
  EXPECT_EQ(count(U"\u00B9\u1AE1"), 1);
  EXPECT_EQ(count(U"\U000113D1\u00B2"), 1);
  EXPECT_EQ(count(U"\U00011A3A\u00B2"), 2);
}

}  // namespace
}  // namespace podium
