#include "text/unicode.h"

#include <utf8proc.h>

namespace podium {
namespace {

// The reference's tables (Unicode 17) know characters that utf8proc 2.8's (Unicode 14) do not.
// Their stand-ins have the class that the newer version gives them; all other characters agree.
char32_t ClassStandIn(char32_t code) {
  if (code < 0x897) return code;
  const bool extend =
      code == 0x897 || (code >= 0x1ACF && code <= 0x1ADD) || (code >= 0x1AE0 && code <= 0x1AEB);
  if (extend) return 0x300;           // Extend
  if (code == 0x113D1) return 0x600;  // Prepend
  if (code == 0x11A3A) return 'a';    // no longer Prepend
  return code;
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
      return code == 0x200C || code == 0x200D || (code >= 0x24B6 && code <= 0x24E9) ||
             (code >= 0x1F130 && code <= 0x1F149) || (code >= 0x1F150 && code <= 0x1F169) ||
             (code >= 0x1F170 && code <= 0x1F189);
  }
}

bool GraphemeBreaker::StartsCluster(char32_t code) {
  code = ClassStandIn(code);
  bool starts = true;
  if (has_previous_) {
    if (previous_ < 0x80 && code < 0x80) {
      starts = !(previous_ == '\r' && code == '\n');
      state_ = 0;
    } else {
      starts = utf8proc_grapheme_break_stateful(static_cast<utf8proc_int32_t>(previous_),
                                                static_cast<utf8proc_int32_t>(code), &state_) != 0;
    }
  } else {
    state_ = 0;
    has_previous_ = true;
  }
  previous_ = code;
  return starts;
}

}  // namespace podium
