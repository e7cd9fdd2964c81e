#include "text/unicode.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace podium
