#include "app/display_width.h"

#include <gtest/gtest.h>

#include "app/table.h"

namespace podium {
namespace {

TEST(DisplayWidth, Cases) {
  const std::pair<const char*, int> cases[] = {
      {"", 0},
      {"abc", 3},
      {"番茄", 4},
      {"ｆｕｌｌ", 8},
      {"ﾊﾝｶｸ", 4},
      {"e\xCC\x81", 1},                             // e + combining acute
      {"한", 2},                                    // precomposed
      {"\xE1\x84\x92\xE1\x85\xA1\xE1\x86\xAB", 2},  // the same from conjoining parts
      {"😀", 2},
      {"👨‍👩‍👧", 2},  // joined by U+200D
      {"👍🏽", 2},                // skin tone
      {"🇩🇪", 2},                  // two regional indicators
      {"❤️", 2},                   // U+FE0F asks for the emoji
      {"á番b", 4},
      {"█▏", 2},
  };
  for (const auto& [text, columns] : cases) EXPECT_EQ(DisplayWidth(text), columns) << text;
}

TEST(Printable, NothingReachesTheTerminalButText) {
  const std::pair<std::string, const char*> cases[] = {
      {"a\x1b[31mred", "a␛[31mred"},
      {std::string("nul\0here", 8), "nul␀here"},
      {"bell\x07 back\x08", "bell␇ back␈"},
      {"del\x7f", "del␡"},
      {"csi\xC2\x9b", "csi<U+009B>"},
      {"\xE2\x80\xAE"
       "evil",
       "<U+202E>evil"},
      {"  two\t\r\n  words\xE3\x80\x80 ", "two words"},
      {"bad\xFF\xC3", "bad��"},
      {"番茄 👨‍👩‍👧", "番茄 👨‍👩‍👧"},
  };
  for (const auto& [text, want] : cases) EXPECT_EQ(Printable(text, 80), want);
}

TEST(Printable, ReadsOnlyWhatIsShown) {
  EXPECT_LT(Printable(std::string(50 << 20, 'x'), 80).size(), 2000u);
  EXPECT_EQ(Printable(std::string(50 << 20, ' '), 80), "");
}

TEST(Fit, CutsAndFillsByColumns) {
  EXPECT_EQ(FitToWidth("ab", 4), "ab  ");
  EXPECT_EQ(FitToWidth("abcd", 4), "abcd");
  EXPECT_EQ(FitToWidth("abcde", 4), "abc…");
  EXPECT_EQ(FitToWidth("番茄汤", 6), "番茄汤");
  EXPECT_EQ(FitToWidth("番茄汤", 5), "番茄…");
  EXPECT_EQ(FitToWidth("番茄汤", 4), "番… ");  // half a character is never shown
  EXPECT_EQ(CutToWidth("番茄汤", 4), "番…");
  EXPECT_EQ(CutToWidth("abc", 0), "");
  for (int columns = 1; columns < 12; ++columns) {
    EXPECT_EQ(DisplayWidth(FitToWidth("a番👨‍👩‍👧e\xCC\x81x汤汤汤", columns)),
              columns);
  }
}

TEST(Table, ColumnsAlignUnderWideCharacters) {
  Table table({true, false, false});
  table.Add({"#", "name", "text"});
  table.Add({"1", "番茄", "a tomato"});
  table.Add({"10", "x", "a text that is far too long for this table"});
  EXPECT_EQ(table.Render(26),
            " #  name  text\n"
            " 1  番茄  a tomato\n"
            "10  x     a text that is …\n");
}

}  // namespace
}  // namespace podium
