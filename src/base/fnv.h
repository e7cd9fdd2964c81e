// FNV-1a, 64 bits: a checksum that is three lines in any language. It finds what disks and copies
// do to a file, every change of a single byte for certain; it is no defence against a forger.
#ifndef PODIUM_BASE_FNV_H_
#define PODIUM_BASE_FNV_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace podium {

inline uint64_t Fnv1a(std::span<const std::byte> bytes, uint64_t hash = 0xcbf29ce484222325) {
  for (const std::byte byte : bytes) {
    hash = (hash ^ static_cast<uint64_t>(byte)) * 0x100000001b3;
  }
  return hash;
}

}  // namespace podium

#endif  // PODIUM_BASE_FNV_H_
