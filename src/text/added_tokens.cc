#include "text/added_tokens.h"

#include <algorithm>
#include <utility>

#include "base/utf8.h"
#include "text/unicode.h"

namespace podium {
namespace {

constexpr size_t kCharBytesMax = 4;

// Start of the white space that ends at `end`, not before `start`.
size_t SpaceBefore(std::string_view text, size_t start, size_t end) {
  while (end > start) {
    const Utf8Char character = DecodeUtf8Back(text.substr(start, end - start));
    if (!IsWhitespace(character.code)) break;
    end -= static_cast<size_t>(character.bytes);
  }
  return end;
}

size_t SpaceAfter(std::string_view text, size_t start) {
  while (start < text.size()) {
    const Utf8Char character = DecodeUtf8(text.substr(start));
    if (!IsWhitespace(character.code)) break;
    start += static_cast<size_t>(character.bytes);
  }
  return start;
}

}  // namespace

Result<AddedTokens> AddedTokens::Build(std::vector<AddedToken> tokens) {
  AddedTokens built;
  built.tokens_ = std::move(tokens);
  std::vector<Trie::Key> keys;
  for (size_t i = 0; i < built.tokens_.size(); ++i) {
    const AddedToken& token = built.tokens_[i];
    keys.push_back({token.text, static_cast<int32_t>(i)});
    if (token.text.empty()) continue;
    built.starts_[static_cast<uint8_t>(token.text[0])] = true;
    built.bytes_max_ = std::max(built.bytes_max_, token.text.size());
    built.any_lstrip_ |= token.lstrip;
  }
  PODIUM_ASSIGN_OR_RETURN(built.trie_, Trie::Build(std::move(keys)));
  return built;
}

size_t AddedTokens::Scan(std::string_view window, bool last, State& state,
                         FunctionRef<void(std::string_view)> text,
                         FunctionRef<void(int32_t)> id) const {
  size_t at = state.search_from;
  size_t text_from = state.skip_space ? SpaceAfter(window, 0) : 0;
  bool skip_space = state.skip_space && text_from == window.size();
  for (; at < window.size(); ++at) {
    if (!starts_[static_cast<uint8_t>(window[at])]) continue;
    // A longer match, or the character that follows, may lie beyond the window.
    if (!last && window.size() - at < bytes_max_ + kCharBytesMax) break;
    const AddedToken* found = nullptr;
    uint32_t node = Trie::kRoot;
    for (size_t i = at; i < window.size(); ++i) {
      node = trie_.Step(node, static_cast<uint8_t>(window[i]));
      if (node == Trie::kNone) break;
      if (trie_.Id(node) >= 0) found = &tokens_[static_cast<size_t>(trie_.Id(node))];
    }
    if (found == nullptr) continue;
    const size_t end = at + found->text.size();
    if (found->single_word) {
      const char32_t before = at > 0 ? DecodeUtf8Back(window.substr(0, at)).code : state.previous;
      const char32_t after = end < window.size() ? DecodeUtf8(window.substr(end)).code : 0;
      if (IsWord(before) || IsWord(after)) {
        at = end - 1;  // a match that does not count still uses up its text
        continue;
      }
    }
    const size_t start = found->lstrip && at > text_from ? SpaceBefore(window, text_from, at) : at;
    if (start > text_from) text(window.substr(text_from, start - text_from));
    id(found->id);
    text_from = found->rstrip ? SpaceAfter(window, end) : end;
    skip_space = found->rstrip && text_from == window.size();
    at = end - 1;
  }
  at = std::min(at, window.size());
  size_t done = at;
  if (at > text_from) {
    // White space may still belong to a token that swallows it.
    if (any_lstrip_ && !last) done = SpaceBefore(window, text_from, at);
    if (done > text_from) text(window.substr(text_from, done - text_from));
  } else if (at < text_from) {
    skip_space = true;
  }
  if (done > 0) state.previous = DecodeUtf8Back(window.substr(0, done)).code;
  state.search_from = at - done;
  state.skip_space = skip_space;
  return done;
}

}  // namespace podium
