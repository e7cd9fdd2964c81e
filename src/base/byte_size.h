// Sizes for people.
#ifndef PODIUM_BASE_BYTE_SIZE_H_
#define PODIUM_BASE_BYTE_SIZE_H_

#include <cstdint>
#include <string>

namespace podium {

/// "999 B", "1.11 GB": three digits, powers of 1000 as disks and downloads are counted.
std::string ByteSize(uint64_t bytes);

}  // namespace podium

#endif  // PODIUM_BASE_BYTE_SIZE_H_
