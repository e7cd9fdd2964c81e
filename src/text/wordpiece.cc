#include "text/wordpiece.h"

#include <algorithm>
#include <utility>

namespace podium {

WordPiece::WordPiece(Vocabulary vocabulary, int32_t unknown_id, std::string_view prefix,
                     int word_chars_max)
    : vocabulary_(std::move(vocabulary)),
      unknown_id_(unknown_id),
      word_chars_max_(static_cast<size_t>(word_chars_max)) {
  for (const char c : prefix) {
    if (continuing_ == Trie::kNone) break;
    continuing_ = vocabulary_.trie().Step(continuing_, static_cast<uint8_t>(c));
  }
}

class WordPiece::WordRun final : public Model::Run {
 public:
  explicit WordRun(const WordPiece& model) : model_(model) {}

  void Append(std::string_view part, std::vector<int32_t>&) override {
    // Once the word is too long, how it goes on does not matter.
    if (part.empty() || chars_ > model_.word_chars_max_) return;
    chars_ += static_cast<size_t>(std::count_if(
        part.begin(), part.end(), [](char c) { return (static_cast<uint8_t>(c) & 0xC0) != 0x80; }));
    if (chars_ <= model_.word_chars_max_) word_.append(part);
  }

  void End(std::vector<int32_t>& ids) override {
    if (chars_ == 0) return;
    const size_t before = ids.size();
    if (chars_ > model_.word_chars_max_ || !Cut(ids)) {
      ids.resize(before);
      ids.push_back(model_.unknown_id_);
    }
    word_.clear();
    chars_ = 0;
  }

 private:
  // False when some part of the word starts with no piece.
  bool Cut(std::vector<int32_t>& ids) const {
    const Trie& trie = model_.vocabulary_.trie();
    for (size_t at = 0; at < word_.size();) {
      uint32_t node = at == 0 ? Trie::kRoot : model_.continuing_;
      int32_t longest = -1;
      size_t end = at;
      for (size_t i = at; i < word_.size() && node != Trie::kNone; ++i) {
        node = trie.Step(node, static_cast<uint8_t>(word_[i]));
        if (node == Trie::kNone || trie.Id(node) < 0) continue;
        longest = trie.Id(node);
        end = i + 1;
      }
      if (longest < 0) return false;
      ids.push_back(longest);
      at = end;
    }
    return true;
  }

  const WordPiece& model_;
  std::string word_;
  size_t chars_ = 0;  // of the whole word; word_ is all of it while these are not too many
};

std::unique_ptr<Model::Run> WordPiece::Start() const { return std::make_unique<WordRun>(*this); }

}  // namespace podium
