#include "text/charsmap.h"

#include <cstring>

#include "base/concat.h"
#include "base/utf8.h"

namespace podium {
namespace {

// A unit of the array: bit 8 says that a rule ends here, then the unit at `offset` holds its value;
// bits 0-7 (and 31, which only values have) are the label; offset is 21 bits, times 256 when bit 9
// is set.
bool HasLeaf(uint32_t unit) { return (unit >> 8 & 1) != 0; }
uint32_t Value(uint32_t unit) { return unit & 0x7FFFFFFFu; }
uint32_t Label(uint32_t unit) { return unit & 0x800000FFu; }
uint32_t Offset(uint32_t unit) { return unit >> 10 << ((unit & 1u << 9) >> 6); }

}  // namespace

Result<Charsmap> Charsmap::Parse(std::string_view blob) {
  uint32_t trie_bytes = 0;
  if (blob.size() < sizeof trie_bytes) {
    return Corrupt(Concat("charsmap of ", blob.size(), " bytes, at least 4 needed"));
  }
  for (int i = 3; i >= 0; --i) trie_bytes = trie_bytes << 8 | static_cast<uint8_t>(blob[i]);
  blob.remove_prefix(sizeof trie_bytes);
  if (trie_bytes % 4 != 0 || trie_bytes == 0 || trie_bytes > blob.size()) {
    return Corrupt(Concat("charsmap announces a trie of ", trie_bytes, " bytes, has ", blob.size(),
                          "; a positive multiple of 4 that fits is needed"));
  }
  Charsmap map;
  map.units_.resize(trie_bytes / 4);
  for (size_t i = 0; i < map.units_.size(); ++i) {
    const auto byte = [&](size_t k) { return uint32_t{static_cast<uint8_t>(blob[i * 4 + k])}; };
    map.units_[i] = byte(0) | byte(1) << 8 | byte(2) << 16 | byte(3) << 24;
  }
  map.replacements_.assign(blob.substr(trie_bytes));
  map.replacements_.push_back('\0');  // ends the last one, whatever the file says
  if (const size_t valid = ValidUtf8Prefix(map.replacements_); valid != map.replacements_.size()) {
    return Corrupt(Concat("charsmap's replacement texts are not UTF-8 at byte ", valid));
  }
  // Units with bit 31 are values; every other one must point into the array, and a rule's value
  // into the texts, so that Find needs no checks. (The array's length is a multiple of 256 where
  // the usual builder made it, so all 256 children of a unit lie inside together.)
  if (map.units_.size() % 256 != 0) {
    return Corrupt(
        Concat("charsmap's trie has ", map.units_.size(), " units, a multiple of 256 is needed"));
  }
  for (size_t i = 0; i < map.units_.size(); ++i) {
    const uint32_t unit = map.units_[i];
    if (unit >> 31 != 0 && i != 0) continue;  // Find starts at unit 0 whatever its bits
    const size_t target = i ^ Offset(unit);
    if (target >= map.units_.size()) {
      return Corrupt(Concat("charsmap's trie unit ", i, " points to unit ", target, " of ",
                            map.units_.size()));
    }
    if (!HasLeaf(unit)) continue;
    const size_t start = Value(map.units_[target]);
    if (start >= map.replacements_.size() || (map.replacements_[start] & 0xC0) == 0x80) {
      return Corrupt(Concat("charsmap's trie unit ", i, " points to byte ", start, " of ",
                            map.replacements_.size(), " bytes of replacement texts"));
    }
  }
  return map;
}

std::optional<std::string_view> Charsmap::Find(std::string_view text) const {
  size_t at = Offset(units_[0]);
  for (const char c : text) {
    const uint32_t byte = static_cast<uint8_t>(c);
    if (byte == 0) return std::nullopt;
    at ^= byte;
    const uint32_t unit = units_[at];
    if (Label(unit) != byte) return std::nullopt;
    at ^= Offset(unit);
    if (HasLeaf(unit)) {
      const size_t start = Value(units_[at]);
      return std::string_view(replacements_).substr(start, replacements_.find('\0', start) - start);
    }
  }
  return std::nullopt;
}

}  // namespace podium
