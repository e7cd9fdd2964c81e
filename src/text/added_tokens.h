// Added tokens: literal strings that are cut out of the text before anything else looks at it.
#ifndef PODIUM_TEXT_ADDED_TOKENS_H_
#define PODIUM_TEXT_ADDED_TOKENS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/function_ref.h"
#include "base/status.h"
#include "text/trie.h"

namespace podium {

struct AddedToken {
  std::string text;  // what is looked for
  int32_t id = 0;
  bool single_word = false;  // only where no word character touches it
  bool lstrip = false;       // swallows white space before it
  bool rstrip = false;       // and after it
};

/// Finds added tokens, leftmost first and longest first. Immutable; any thread.
class AddedTokens {
 public:
  AddedTokens() = default;
  static Result<AddedTokens> Build(std::vector<AddedToken> tokens);
  bool empty() const { return tokens_.empty(); }

  /// What one text needs between its parts.
  struct State {
    char32_t previous = 0;    // last character before the window, 0 at the start of the text
    size_t search_from = 0;   // in the window: matches start here or later
    bool skip_space = false;  // a token with rstrip ended at the window's start
  };

  /// Looks through `window`, the text from where the last call stopped; more text follows unless
  /// `last`. Calls `text` with stretches without tokens and `id` with tokens, in order, and returns
  /// how many bytes it is done with. Zero means: call again with a longer window.
  size_t Scan(std::string_view window, bool last, State& state,
              FunctionRef<void(std::string_view)> text, FunctionRef<void(int32_t)> id) const;

 private:
  std::vector<AddedToken> tokens_;
  Trie trie_;  // text → index in tokens_
  bool starts_[256] = {};
  size_t bytes_max_ = 0;
  bool any_lstrip_ = false;
};

}  // namespace podium

#endif  // PODIUM_TEXT_ADDED_TOKENS_H_
