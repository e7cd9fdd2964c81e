#include "base/line_reader.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "base/concat.h"

namespace podium {
namespace {

constexpr size_t kStepBytes = size_t{256} << 10;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

Status Cancelled() { return Status(StatusCode::kCancelled, "interrupted"); }

}  // namespace

Result<LineReader> LineReader::Open(const std::string& path, const Limits& limits,
                                    const std::atomic<bool>* cancel) {
  if (path == "-") return LineReader(STDIN_FILENO, "standard input", limits, cancel);
  int descriptor = -1;
  while ((descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY)) < 0) {
    if (errno == EINTR && cancel != nullptr && *cancel) return Cancelled();
    if (errno == EINTR) continue;
    std::string message = Concat(path, ": cannot open: ", std::generic_category().message(errno));
    if (errno == ENOENT || errno == ENOTDIR) return NotFound(std::move(message));
    return IoError(std::move(message));
  }
  LineReader reader(descriptor, path, limits, cancel);
  struct stat about = {};
  if (::fstat(descriptor, &about) == 0) {
    if (S_ISDIR(about.st_mode)) return InvalidArgument(Concat(path, ": a folder, not a file"));
    if (S_ISREG(about.st_mode)) reader.size_ = static_cast<uint64_t>(about.st_size);
  }
  return reader;
}

LineReader LineReader::OfText(std::string_view text, std::string name, const Limits& limits) {
  LineReader reader(-1, std::move(name), limits, nullptr);
  reader.text_ = text;
  reader.size_ = text.size();
  return reader;
}

LineReader::LineReader(LineReader&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      name_(std::move(other.name_)),
      limits_(other.limits_),
      cancel_(other.cancel_),
      buffer_(std::move(other.buffer_)),
      start_(other.start_),
      text_(other.text_),
      ended_(other.ended_),
      skipping_(other.skipping_),
      has_end_(other.has_end_),
      number_(other.number_),
      consumed_(other.consumed_),
      size_(other.size_) {}

LineReader::~LineReader() {
  if (descriptor_ > STDIN_FILENO) ::close(descriptor_);
}

std::string LineReader::Where() const { return Concat(name_, ":", number_); }

bool LineReader::IsReady() const {
  if (descriptor_ < 0 || ended_ || buffer_.find('\n', start_) != std::string::npos) return true;
  pollfd wanted{descriptor_, POLLIN, 0};
  return ::poll(&wanted, 1, /*timeout=*/0) != 0;
}

void LineReader::Skip(size_t bytes) {
  start_ += bytes;
  consumed_ += bytes;
}

Status LineReader::Fill() {
  buffer_.erase(0, start_);
  start_ = 0;
  if (descriptor_ < 0) {
    const size_t step = std::min(kStepBytes, text_.size());
    buffer_.append(text_.substr(0, step));
    text_.remove_prefix(step);
    ended_ = step == 0;
    return OkStatus();
  }
  const size_t size = buffer_.size();
  buffer_.resize(size + kStepBytes);
  ssize_t got = -1;
  int error = EINTR;
  while (got < 0 && error == EINTR && (cancel_ == nullptr || !*cancel_)) {
    got = ::read(descriptor_, buffer_.data() + size, kStepBytes);
    error = errno;
  }
  buffer_.resize(size + static_cast<size_t>(std::max<ssize_t>(got, 0)));
  if (got < 0 && error == EINTR) return Cancelled();
  if (got < 0) {
    return IoError(Concat(name_, ": cannot read: ", std::generic_category().message(error)));
  }
  ended_ = got == 0;
  return OkStatus();
}

Result<bool> LineReader::Next(std::string_view* line) {
  *line = {};
  if (!skipping_) has_end_ = false;
  if (consumed_ == 0) {  // the mark, if it is one, is wholly in the buffer
    while (!ended_ && buffer_.size() < kByteOrderMark.size()) PODIUM_RETURN_IF_ERROR(Fill());
    if (std::string_view(buffer_).starts_with(kByteOrderMark)) Skip(kByteOrderMark.size());
  }
  size_t looked = 0;  // unread bytes without a line end
  while (true) {
    const size_t end = buffer_.find('\n', start_ + looked);
    const bool found = end != std::string::npos;
    const size_t length = (found ? end : buffer_.size()) - start_;
    if (skipping_) {
      Skip(length + (found ? 1 : 0));
      if (found) skipping_ = false;
      if (!found && ended_) return false;
      if (!found) PODIUM_RETURN_IF_ERROR(Fill());
      continue;
    }
    if (length > limits_.line_bytes_max) {
      ++number_;
      skipping_ = true;
      return ResourceExhausted(
          Concat(Where(), ": line longer than ", limits_.line_bytes_max, " bytes"));
    }
    if (found || (ended_ && length > 0)) {
      ++number_;
      has_end_ = found;
      *line = std::string_view(buffer_).substr(start_, length);
      if (line->ends_with('\r')) line->remove_suffix(1);
      Skip(length + (found ? 1 : 0));
      return true;
    }
    if (ended_) return false;
    looked = length;
    PODIUM_RETURN_IF_ERROR(Fill());
  }
}

}  // namespace podium
