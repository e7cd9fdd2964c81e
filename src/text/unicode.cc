#include "text/unicode.h"

#include <utf8proc.h>

namespace podium {
namespace {

// Word characters that came after Unicode 14.
bool IsNewerWord(char32_t code) {
  static constexpr struct {
    char32_t first, last;
  } kRanges[] = {{0x897, 0x897},     {0xCF3, 0xCF3},     {0xECE, 0xECE},     {0x1C89, 0x1C8A},
                 {0xA7CB, 0xA7CD},   {0xA7DA, 0xA7DC},   {0x105C0, 0x105F3}, {0x10D40, 0x10D65},
                 {0x10D69, 0x10D6D}, {0x10D6F, 0x10D85}, {0x10EC2, 0x10EC4}, {0x10EFC, 0x10EFF},
                 {0x1123F, 0x11241}, {0x11380, 0x11389}, {0x1138B, 0x1138B}, {0x1138E, 0x1138E},
                 {0x11390, 0x113B5}, {0x113B7, 0x113C0}, {0x113C2, 0x113C2}, {0x113C5, 0x113C5},
                 {0x113C7, 0x113CA}, {0x113CC, 0x113D3}, {0x113E1, 0x113E2}, {0x116D0, 0x116E3},
                 {0x11BC0, 0x11BE0}, {0x11BF0, 0x11BF9}, {0x11F00, 0x11F10}, {0x11F12, 0x11F3A},
                 {0x11F3E, 0x11F42}, {0x11F50, 0x11F5A}, {0x1342F, 0x1342F}, {0x13440, 0x13455},
                 {0x13460, 0x143FA}, {0x16100, 0x16139}, {0x16D40, 0x16D6C}, {0x16D70, 0x16D79},
                 {0x18CFF, 0x18CFF}, {0x1B132, 0x1B132}, {0x1B155, 0x1B155}, {0x1CCF0, 0x1CCF9},
                 {0x1DF25, 0x1DF2A}, {0x1E030, 0x1E06D}, {0x1E08F, 0x1E08F}, {0x1E4D0, 0x1E4F9},
                 {0x1E5D0, 0x1E5FA}, {0x2B739, 0x2B739}, {0x2EBF0, 0x2EE5D}, {0x31350, 0x323AF}};
  for (const auto& range : kRanges) {
    if (code <= range.last) return code >= range.first;
  }
  return false;
}

}  // namespace

bool IsWhitespace(char32_t code) {
  if (code < 0x80) return code == ' ' || (code >= 9 && code <= 13);
  return code == 0x85 || code == 0xA0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200A) ||
         code == 0x2028 || code == 0x2029 || code == 0x202F || code == 0x205F || code == 0x3000;
}

bool IsWord(char32_t code) {
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(code))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_PC:
      return true;
    default:
      // Join_Control, and the symbols that are Alphabetic: circled and squared letters.
      if (code == 0x200C || code == 0x200D || (code >= 0x24B6 && code <= 0x24E9) ||
          (code >= 0x1F130 && code <= 0x1F149) || (code >= 0x1F150 && code <= 0x1F169) ||
          (code >= 0x1F170 && code <= 0x1F189)) {
        return true;
      }
      return IsNewerWord(code);
  }
}

}  // namespace podium
