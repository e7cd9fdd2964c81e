#include "base/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace podium {
namespace {

// Right sides are what Python 3.11 gives for bytes.decode('utf-8', 'replace').
TEST(Utf8, InvalidSequencesAreReplacedAsPythonDoes) {
  const std::string r = "\xEF\xBF\xBD";
  const std::pair<std::string, std::string> cases[] = {
      {"", ""},
      {"a\x80z", "a" + r + "z"},
      {"\xC0\xAF", r + r},
      {"\xE0\x80\xAF", r + r + r},
      {"\xE4\xBD", r},
      {"\xE4\xBDz", r + "z"},
      {"\xF0\x9F\x98", r},
      {"\xF0\x9F\x98\xE4\xBD\xA0", r + "\xE4\xBD\xA0"},
      {"\xED\xA0\x80", r + r + r},
      {"\xF4\x90\x80\x80", r + r + r + r},
      {"\xF8\x88\x80\x80\x80", r + r + r + r + r},
      {"\xFF\xFE", r + r},
      {std::string("\0\xC3\0", 3), std::string("\0", 1) + r + std::string("\0", 1)},
      {"\xC3\xC3\xA9", r + "\xC3\xA9"},
      {"\xF0\x80\x80", r + r + r},
      {"\xF1\x80\x80\xE1\x80\xC2", r + r + r},
  };
  for (const auto& [bytes, expected] : cases) {
    std::string out;
    AppendReplaced(bytes, out);
    EXPECT_EQ(out, expected) << testing::PrintToString(bytes);
    EXPECT_EQ(ValidUtf8Prefix(bytes) == bytes.size(), bytes == expected);
  }
}

// Cutting anywhere and replacing the parts gives the same as replacing the whole.
TEST(Utf8, CutPositionsAreHarmless) {
  uint32_t seed = 1;
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (int i = 0; i < 12; ++i) {
      seed = seed * 1664525 + 1013904223;
      text.push_back("\x80\xBF\xE4\xBD\xA0\xF0\x9F\x98\xC3z\xED\xFF"[(seed >> 16) % 12]);
    }
    std::string whole;
    AppendReplaced(text, whole);
    for (size_t at = 0; at <= text.size(); ++at) {
      const size_t cut = CutPosition(text, at);
      ASSERT_LE(cut, at);
      ASSERT_LE(at - cut, 3u);
      std::string parts;
      AppendReplaced(text.substr(0, cut), parts);
      AppendReplaced(text.substr(cut), parts);
      EXPECT_EQ(parts, whole);
    }
  }
}

TEST(Utf8, BackwardsReadsWhatForwardsReads) {
  const std::string text = "a\x80\xE4\xBD\xE4\xBD\xA0\xF0\x9F\x98\x80\xC3\xBF\xBF\xF0\x9F\x98";
  size_t start = 0;
  while (start < text.size()) {
    const Utf8Char forwards = DecodeUtf8(std::string_view(text).substr(start));
    start += static_cast<size_t>(forwards.bytes);
    const Utf8Char backwards = DecodeUtf8Back(std::string_view(text).substr(0, start));
    EXPECT_TRUE(backwards.code == forwards.code) << start;
    if (forwards.valid) {
      EXPECT_EQ(backwards.bytes, forwards.bytes);
    }
  }
}

TEST(Utf8, RoundTrip) {
  for (char32_t code = 0; code < 0x110000; code += code < 0x3000 ? 1 : 97) {
    if (code >= 0xD800 && code < 0xE000) continue;
    std::string text;
    AppendUtf8(code, text);
    const Utf8Char back = DecodeUtf8(text);
    ASSERT_TRUE(back.valid && back.code == code && static_cast<size_t>(back.bytes) == text.size());
  }
}

}  // namespace
}  // namespace podium
