#include "base/file_writer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include "base/concat.h"

namespace podium {
namespace {

Status SystemError(const std::string& path, const char* action, int error) {
  std::string message =
      Concat(path, ": cannot ", action, ": ", std::generic_category().message(error));
  if (error == ENOENT || error == ENOTDIR) return NotFound(std::move(message));
  if (error == ENOSPC || error == EDQUOT) return ResourceExhausted(std::move(message));
  return IoError(std::move(message));
}

}  // namespace

FileWriter::FileWriter(std::string path, std::string partial, FileDescriptor descriptor)
    : path_(std::move(path)), partial_(std::move(partial)), descriptor_(std::move(descriptor)) {}

FileWriter::FileWriter(FileWriter&& other) noexcept
    : path_(std::move(other.path_)),
      partial_(std::exchange(other.partial_, std::string())),
      descriptor_(std::move(other.descriptor_)),
      position_(other.position_) {}

FileWriter::~FileWriter() {
  if (!partial_.empty()) ::unlink(partial_.c_str());
}

Result<FileWriter> FileWriter::Create(const std::string& path) {
  struct stat status;
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    return InvalidArgument(Concat(path, ": there is something else than a regular file"));
  }
  std::string partial = Concat(path, ".partial-", ::getpid());
  constexpr mode_t kMode = 0666;  // less the umask
  FileDescriptor descriptor(
      ::open(partial.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, kMode));
  if (descriptor.get() < 0) return SystemError(partial, "create", errno);
  return FileWriter(path, std::move(partial), std::move(descriptor));
}

Status FileWriter::WriteAt(std::span<const std::byte> bytes, uint64_t at) {
  while (!bytes.empty()) {
    const ssize_t written =
        ::pwrite(descriptor_.get(), bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return SystemError(partial_, "write", errno);
    bytes = bytes.subspan(static_cast<size_t>(written));
    at += static_cast<uint64_t>(written);
  }
  return OkStatus();
}

Status FileWriter::Write(std::span<const std::byte> bytes) {
  PODIUM_RETURN_IF_ERROR(WriteAt(bytes, position_));
  position_ += bytes.size();
  return OkStatus();
}

Status FileWriter::Align(size_t alignment) {
  static constexpr std::array<std::byte, 4096> kZeros = {};
  size_t left = (alignment - position_ % alignment) % alignment;
  while (left > 0) {
    const size_t step = std::min(left, kZeros.size());
    PODIUM_RETURN_IF_ERROR(Write(std::span(kZeros).first(step)));
    left -= step;
  }
  return OkStatus();
}

Status FileWriter::Rewrite(std::span<const std::byte> start) { return WriteAt(start, 0); }

Status FileWriter::Commit() {
  if (::fsync(descriptor_.get()) != 0) return SystemError(partial_, "write to disk", errno);
  if (std::rename(partial_.c_str(), path_.c_str()) != 0) {
    return SystemError(path_, "put the new file in place", errno);
  }
  partial_.clear();
  return OkStatus();
}

}  // namespace podium
