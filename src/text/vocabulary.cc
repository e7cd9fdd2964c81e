#include "text/vocabulary.h"

#include <limits>
#include <utility>

#include "base/concat.h"

namespace podium {

Result<Vocabulary> Vocabulary::Build(const std::vector<std::string_view>& texts) {
  size_t bytes = 0;
  for (const std::string_view text : texts) bytes += text.size();
  if (bytes > std::numeric_limits<uint32_t>::max()) {
    return ResourceExhausted(Concat("vocabulary of ", bytes, " bytes"));
  }
  Vocabulary built;
  built.texts_.reserve(bytes);
  built.ends_.reserve(texts.size());
  std::vector<Trie::Key> keys;
  keys.reserve(texts.size());
  for (const std::string_view text : texts) {
    keys.push_back({text, static_cast<int32_t>(keys.size())});
    built.texts_.append(text);
    built.ends_.push_back(static_cast<uint32_t>(built.texts_.size()));
  }
  PODIUM_ASSIGN_OR_RETURN(built.trie_, Trie::Build(std::move(keys)));
  return built;
}

std::string_view Vocabulary::Text(int32_t id) const {
  if (id < 0 || static_cast<size_t>(id) >= ends_.size()) return "";
  const uint32_t start = id == 0 ? 0 : ends_[static_cast<size_t>(id) - 1];
  return std::string_view(texts_).substr(start, ends_[static_cast<size_t>(id)] - start);
}

}  // namespace podium
