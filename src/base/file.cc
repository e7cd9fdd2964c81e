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

Status SystemError(const std::string& path, const char* action, int error) {
  std::string message =
      Concat(path, ": cannot ", action, ": ", std::generic_category().message(error));
  if (error == ENOENT || error == ENOTDIR) return NotFound(std::move(message));
  return IoError(std::move(message));
}

size_t PageBytes() {
  static const auto bytes = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}

struct OpenedFile {
  FileDescriptor descriptor;
  size_t size;
  timespec modified;
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
  return OpenedFile{std::move(descriptor), static_cast<size_t>(status.st_size), status.st_mtim};
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

FileDescriptor::~FileDescriptor() {
  if (fd_ >= 0) ::close(fd_);
}

Result<MappedFile> MappedFile::Open(const std::string& path) {
  PODIUM_ASSIGN_OR_RETURN(OpenedFile file, OpenRegular(path));
  MappedFile mapped;
  mapped.path_ = path;
  mapped.modified_ = file.modified;
  if (file.size > 0) {  // mmap refuses an empty range
    void* data =
        ::mmap(nullptr, file.size, PROT_READ, MAP_PRIVATE, file.descriptor.get(), /*offset=*/0);
    if (data == MAP_FAILED) return SystemError(path, "map", errno);
    mapped.data_ = static_cast<const std::byte*>(data);
    mapped.size_ = file.size;
    mapped.range_ = MappedRange(data, file.size);
  }
  mapped.descriptor_ = std::move(file.descriptor);
  return mapped;
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::move(other.descriptor_)),
      modified_(other.modified_),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      range_(std::move(other.range_)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(modified_, other.modified_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(range_, other.range_);
  return *this;
}

MappedFile::~MappedFile() { Unmap(); }

void MappedFile::Unmap() {
  range_ = MappedRange();  // first: the handler must not fill a range that is not ours any more
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

Status MappedFile::CheckUnchanged() const {
  struct stat status;
  if (::fstat(descriptor_.get(), &status) != 0) return SystemError(path_, "stat", errno);
  constexpr const char* kAdvice =
      "; replace such a file by renaming the new one over it, then open the model again";
  const auto size = static_cast<size_t>(status.st_size);
  if (size != size_) {
    return IoError(Concat(path_, ": ", size < size_ ? "cut short" : "grown", " from ", size_,
                          " to ", size, " bytes while it was in use", kAdvice));
  }
  if (range_.lost()) {
    return IoError(Concat(path_,
                          ": a part of it could not be read while it was in use: cut short "
                          "for a time, or a fault of the disk",
                          kAdvice));
  }
  if (status.st_mtim.tv_sec != modified_.tv_sec || status.st_mtim.tv_nsec != modified_.tv_nsec) {
    return IoError(Concat(path_, ": written to while it was in use", kAdvice));
  }
  return OkStatus();
}

void MappedFile::Prefetch(size_t offset, size_t bytes) const {
  // Advice: when the system does not take it, pages come in as they are touched.
  if (data_ == nullptr || offset >= size_) return;
  const size_t begin = offset / PageBytes() * PageBytes();
  const size_t end = offset + std::min(bytes, size_ - offset);
  ::madvise(const_cast<std::byte*>(data_) + begin, end - begin, MADV_WILLNEED);
}

void MappedFile::Drop(size_t offset, size_t bytes) const {
  if (data_ == nullptr || offset >= size_) return;
  const size_t page = PageBytes();
  const size_t begin = (offset + page - 1) / page * page;
  const size_t end = (offset + std::min(bytes, size_ - offset)) / page * page;
  if (begin < end) {
    ::madvise(const_cast<std::byte*>(data_) + begin, end - begin, MADV_DONTNEED);
  }
}

}  // namespace podium
