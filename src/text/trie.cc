#include "text/trie.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/concat.h"

namespace podium {
namespace {

constexpr uint32_t kBlock = 256;
// 12 bytes each with the number. XLM-R's 250,002 pieces need 0.6 million.
constexpr size_t kCellsMax = size_t{1} << 26;
// 16 leaves XLM-R's trie 1.2 million cells large, 64 leaves 0.79, 256 leaves 0.78.
constexpr int kTriesMax = 64;

// Sorts by text, then id, and moves the texts together in that order: who builds the trie reads
// them from end to end many times. `texts` is their memory then.
void SortKeys(std::vector<Trie::Key>& keys, std::string& texts) {
  struct Entry {
    uint64_t start;  // the text's first eight bytes as a number, most significant first
    Trie::Key key;
  };
  std::vector<Entry> entries;
  entries.reserve(keys.size());
  size_t bytes = 0;
  for (const Trie::Key& key : keys) {
    uint64_t start = 0;
    for (size_t i = 0; i < sizeof start; ++i) {
      start = start << 8 | (i < key.text.size() ? static_cast<uint8_t>(key.text[i]) : 0);
    }
    entries.push_back({start, key});
    bytes += key.text.size();
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    if (a.start != b.start) return a.start < b.start;
    const int order = a.key.text.compare(b.key.text);
    return order != 0 ? order < 0 : a.key.id < b.key.id;
  });
  texts.reserve(bytes);
  for (size_t i = 0; i < keys.size(); ++i) {
    const size_t at = texts.size();
    texts.append(entries[i].key.text);
    keys[i] = {std::string_view(texts).substr(at), entries[i].key.id};
  }
}

}  // namespace

class Trie::Builder {
 public:
  explicit Builder(const std::vector<Key>& keys) : keys_(keys) {
    // XLM-R needs 3.2 cells for a key; pages that stay unused cost nothing.
    const size_t expected = std::min(kCellsMax, 4 * keys.size() + 2 * kBlock);
    cells_.reserve(expected);
    ids_.reserve(expected);
    next_free_.reserve(expected);
    previous_free_.reserve(expected);
    taken_.reserve(expected);
    AddBlock();  // block 0 holds the root; block 1 stays empty: the base of nodes without children
    AddBlock();
    TakeFree(kRoot);
    while (first_free_ < 2 * kBlock && first_free_ != kNone) TakeFree(first_free_);
    cells_[kRoot].base = kBlock;
  }

  std::vector<Cell> TakeCells() { return std::move(cells_); }
  std::vector<int32_t> TakeIds() { return std::move(ids_); }

  /// False when there are too many keys.
  bool Run() {
    struct Range {  // keys [first, last) share their first `depth` bytes, which lead to `node`
      uint32_t node;
      size_t first, last, depth;
    };
    // An explicit stack: the depth is the longest key, which a file chooses.
    std::vector<Range> stack = {{kRoot, 0, keys_.size(), 0}};
    std::vector<size_t> starts;  // where each child's keys start
    std::vector<uint8_t> bytes;  // and the byte that leads there
    while (!stack.empty()) {
      Range range = stack.back();
      stack.pop_back();
      while (range.first < range.last && keys_[range.first].text.size() == range.depth) {
        if (range.depth > 0) {
          cells_[range.node].parent |= kEnds;
          ids_[range.node] = keys_[range.first].id;
        }
        ++range.first;
      }
      if (range.first == range.last) continue;
      starts.clear();
      bytes.clear();
      for (size_t i = range.first; i < range.last; ++i) {
        const uint8_t byte = static_cast<uint8_t>(keys_[i].text[range.depth]);
        if (bytes.empty() || bytes.back() != byte) {
          bytes.push_back(byte);
          starts.push_back(i);
        }
      }
      const uint32_t base = FindBase(bytes);
      if (base == kNone) return false;
      cells_[range.node].base = base;
      for (size_t c = 0; c < bytes.size(); ++c) {
        const uint32_t child = base ^ bytes[c];
        TakeFree(child);
        cells_[child] = {kBlock, range.node};
        stack.push_back({child, starts[c], c + 1 < starts.size() ? starts[c + 1] : range.last,
                         range.depth + 1});
      }
    }
    return true;
  }

 private:
  // Nodes with one child fill the oldest gaps; those with more look in the newest blocks, which
  // have the most room.
  uint32_t FindBase(const std::vector<uint8_t>& bytes) {
    const bool single = bytes.size() == 1;
    uint32_t cell = single ? first_free_ : last_free_;
    for (int tries = 0; tries < kTriesMax && cell != kNone; ++tries) {
      const uint32_t base = cell ^ bytes[0];
      if (Fits(base, bytes)) return base;
      cell = single ? next_free_[cell] : previous_free_[cell];
    }
    const uint32_t fresh = static_cast<uint32_t>(cells_.size());
    if (cells_.size() + kBlock > kCellsMax) return kNone;
    AddBlock();
    return fresh;
  }

  bool Fits(uint32_t base, const std::vector<uint8_t>& bytes) const {
    for (const uint8_t byte : bytes) {
      if (taken_[base ^ byte] != 0) return false;
    }
    return true;
  }

  void AddBlock() {
    const uint32_t start = static_cast<uint32_t>(cells_.size());
    cells_.resize(start + kBlock);
    ids_.resize(start + kBlock, -1);
    next_free_.resize(start + kBlock);
    previous_free_.resize(start + kBlock);
    taken_.resize(start + kBlock, 0);
    for (uint32_t cell = start; cell < start + kBlock; ++cell) {
      previous_free_[cell] = last_free_;
      next_free_[cell] = kNone;
      if (last_free_ == kNone) {
        first_free_ = cell;
      } else {
        next_free_[last_free_] = cell;
      }
      last_free_ = cell;
    }
  }

  void TakeFree(uint32_t cell) {
    taken_[cell] = 1;
    const uint32_t previous = previous_free_[cell];
    const uint32_t next = next_free_[cell];
    (previous == kNone ? first_free_ : next_free_[previous]) = next;
    (next == kNone ? last_free_ : previous_free_[next]) = previous;
  }

  const std::vector<Key>& keys_;
  std::vector<Cell> cells_;
  std::vector<int32_t> ids_;
  std::vector<uint32_t> next_free_, previous_free_;
  std::vector<uint8_t> taken_;
  uint32_t first_free_ = kNone, last_free_ = kNone;
};

Result<Trie> Trie::Build(std::vector<Key> keys) {
  std::string texts;
  SortKeys(keys, texts);
  Builder builder(keys);
  if (!builder.Run()) {
    return ResourceExhausted(
        Concat("vocabulary too large: its trie needs more than ", kCellsMax, " cells"));
  }
  Trie trie;
  trie.cells_ = builder.TakeCells();
  trie.ids_ = builder.TakeIds();
  return trie;
}

int32_t Trie::Find(std::string_view text) const {
  uint32_t node = kRoot;
  for (const char c : text) {
    node = Step(node, static_cast<uint8_t>(c));
    if (node == kNone) return -1;
  }
  return node == kRoot ? -1 : Id(node);
}

}  // namespace podium
