// The WordPiece model: from the start of a word the longest piece, again and again.
#ifndef PODIUM_TEXT_WORDPIECE_H_
#define PODIUM_TEXT_WORDPIECE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "text/model.h"

namespace podium {

/// Immutable; any thread. A word that is too long, or cannot be cut to its end, is one unknown.
class WordPiece final : public Model {
 public:
  /// The most that a file may set as the longest word; what a run holds is bounded by it. Public
  /// files have 100.
  static constexpr int kWordCharsMax = 1000;

  /// `prefix` stands before pieces that continue a word ("##"); `word_chars_max` ≤ kWordCharsMax.
  WordPiece(Vocabulary vocabulary, int32_t unknown_id, std::string_view prefix, int word_chars_max);

  const Vocabulary& vocabulary() const override { return vocabulary_; }
  std::unique_ptr<Run> Start() const override;

 private:
  class WordRun;
  const Vocabulary vocabulary_;
  const int32_t unknown_id_;
  uint32_t continuing_ = Trie::kRoot;  // the node after the prefix; kNone when no piece has it
  const size_t word_chars_max_;
};

}  // namespace podium

#endif  // PODIUM_TEXT_WORDPIECE_H_
