// The few Unicode properties that tokenizers ask about.
#ifndef PODIUM_TEXT_UNICODE_H_
#define PODIUM_TEXT_UNICODE_H_

#include <cstdint>

namespace podium {

/// White_Space, as Rust's char::is_whitespace.
bool IsWhitespace(char32_t code);
/// \w of a Unicode-aware regular expression: Alphabetic, M, Nd, Pc, Join_Control.
bool IsWord(char32_t code);

/// True when no character of this kind joins another of it in a grapheme cluster, and what it
/// starts is a cluster like any other's: most letters, ideographs, punctuation.
bool StandsAlone(char32_t code);

/// Extended grapheme clusters (UAX #29), one character after the other.
class GraphemeBreaker {
 public:
  /// True when a cluster starts before `code`. The first character after Reset starts one.
  bool StartsCluster(char32_t code);
  void Reset() { has_previous_ = false; }

 private:
  char32_t previous_ = 0;
  int32_t state_ = 0;
  bool has_previous_ = false;
};

}  // namespace podium

#endif  // PODIUM_TEXT_UNICODE_H_
