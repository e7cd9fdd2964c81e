// The pieces of a model: id → text and text → id.
#ifndef PODIUM_TEXT_VOCABULARY_H_
#define PODIUM_TEXT_VOCABULARY_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "text/trie.h"

namespace podium {

/// Immutable once built; any thread.
class Vocabulary {
 public:
  /// `texts` by id, copied. Of equal texts the largest id is found.
  static Result<Vocabulary> Build(const std::vector<std::string_view>& texts);

  int size() const { return static_cast<int>(ends_.size()); }
  /// "" when out of range.
  std::string_view Text(int32_t id) const;
  /// The id of exactly this text, or -1.
  int32_t Find(std::string_view text) const { return trie_.Find(text); }
  const Trie& trie() const { return trie_; }

 private:
  Trie trie_;
  std::string texts_;
  std::vector<uint32_t> ends_;  // of each piece in texts_
};

}  // namespace podium

#endif  // PODIUM_TEXT_VOCABULARY_H_
