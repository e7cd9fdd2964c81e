// The stages before the model: charsmap, normalizer, added tokens.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "text/added_tokens.h"
#include "text/character_steps.h"
#include "text/charsmap.h"
#include "text/grapheme.h"
#include "text/normalizer.h"
#include "text/pre_tokenizer.h"

namespace podium {
namespace {

// A charsmap of single-byte rules, as a Darts array of 512 units: the root's children lie at 256 ^
// byte, their values in the units they point to.
std::string MakeMap(const std::vector<std::pair<char, std::string>>& rules) {
  std::vector<uint32_t> units(1024, 0);
  units[0] = 256u << 10;
  std::string texts;
  uint32_t value_at = 512;
  for (const auto& [byte, to] : rules) {
    const uint32_t at = 256 ^ static_cast<uint8_t>(byte);
    units[at] = (at ^ value_at) << 10 | 1u << 8 | static_cast<uint8_t>(byte);
    units[value_at++] = 1u << 31 | static_cast<uint32_t>(texts.size());
    texts += to + '\0';
  }
  std::string blob;
  const auto put = [&blob](uint32_t word) {
    for (int i = 0; i < 4; ++i) blob.push_back(static_cast<char>(word >> 8 * i));
  };
  put(4 * static_cast<uint32_t>(units.size()));
  for (const uint32_t unit : units) put(unit);
  return blob + texts;
}

TEST(Charsmap, FindsTheShortestRule) {
  const auto map = Charsmap::Parse(MakeMap({{'a', "A"}, {'b', ""}, {'\t', " "}}));
  ASSERT_TRUE(map.ok()) << map.status().ToString();
  EXPECT_EQ(map->Find("abc"), "A");
  EXPECT_EQ(map->Find("b"), "");
  EXPECT_EQ(map->Find("c"), std::nullopt);
  EXPECT_EQ(map->Find(""), std::nullopt);
  EXPECT_EQ(map->Find(std::string_view("\0a", 2)), std::nullopt);
}

TEST(Charsmap, RefusesBrokenBlobs) {
  const std::string good = MakeMap({{'a', "A"}});
  const auto damaged = [&](size_t unit, uint32_t value) {
    std::string blob = good;
    for (size_t i = 0; i < 4; ++i) blob[4 + 4 * unit + i] = static_cast<char>(value >> 8 * i);
    return blob;
  };
  ASSERT_TRUE(Charsmap::Parse(good).ok());
  const std::string cases[] = {
      "",
      "abc",
      std::string("\xFF\xFF\xFF\xFF", 4),
      std::string("\0\0\0\0", 4),
      good.substr(0, 100),
      damaged(0, 0x1FFFFFu << 10),                       // an offset beyond the array
      damaged(0, 1u << 31 | 0x1FFFFFu << 10),            // the same in a root marked as a value
      damaged(7, 0x1FFFFFu << 10 | 1u << 9),             // and one far beyond
      damaged(512, 1u << 31 | 77),                       // a value beyond the texts
      good + "\xC3",                                     // texts that are not UTF-8
      std::string("\x04\0\0\0", 4) + good.substr(4, 4),  // a trie of one unit
  };
  for (const std::string& blob : cases) {
    EXPECT_EQ(Charsmap::Parse(blob).status().code(), StatusCode::kCorrupt) << blob.size();
  }
}

// Feeding a text in parts of any size gives what feeding it whole gives.
std::string ApplyInParts(const Normalizer& normalizer, std::string_view text, size_t step) {
  Normalizer::Run run(normalizer);
  std::string out;
  while (!text.empty()) {
    size_t end = CutPosition(text, step);
    if (end == 0) end = static_cast<size_t>(DecodeUtf8(text).bytes);
    out += run.Feed(text.substr(0, end), false);
    text.remove_prefix(end);
  }
  out += run.Feed("", true);
  return out;
}

// The rule as the reference has it: cluster by cluster, each at most twice.
std::string PrecompiledPlainly(const Charsmap& map, std::u32string_view text) {
  std::string out;
  const auto replace = [&](const std::string& part) {
    const auto replacement = map.Find(part);
    out += replacement ? std::string(*replacement) : part;
  };
  GraphemeBreaker breaker;
  for (size_t at = 0; at < text.size();) {
    std::vector<std::string> characters;
    std::string cluster;
    do {
      if (characters.empty() && at == 0) breaker.StartsCluster(text[0]);
      characters.emplace_back();
      AppendUtf8(text[at], characters.back());
      cluster += characters.back();
      ++at;
    } while (at < text.size() && !breaker.StartsCluster(text[at]));
    if (cluster.size() < 6 && map.Find(cluster)) {
      out += *map.Find(cluster);
    } else {
      for (const std::string& character : characters) replace(character);
    }
  }
  return out;
}

TEST(Normalizer, PrecompiledTextThatGoesThroughAsItIs) {
  const auto map = Charsmap::Parse(MakeMap({{'a', "A"}, {'b', ""}, {'\r', " "}, {'\t', " "}}));
  ASSERT_TRUE(map.ok());
  Normalizer normalizer;
  normalizer.Add(MakePrecompiled(*map));
  const std::u32string characters =
      U"aabbxyz \t\r\n\u0301\u0300\u200d\u0600é中文字。\u0915\u094d\u1100\u1161\uac00"
      U"\u9fff\ua000\ufe0f\U0001F469\U0001F1E8\U00020000";
  uint32_t random = 1;
  for (int round = 0; round < 20000; ++round) {
    std::u32string text;
    std::string bytes;
    for (uint32_t i = 0; i < 1 + static_cast<uint32_t>(round) % 12; ++i) {
      random = random * 1664525 + 1013904223;
      text += characters[(random >> 8) % characters.size()];
      AppendUtf8(text.back(), bytes);
    }
    const std::string expected = PrecompiledPlainly(*map, text);
    ASSERT_EQ(normalizer.Apply(bytes), expected) << bytes;
    ASSERT_EQ(ApplyInParts(normalizer, bytes, 3), expected) << bytes;
  }
}

TEST(Normalizer, Steps) {
  const auto precompiled = [] {
    return MakePrecompiled(
        std::move(Charsmap::Parse(MakeMap({{'a', "A"}, {'b', ""}, {'\r', " "}}))).value());
  };
  struct Case {
    const char* name;
    std::unique_ptr<NormalizerStep> step;
    std::string from, to;
  };
  std::vector<Case> cases;
  cases.push_back({"precompiled", precompiled(), "xabyba", "xAyA"});
  cases.push_back({"a cluster under 6 bytes is replaced whole", precompiled(), "a\u0301x", "Ax"});
  cases.push_back(
      {"one of 6 is not", precompiled(), "xa\u0301\u0301\u0301x", "xA\u0301\u0301\u0301x"});
  cases.push_back({"CR LF is one cluster", precompiled(), "a\r\nz\n\r", "A z\n "});
  cases.push_back({"nothing", precompiled(), "", ""});
  cases.push_back({"replace", MakeReplace("ab", "é"), "ababxaab", "ééxaé"});
  cases.push_back({"replace overlapping", MakeReplace("aa", "b"), "aaaaa", "bba"});
  cases.push_back({"runs", MakeReplaceRun(' ', 2, " "), "a b  c     d  ", "a b c d "});
  cases.push_back({"runs of one", MakeReplaceRun(U'字', 1, ""), "字a字字b字", "ab"});
  cases.push_back({"strip both", MakeStrip(true, true), " \u3000a b\t\n", "a b"});
  cases.push_back({"strip right", MakeStrip(false, true), "  a  ", "  a"});
  cases.push_back({"strip left", MakeStrip(true, false), "  a  ", "a  "});
  cases.push_back({"prepend", MakePrepend("x "), "ab", "x ab"});
  cases.push_back({"prepend to nothing", MakePrepend("x"), "", ""});
  cases.push_back({"lowercase", MakeLowercase(), "AÉß\u0130Σ", "aéßi\u0307σ"});
  cases.push_back({"accents", MakeStripAccents(), "e\u0301\u0903é", "eé"});
  cases.push_back({"nmt", MakeNmt(), "a\u0001b\u200bc\td▁\u00ad", "ab c d \u00ad"});
  cases.push_back({"NFC", MakeNormalForm(false, true), "e\u0301\u0323 \u1100\u1161\u11a8",
                   "\u1eb9\u0301 \uac01"});
  cases.push_back({"NFC, a mark first", MakeNormalForm(false, true), "\u0301e\u0301", "\u0301é"});
  cases.push_back(
      {"NFD", MakeNormalForm(false, false), "\u1ec7ﬁ각", "e\u0323\u0302ﬁ\u1100\u1161\u11a8"});
  cases.push_back({"NFKC", MakeNormalForm(true, true), "ﬁＡ①e\u0301", "fiA1é"});
  cases.push_back({"NFKD", MakeNormalForm(true, false), "ﬁé½", "fie\u03011\u20442"});
  cases.push_back({"NFC of NUL", MakeNormalForm(false, true), std::string("a\0\u0301", 4),
                   std::string("a\0\u0301", 4)});
  cases.push_back({"strip all", MakeStrip(true, true), "   ", ""});
  for (Case& c : cases) {
    Normalizer normalizer;
    normalizer.Add(std::move(c.step));
    EXPECT_EQ(normalizer.Apply(c.from), c.to) << c.name;
    for (size_t step = 1; step < 8; ++step) {
      EXPECT_EQ(ApplyInParts(normalizer, c.from, step), c.to) << c.name << ", parts of " << step;
    }
  }
}

// Segments, a "|" after each.
class SegmentWriter final : public Model::Run {
 public:
  void Append(std::string_view part, std::vector<int32_t>&) override { out += part; }
  void End(std::vector<int32_t>&) override { out += '|'; }
  std::string out;
};

// What the reference makes of each was looked up; tests/text holds more to it, code point by code
// point and on whole texts.
TEST(PreTokenizer, Segments) {
  using Keep = SplitRule::Keep;
  const MetaspaceRule meta{.space = "▁"};
  const MetaspaceRule whole{
      .space = "▁", .split = false, .prepend = MetaspaceRule::Prepend::kNever};
  const struct {
    PreTokenizer rules;
    const char *text, *segments;
  } cases[] = {
      {{}, " a b", " a b|"},
      {{{SplitRule::Whitespace()}}, " é_1,, x\t.字", "é_1|,,|x|.|字|"},
      {{{SplitRule::WhitespaceSplit()}}, " a,\u3000b\n", "a,|b|"},
      {{{SplitRule::Bert()}}, " a,,b c", "a|,|,|b|c|"},
      {{{SplitRule::Punctuation(Keep::kRemoved)}}, "a,,b.", "a|b|"},
      {{{SplitRule::Punctuation(Keep::kIsolated)}}, "a,,b.", "a|,|,|b|.|"},
      {{{SplitRule::Punctuation(Keep::kMergedWithPrevious)}}, ",a,,b.", ",|a,|,|b.|"},
      {{{SplitRule::Punctuation(Keep::kMergedWithNext)}}, "a,,b.", "a|,|,b|.|"},
      {{{SplitRule::Punctuation(Keep::kContiguous)}}, "a,,b.", "a|,,|b|.|"},
      {{{SplitRule::Digits(true)}}, "a12b½", "a|1|2|b|½|"},
      {{{SplitRule::Digits(false)}}, "a12b½", "a|12|b|½|"},
      {{{SplitRule::Characters('a', false, true, Keep::kRemoved)}}, "xaayza", "a|a|a|"},
      {{{SplitRule::Characters('a', true, true, Keep::kRemoved)}}, "xaayza", "aa|a|"},
      {{{SplitRule::Characters(0, true, false, Keep::kMergedWithNext)}}, "x \ty", "x| \ty|"},
      {{{meta}}, "a b  ▁c", "▁a|▁b|▁|▁|▁c|"},
      {{{whole}}, "a b  c", "a▁b▁▁c|"},
      {{{SplitRule::WhitespaceSplit(), meta}}, " a b ", "▁a|▁b|"},
      {{{SplitRule::Punctuation(Keep::kIsolated), meta}}, "a, b", "▁a|▁,|▁b|"},
      {{{meta, SplitRule::Digits(true)}}, "a1 2", "▁a|1|▁|2|"},
  };
  for (const auto& c : cases) {
    for (size_t step = 1; step < 9; ++step) {
      SegmentWriter writer;
      PreTokenizerRun run(c.rules, writer);
      std::vector<int32_t> ids;
      for (int twice = 0; twice < 2; ++twice) {
        for (std::string_view text = c.text; !text.empty();) {
          size_t end = CutPosition(text, step);
          if (end == 0) end = static_cast<size_t>(DecodeUtf8(text).bytes);
          run.Feed(text.substr(0, end), ids);
          text.remove_prefix(end);
        }
        run.EndSpan(ids);
      }
      EXPECT_EQ(writer.out, std::string(c.segments) + c.segments)
          << c.text << ", parts of " << step;
    }
  }
}

// "text|<id>|text" of a scan that sees `step` more bytes at a time.
std::string ScanInParts(const AddedTokens& tokens, std::string_view text, size_t step) {
  AddedTokens::State state;
  std::string out;
  bool open = false;
  size_t window = step;
  do {
    const size_t end = CutPosition(text, window);
    const size_t done = tokens.Scan(
        text.substr(0, end), end == text.size(), state,
        [&](std::string_view part) {
          if (!open && !out.empty()) out += '|';
          out += part;
          open = true;
        },
        [&](int32_t id) {
          if (!out.empty()) out += '|';
          out += '<' + std::to_string(id) + '>';
          open = false;
        });
    text.remove_prefix(done);
    window = done == 0 ? window + step : step;
  } while (!text.empty());
  return out;
}

TEST(AddedTokens, Scan) {
  const auto tokens = AddedTokens::Build({{"<m>", 1, false, true, false},
                                          {"<s>", 2},
                                          {"<s>>", 3},
                                          {"ab", 4, true},
                                          {"R", 5, false, false, true},
                                          {" x", 6}});
  ASSERT_TRUE(tokens.ok());
  const std::pair<const char*, const char*> cases[] = {
      {"", ""},
      {"plain", "plain"},
      {"<s>", "<2>"},
      {"<s>>", "<3>"},
      {"<s><s>>>", "<2>|<3>|>"},
      {"a <s> b", "a |<2>| b"},
      {"a \u3000<m> b", "a|<1>| b"},
      {"  <m><m>  <m>", "<1>|<1>|<1>"},
      {"a  ", "a  "},
      {"<m", "<m"},
      {"ab", "<4>"},
      {"xab abx ab, \u00e9ab ab\u0301 (ab)", "xab abx |<4>|, \u00e9ab ab\u0301 (|<4>|)"},
      {"ab\x80"
       "ab",
       "<4>|\x80|<4>"},
      {"R  y", "<5>|y"},
      {"R \u3000", "<5>"},
      {"R  x y", "<5>|<6>| y"},
      {"R  R  <m>z", "<5>|<5>|<1>|z"},
  };
  for (const auto& [text, expected] : cases) {
    for (size_t step = 1; step < 20; ++step) {
      EXPECT_EQ(ScanInParts(*tokens, text, step), expected) << text << ", parts of " << step;
    }
  }
}

}  // namespace
}  // namespace podium
