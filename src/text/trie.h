// A set of byte strings with a number each, as a double array: one memory access per byte.
#ifndef PODIUM_TEXT_TRIE_H_
#define PODIUM_TEXT_TRIE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace podium {

/// Immutable once built; any thread. A position in the trie is a node; kRoot is the empty string.
class Trie {
 public:
  struct Key {
    std::string_view text;
    int32_t id = 0;  // ≥ 0
  };
  static constexpr uint32_t kRoot = 0;
  static constexpr uint32_t kNone = 0xFFFFFFFFu;

  /// `keys` may come in any order; of equal texts the largest id counts. Empty texts are ignored.
  static Result<Trie> Build(std::vector<Key> keys);

  /// The node after `byte`, or kNone.
  uint32_t Step(uint32_t node, uint8_t byte) const {
    const uint32_t next = cells_[node].base ^ byte;
    return (cells_[next].parent & ~kEnds) == node ? next : kNone;
  }
  /// The number of the text that leads to `node`, or -1.
  int32_t Id(uint32_t node) const { return (cells_[node].parent & kEnds) != 0 ? ids_[node] : -1; }
  /// The number of `text`, or -1.
  int32_t Find(std::string_view text) const;

 private:
  class Builder;
  // The child of a node for byte c is the cell base ^ c, when that cell names the node as parent. A
  // node without children has block 1 as base, whose cells have no parent. Eight cells share a
  // cache line, and most steps of a search need no number: so these are beside.
  static constexpr uint32_t kEnds = 0x80000000u;  // in `parent`: a text ends here
  struct Cell {
    uint32_t base = 0;
    uint32_t parent = kNone;
  };
  std::vector<Cell> cells_;
  std::vector<int32_t> ids_;  // of each cell; -1 where no text ends
};

}  // namespace podium

#endif  // PODIUM_TEXT_TRIE_H_
