#include "text/characters.h"

#include <utf8proc.h>

#include <algorithm>
#include <iterator>

#include "base/check.h"
#include "base/utf8.h"

namespace podium {
namespace {

struct CodeRange {
  char32_t first, last;
};

// Punctuation, accents, controls and combining characters that came after Unicode 8: to the
// reference they are letters. Ranges also cover what is none of these. Found by asking the
// reference about every code point; the golden test does so again.
constexpr CodeRange kNewer[] = {
    {0x61D, 0x61D},     {0x7FD, 0x7FD},     {0x890, 0x8E2},     {0x9FD, 0x9FE},
    {0xA76, 0xA76},     {0xAFA, 0xAFF},     {0xB55, 0xB55},     {0xC04, 0xC3C},
    {0xC77, 0xC77},     {0xC84, 0xC84},     {0xD00, 0xD00},     {0xD3B, 0xD3C},
    {0xD81, 0xD81},     {0xEBA, 0xEBA},     {0xECE, 0xECE},     {0x1715, 0x1715},
    {0x180F, 0x1886},   {0x1ABF, 0x1ACE},   {0x1B7D, 0x1B7E},   {0x1DF6, 0x1DFB},
    {0x2E43, 0x2E5D},   {0xA82C, 0xA82C},   {0xA8C5, 0xA8C5},   {0xA8FF, 0xA8FF},
    {0xA9BD, 0xA9BD},   {0x10D24, 0x10F89}, {0x11070, 0x11074}, {0x110C2, 0x110CD},
    {0x111CF, 0x111CF}, {0x1123E, 0x11241}, {0x1133B, 0x1133B}, {0x11438, 0x1145E},
    {0x11660, 0x1166C}, {0x116B9, 0x116B9}, {0x1182F, 0x11FFF}, {0x12FF1, 0x13455},
    {0x16E97, 0x16F4F}, {0x16FE2, 0x16FF1}, {0x1CF00, 0x1CF46}, {0x1E000, 0x1E4EF},
    {0x1E944, 0x1E95F},
};
// Those of them that the reference's canonical order knows: Unicode 9.
constexpr CodeRange kOrdered[] = {{0x8D4, 0x8E1},     {0x1DFB, 0x1DFB},   {0x11442, 0x11446},
                                  {0x11C3F, 0x11C3F}, {0x1E000, 0x1E02A}, {0x1E944, 0x1E94A}};

// Accents that came after the tables of StripAccents; ranges also cover what is none.
constexpr CodeRange kNewerAccents[] = {
    {0x7FD, 0x7FD},     {0x898, 0x8D3},     {0x9FE, 0x9FE},     {0xAFA, 0xAFF},
    {0xB55, 0xB55},     {0xC04, 0xC3C},     {0xCF3, 0xD00},     {0xD3B, 0xD3C},
    {0xD81, 0xD81},     {0xEBA, 0xEBA},     {0xECE, 0xECE},     {0x1715, 0x1715},
    {0x180F, 0x180F},   {0x1ABF, 0x1ACE},   {0x1CF7, 0x1CF7},   {0x1DF6, 0x1DFA},
    {0xA82C, 0xA82C},   {0xA8FF, 0xA8FF},   {0x10D24, 0x10F85}, {0x11070, 0x11074},
    {0x110C2, 0x110C2}, {0x11145, 0x11146}, {0x111C9, 0x111C9}, {0x111CE, 0x111CF},
    {0x11241, 0x11241}, {0x1133B, 0x1133B}, {0x1145E, 0x1145E}, {0x1182C, 0x11A99},
    {0x11D31, 0x13455}, {0x16F4F, 0x16F4F}, {0x16F7F, 0x16F87}, {0x16FE4, 0x16FF1},
    {0x1CF00, 0x1CF46}, {0x1E08F, 0x1E4EF}};
// Numbers that came after Unicode 14.
constexpr CodeRange kNewerNumbers[] = {{0x10D40, 0x10D49}, {0x116D0, 0x116E3}, {0x11BF0, 0x11BF9},
                                       {0x11DE0, 0x11DE9}, {0x11F50, 0x11F59}, {0x16130, 0x16139},
                                       {0x16D70, 0x16D79}, {0x16FF4, 0x16FF6}, {0x1CCF0, 0x1CCF9},
                                       {0x1D2C0, 0x1D2D3}, {0x1E4F0, 0x1E4F9}, {0x1E5F1, 0x1E5FA}};
// Compatible decompositions that came after the reference's tables.
constexpr CodeRange kNewerCompatible[] = {
    {0x32FF, 0x32FF},   {0xA7F1, 0xA7F4},   {0xAB69, 0xAB69},
    {0x10781, 0x107BA}, {0x1CCD6, 0x1CCF9}, {0x1DF2A, 0x1DF2A},
    {0x1E030, 0x1E06D}, {0x1F16C, 0x1F16C}, {0x1FBF0, 0x1FBF9}};

template <size_t kCount>
bool Contains(const CodeRange (&ranges)[kCount], char32_t code) {
  const auto* after = std::upper_bound(std::begin(ranges), std::end(ranges), code,
                                       [](char32_t c, CodeRange range) { return c < range.first; });
  return after != std::begin(ranges) && code <= (after - 1)->last;
}

utf8proc_int32_t Signed(char32_t code) { return static_cast<utf8proc_int32_t>(code); }

utf8proc_category_t Category(char32_t code) {
  if (Contains(kNewer, code)) return UTF8PROC_CATEGORY_CN;
  if (code == 0x1734) return UTF8PROC_CATEGORY_MN;                     // Mc since Unicode 14
  if (code == 0x166D || code == 0x111C9) return UTF8PROC_CATEGORY_PO;  // So, Mn since 12 and 11
  return utf8proc_category(Signed(code));
}

}  // namespace

bool IsBertControl(char32_t code) {
  if (code < 0x80)
    return (code < 0x20 && code != '\t' && code != '\n' && code != '\r') || code == 0x7F;
  switch (Category(code)) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CO:
      return true;
    default:
      return code == 0xFFFD;
  }
}

bool IsBertPunctuation(char32_t code) {
  if (code < 0x80) {
    return (code > 0x20 && code < '0') || (code > '9' && code < 'A') ||
           (code > 'Z' && code < 'a') || (code > 'z' && code < 0x7F);
  }
  switch (Category(code)) {
    case UTF8PROC_CATEGORY_PC:
    case UTF8PROC_CATEGORY_PD:
    case UTF8PROC_CATEGORY_PS:
    case UTF8PROC_CATEGORY_PE:
    case UTF8PROC_CATEGORY_PI:
    case UTF8PROC_CATEGORY_PF:
    case UTF8PROC_CATEGORY_PO:
      return true;
    default:
      return false;
  }
}

bool IsBertMark(char32_t code) { return code >= 0x300 && Category(code) == UTF8PROC_CATEGORY_MN; }

bool IsBertIdeograph(char32_t code) {
  // The hole at U+2B820 is the reference's.
  constexpr CodeRange kBlocks[] = {{0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xF900, 0xFAFF},
                                   {0x20000, 0x2A6DF}, {0x2A700, 0x2B81F}, {0x2B920, 0x2CEAF},
                                   {0x2F800, 0x2FA1F}};
  return code >= 0x3400 && Contains(kBlocks, code);
}

bool IsAccent(char32_t code) {
  if (code < 0x300 || Contains(kNewerAccents, code)) return false;
  if (code == 0x1CF2 || code == 0x1CF3) return true;  // Lo since Unicode 12
  const utf8proc_category_t category = utf8proc_category(Signed(code));
  return category == UTF8PROC_CATEGORY_MN || category == UTF8PROC_CATEGORY_MC ||
         category == UTF8PROC_CATEGORY_ME;
}

bool IsNumeric(char32_t code) {
  if (code < 0x80) return code >= '0' && code <= '9';
  const utf8proc_category_t category = utf8proc_category(Signed(code));
  return category == UTF8PROC_CATEGORY_ND || category == UTF8PROC_CATEGORY_NL ||
         category == UTF8PROC_CATEGORY_NO || Contains(kNewerNumbers, code);
}

int CanonicalOrder(char32_t code) {
  if (code < 0x300 || (Contains(kNewer, code) && !Contains(kOrdered, code))) return 0;
  return utf8proc_get_property(Signed(code))->combining_class;
}

Decomposition Decompose(char32_t code, bool compatible) {
  // U+11938 is of Unicode 13.
  if (code < 0xA0 || code == 0x11938 || (compatible && Contains(kNewerCompatible, code))) {
    return {{code}, 1};
  }
  utf8proc_int32_t parts[std::size(Decomposition{}.codes)];
  const auto options = static_cast<utf8proc_option_t>(
      compatible ? UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT : UTF8PROC_DECOMPOSE);
  const auto count =
      utf8proc_decompose_char(Signed(code), parts, std::size(parts), options, nullptr);
  PODIUM_CHECK(count > 0 && static_cast<size_t>(count) <= std::size(parts));
  Decomposition out;
  for (; out.count < count; ++out.count) {
    out.codes[out.count] = static_cast<char32_t>(parts[out.count]);
  }
  return out;
}

char32_t Compose(char32_t first, char32_t second) {
  if (second < 0x300 || first == 0x11935) return 0;  // U+11935 + U+11930 is of Unicode 13
  utf8proc_int32_t pair[2] = {Signed(first), Signed(second)};
  const auto options = static_cast<utf8proc_option_t>(UTF8PROC_COMPOSE | UTF8PROC_STABLE);
  return utf8proc_normalize_utf32(pair, 2, options) == 1 ? static_cast<char32_t>(pair[0]) : 0;
}

void AppendLower(char32_t code, std::string& out) {
  if (code < 0x80) {
    out.push_back(static_cast<char>(code >= 'A' && code <= 'Z' ? code + 32 : code));
    return;
  }
  if (code == 0x130) {
    out.append("i\u0307");
    return;
  }
  // Pairs that came after Unicode 15.
  if (code == 0xA7CB) {
    code = 0x264;
  } else if (code == 0xA7DC) {
    code = 0x19B;
  } else if (code >= 0x10D50 && code <= 0x10D65) {
    code += 0x20;
  } else if (code >= 0x16EA0 && code <= 0x16EB8) {
    code += 0x1B;
  } else if (code == 0x1C89 || code == 0xA7CC || code == 0xA7CE || code == 0xA7D2 ||
             code == 0xA7D4 || code == 0xA7DA) {
    code += 1;
  } else {
    code = static_cast<char32_t>(utf8proc_tolower(Signed(code)));
  }
  AppendUtf8(code, out);
}

}  // namespace podium
