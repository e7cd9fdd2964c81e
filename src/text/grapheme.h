// Grapheme clusters (UAX #29, Unicode 17, which is the reference's version).
#ifndef PODIUM_TEXT_GRAPHEME_H_
#define PODIUM_TEXT_GRAPHEME_H_

#include <cstdint>

namespace podium {

/// True when no character of this kind joins another of it in a grapheme cluster, and what it
/// starts is a cluster like any other's: most letters, ideographs, punctuation.
bool StandsAlone(char32_t code);

/// Extended grapheme clusters, one character after the other.
class GraphemeBreaker {
 public:
  /// True when a cluster starts before `code`. The first character after Reset starts one.
  bool StartsCluster(char32_t code);
  void Reset() { has_previous_ = false; }

 private:
  bool has_previous_ = false;
  uint8_t previous_ = 0;       // its class
  uint8_t pictograph_ = 0;     // 1: a pictograph and what extends it; 2: and a joiner
  uint8_t conjunct_ = 0;       // 1: a consonant and what extends it; 2: and a linker among that
  bool odd_regional_ = false;  // an odd number of regional indicators
};

}  // namespace podium

#endif  // PODIUM_TEXT_GRAPHEME_H_
