// Files read whole or mapped. Only regular files: a folder, a pipe or a device is refused, at once.
#ifndef PODIUM_BASE_FILE_H_
#define PODIUM_BASE_FILE_H_

#include <cstddef>
#include <span>
#include <string>

#include "base/status.h"

namespace podium {

/// The whole file. kNotFound when there is none, kInvalidArgument when it is no regular file,
/// kResourceExhausted over `bytes_max`, kIo when the system refuses; each names the path.
Result<std::string> ReadFile(const std::string& path, size_t bytes_max);

/// A file's bytes in memory, read-only, loaded by the system as they are touched. Movable; any
/// thread may read.
///
/// The size is taken at open. When the file is cut short by someone else afterwards, touching the
/// lost pages raises SIGBUS: replace model files by renaming a new one over them, never in place.
class MappedFile {
 public:
  /// Errors as ReadFile's.
  static Result<MappedFile> Open(const std::string& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  const std::string& path() const { return path_; }
  std::span<const std::byte> bytes() const { return {data_, size_}; }
  size_t size() const { return size_; }
  /// Starts reading all of it from disk in the background.
  void Prefetch() const;

 private:
  MappedFile() = default;
  void Unmap();

  std::string path_;
  const std::byte* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace podium

#endif  // PODIUM_BASE_FILE_H_
