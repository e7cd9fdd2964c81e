// A "precompiled charsmap": SentencePiece's normalisation rules as one blob, a Darts double array
// that maps byte sequences to their replacements.
#ifndef PODIUM_TEXT_CHARSMAP_H_
#define PODIUM_TEXT_CHARSMAP_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace podium {

/// Immutable; any thread.
class Charsmap {
 public:
  /// Checks the whole array, so that Find needs no checks but its bounds.
  static Result<Charsmap> Parse(std::string_view blob);

  /// What the shortest rule that `text` starts with puts in its place; nullopt when none does. The
  /// reference takes that for the whole of `text`.
  std::optional<std::string_view> Find(std::string_view text) const;

 private:
  std::vector<uint32_t> units_;
  std::string replacements_;  // each ends with NUL
};

}  // namespace podium

#endif  // PODIUM_TEXT_CHARSMAP_H_
