// Checksums of files, over libcrypto: the names that the hub gives to contents.
#ifndef PODIUM_HUB_DIGEST_H_
#define PODIUM_HUB_DIGEST_H_

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/function_ref.h"
#include "base/status.h"

namespace podium::hub {

/// kUnsupported where libcrypto cannot be loaded; nothing else here may be called then.
Status CanDigest();

/// 64 lower-case hexadecimal digits (SHA-256 of the bytes: large files) or 40 (git's blob SHA-1:
/// small ones).
bool IsDigest(std::string_view text);

/// kCorrupt, with what was found, when the file's digest of the same kind as `expected` differs.
/// `read` is told the bytes read so far.
Status CheckDigest(const std::string& path, const std::string& expected,
                   const std::atomic<bool>& cancel, FunctionRef<void(uint64_t)> read);

}  // namespace podium::hub

#endif  // PODIUM_HUB_DIGEST_H_
