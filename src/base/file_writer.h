// A new file that is there whole or not at all.
#ifndef PODIUM_BASE_FILE_WRITER_H_
#define PODIUM_BASE_FILE_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/file.h"
#include "base/status.h"

namespace podium {

/// Writes beside the final name (PATH.partial-PID) and renames at the end: whoever has the old file
/// open or mapped keeps it. What was not committed is removed. One thread.
class FileWriter {
 public:
  static Result<FileWriter> Create(const std::string& path);
  FileWriter(FileWriter&& other) noexcept;
  FileWriter& operator=(FileWriter&&) = delete;
  ~FileWriter();

  /// Appends; kIo or kResourceExhausted (disk full) names the path.
  Status Write(std::span<const std::byte> bytes);
  /// Zeros up to the next multiple of `alignment`.
  Status Align(size_t alignment);
  /// Bytes at the start of the file anew.
  Status Rewrite(std::span<const std::byte> start);
  uint64_t position() const { return position_; }

  /// To the disk, then under its final name.
  Status Commit();

 private:
  FileWriter(std::string path, std::string partial, FileDescriptor descriptor);
  Status WriteAt(std::span<const std::byte> bytes, uint64_t at);

  std::string path_;
  std::string partial_;  // "" once it is gone
  FileDescriptor descriptor_;
  uint64_t position_ = 0;
};

}  // namespace podium

#endif  // PODIUM_BASE_FILE_WRITER_H_
