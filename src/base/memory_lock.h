// Memory that stays: never written to swap, never dropped from the page cache.
#ifndef PODIUM_BASE_MEMORY_LOCK_H_
#define PODIUM_BASE_MEMORY_LOCK_H_

#include <cstddef>
#include <string>

#include "base/status.h"

namespace podium {

/// Reads what is not there yet and keeps it in memory until it is unmapped. kResourceExhausted,
/// with `what`, the bytes wanted and the process's limit, when the system refuses.
Status LockMemory(const void* data, size_t bytes, const std::string& what);

}  // namespace podium

#endif  // PODIUM_BASE_MEMORY_LOCK_H_
