// One file's bytes: resumed, checked, put in place.
#ifndef PODIUM_HUB_DOWNLOAD_H_
#define PODIUM_HUB_DOWNLOAD_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/status.h"
#include "hub/client.h"
#include "hub/store.h"

namespace podium::hub {

/// Of a file whose size the hub does not tell.
constexpr uint64_t kUnsizedBytesMax = uint64_t{1} << 30;

/// A file as the hub describes it.
struct RemoteFile {
  std::string name;
  std::string url;
  std::string digest;            // digest.h
  std::optional<uint64_t> size;  // bytes
};

struct DownloadEvents {
  std::function<void(const std::string& line)> note;
  /// Bytes of the file that are there; or, while checking, that were read back.
  std::function<void(uint64_t bytes, bool checking)> progress;
  /// Bytes that arrived just now.
  std::function<void(uint64_t bytes)> received;
};

/// Makes the blob, unless it is there. Under the blob's lock, from where an earlier run stopped. A
/// blob has its digest; what has another one is removed.
Status DownloadBlob(Client& client, const Store& store, const RemoteFile& file,
                    const DownloadEvents& events, const std::atomic<bool>& cancel);

/// Bytes of the blob that an earlier run left.
uint64_t IncompleteBytes(const Store& store, const std::string& digest);

}  // namespace podium::hub

#endif  // PODIUM_HUB_DOWNLOAD_H_
