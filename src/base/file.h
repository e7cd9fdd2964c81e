// Files read whole or mapped. Only regular files: a folder, a pipe or a device is refused, at once.
#ifndef PODIUM_BASE_FILE_H_
#define PODIUM_BASE_FILE_H_

#include <time.h>

#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "base/bus_error.h"
#include "base/status.h"

namespace podium {

/// The whole file. kNotFound when there is none, kInvalidArgument when it is no regular file,
/// kResourceExhausted over `bytes_max`, kIo when the system refuses; each names the path.
Result<std::string> ReadFile(const std::string& path, size_t bytes_max);

/// Closes what it holds.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor();
  int get() const { return fd_; }

 private:
  int fd_ = -1;
};

/// A file's bytes in memory, read-only, loaded by the system as they are touched. Movable; any
/// thread may read.
///
/// The bytes are the file's own: who cuts it short or writes into it changes what is read here. Ask
/// CheckUnchanged after the bytes were used and before the result counts. Touching pages that a cut
/// took away raises SIGBUS; a program that calls CatchBusErrors (bus_error.h) reads zeros instead
/// and lives to report it. Files are best replaced by renaming a new one over them: then nothing
/// changes here.
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
  /// Starts reading all of it, or a part, from disk in the background.
  void Prefetch() const { Prefetch(0, size_); }
  void Prefetch(size_t offset, size_t bytes) const;
  /// Whole pages of a part leave this process's memory; touched again they are read again.
  void Drop(size_t offset, size_t bytes) const;
  /// kIo, naming the file, when it was cut short or written to since Open, or a page of it could
  /// not be read. One system call; allocates nothing when it succeeds.
  Status CheckUnchanged() const;

 private:
  MappedFile() = default;
  void Unmap();

  std::string path_;
  FileDescriptor descriptor_;  // to see changes of this very file, whatever the path leads to
  timespec modified_ = {};     // at Open
  const std::byte* data_ = nullptr;
  size_t size_ = 0;
  MappedRange range_;
};

}  // namespace podium

#endif  // PODIUM_BASE_FILE_H_
