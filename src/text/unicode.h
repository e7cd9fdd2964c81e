// The few Unicode properties that tokenizers ask about.
#ifndef PODIUM_TEXT_UNICODE_H_
#define PODIUM_TEXT_UNICODE_H_

#include <cstdint>

namespace podium {

/// White_Space, as Rust's char::is_whitespace.
bool IsWhitespace(char32_t code);
/// \w of a Unicode-aware regular expression: Alphabetic, M, Nd, Pc, Join_Control.
bool IsWord(char32_t code);

}  // namespace podium

#endif  // PODIUM_TEXT_UNICODE_H_
