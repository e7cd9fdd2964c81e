// Where downloaded files lie: the cache that all Hugging Face clients share, or a plain folder.
//
// Both first gather whole, checked contents by digest ("blobs"), and only when a model is complete
// give them their names: nobody ever finds a model that is half there.
#ifndef PODIUM_HUB_STORE_H_
#define PODIUM_HUB_STORE_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/status.h"
#include "model/hub_cache.h"

namespace podium::hub {

/// One process at a time; the lock of Hugging Face's clients (flock on the same file). Where the
/// file system has no locks it is none: the checksum still keeps contents right.
class FileLock {
 public:
  /// Waits, asking `cancel`; `waiting` is called once when it has to.
  static Result<FileLock> Acquire(const std::string& path, const std::atomic<bool>& cancel,
                                  const std::function<void()>& waiting);
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&&) = delete;
  ~FileLock();

 private:
  explicit FileLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

class Store {
 public:
  /// snapshots/COMMIT of the model in the cache.
  static Store InCache(const std::string& cache, const HubName& model, const std::string& commit);
  /// The files in `folder` itself; blobs in its .cache/huggingface/download until they get names.
  static Store InFolder(const std::string& folder);

  /// Makes the folders.
  Status Prepare() const;
  /// For a plain folder, which has no names by digest: one process at a time, from the first look
  /// to the last name. Prepares.
  Result<FileLock> LockFolder(const std::atomic<bool>& cancel,
                              const std::function<void()>& waiting) const;

  const std::string& folder() const { return folder_; }
  std::string FilePath(const std::string& name) const { return folder_ + "/" + name; }
  std::string BlobPath(const std::string& digest) const { return blobs_ + "/" + digest; }
  std::string IncompletePath(const std::string& digest) const {
    return BlobPath(digest) + ".incomplete";
  }
  std::string LockPath(const std::string& digest) const { return locks_ + "/" + digest + ".lock"; }

  /// Whether a file is there under its name and needs no look at its contents: in the cache a
  /// snapshot belongs to a commit. Never in a plain folder.
  bool IsTrusted(const std::string& name) const;
  /// Gives a blob its name, in one step for whoever looks.
  Status Publish(const std::string& name, const std::string& digest) const;
  /// Plain folder: takes the blobs' folder away where nothing is left in it.
  void CleanUp(const std::string& digest) const;
  /// The same for the folder's lock; by who holds it.
  void CleanUpLock() const;

  /// Free bytes where the blobs go; nullopt when the system does not say.
  std::optional<uint64_t> FreeBytes() const;

 private:
  std::string folder_;
  std::string blobs_;
  std::string locks_;
  std::string cache_;  // "" for a plain folder
};

/// Writes refs/REVISION.
Status WriteRef(const std::string& path, const std::string& commit);

}  // namespace podium::hub

#endif  // PODIUM_HUB_STORE_H_
