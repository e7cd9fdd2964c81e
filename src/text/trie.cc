#include "text/trie.h"

#include <algorithm>
#include <utility>

#include "base/concat.h"

namespace podium {
namespace {

constexpr uint32_t kBlock = 256;
// 12 bytes each. XLM-R's 250,002 pieces need 0.6 million.
constexpr size_t kCellsMax = size_t{1} << 26;
// 16 leaves XLM-R's trie 1.2 million cells large, 64 leaves 0.79, 256 leaves 0.78.
constexpr int kTriesMax = 64;

}  // namespace

class Trie::Builder {
 public:
  explicit Builder(const std::vector<Key>& keys) : keys_(keys) {
    AddBlock();  // block 0 holds the root; block 1 stays empty: the base of nodes without children
    AddBlock();
    TakeFree(kRoot);
    while (first_free_ < 2 * kBlock && first_free_ != kNone) TakeFree(first_free_);
    cells_[kRoot].base = kBlock;
  }

  std::vector<Cell> TakeCells() { return std::move(cells_); }

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
        if (range.depth > 0) cells_[range.node].id = keys_[range.first].id;
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
        cells_[child] = {kBlock, range.node, -1};
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
  std::vector<uint32_t> next_free_, previous_free_;
  std::vector<uint8_t> taken_;
  uint32_t first_free_ = kNone, last_free_ = kNone;
};

Result<Trie> Trie::Build(std::vector<Key> keys) {
  std::sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) {
    const int order = a.text.compare(b.text);
    return order != 0 ? order < 0 : a.id < b.id;
  });
  Builder builder(keys);
  if (!builder.Run()) {
    return ResourceExhausted(
        Concat("vocabulary too large: its trie needs more than ", kCellsMax, " cells"));
  }
  Trie trie;
  trie.cells_ = builder.TakeCells();
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
