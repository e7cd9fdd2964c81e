#include "base/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "base/concat.h"

namespace podium {
namespace {

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&&) = delete;
  ~FileDescriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

Status SystemError(const std::string& path, const char* action, int error) {
  std::string message =
      Concat(path, ": cannot ", action, ": ", std::generic_category().message(error));
  if (error == ENOENT || error == ENOTDIR) return NotFound(std::move(message));
  return IoError(std::move(message));
}

struct OpenedFile {
  FileDescriptor descriptor;
  size_t size;
};

Result<OpenedFile> OpenRegular(const std::string& path) {
  // O_NONBLOCK: opening a pipe that nobody writes to must not wait. It means nothing to a file.
  int fd = -1;
  do {
    fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) return SystemError(path, "open", errno);
  FileDescriptor descriptor(fd);
  struct stat status;
  if (::fstat(fd, &status) != 0) return SystemError(path, "stat", errno);
  if (S_ISDIR(status.st_mode)) return InvalidArgument(Concat(path, ": a folder, not a file"));
  if (!S_ISREG(status.st_mode)) {
    return InvalidArgument(Concat(path, ": not a regular file (a pipe, socket or device)"));
  }
  return OpenedFile{std::move(descriptor), static_cast<size_t>(status.st_size)};
}

}  // namespace

Result<std::string> ReadFile(const std::string& path, size_t bytes_max) {
  PODIUM_ASSIGN_OR_RETURN(const OpenedFile file, OpenRegular(path));
  const auto too_large = [&] {
    return ResourceExhausted(Concat(path, ": larger than the limit of ", bytes_max, " bytes"));
  };
  if (file.size > bytes_max) return too_large();
  // The size is a hint only: files in /proc say 0, and a file may grow while it is read.
  std::string text;
  size_t used = 0;
  text.resize(file.size + 1);
  while (true) {
    const ssize_t got = ::read(file.descriptor.get(), text.data() + used, text.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return SystemError(path, "read", errno);
    if (got == 0) break;
    used += static_cast<size_t>(got);
    if (used > bytes_max) return too_large();
    if (used == text.size()) text.resize(std::min(bytes_max + 1, 2 * used + 4096));
  }
  text.resize(used);
  return text;
}

Result<MappedFile> MappedFile::Open(const std::string& path) {
  PODIUM_ASSIGN_OR_RETURN(const OpenedFile file, OpenRegular(path));
  MappedFile mapped;
  mapped.path_ = path;
  if (file.size == 0) return mapped;  // mmap refuses an empty range
  void* data =
      ::mmap(nullptr, file.size, PROT_READ, MAP_PRIVATE, file.descriptor.get(), /*offset=*/0);
  if (data == MAP_FAILED) return SystemError(path, "map", errno);
  mapped.data_ = static_cast<const std::byte*>(data);
  mapped.size_ = file.size;
  return mapped;
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  if (this == &other) return *this;
  Unmap();
  path_ = std::move(other.path_);
  data_ = std::exchange(other.data_, nullptr);
  size_ = std::exchange(other.size_, 0);
  return *this;
}

MappedFile::~MappedFile() { Unmap(); }

void MappedFile::Unmap() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

void MappedFile::Prefetch() const {
  // Advice: when the system does not take it, pages come in as they are touched.
  if (data_ != nullptr) ::madvise(const_cast<std::byte*>(data_), size_, MADV_WILLNEED);
}

}  // namespace podium
