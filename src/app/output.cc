#include "app/output.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/concat.h"

namespace podium {
namespace {
constexpr size_t kBufferBytes = size_t{64} << 10;
}  // namespace

Output::Output(int descriptor, std::string name) : descriptor_(descriptor), name_(std::move(name)) {
  is_terminal_ = isatty(descriptor) == 1;
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  has_style_ = is_terminal_ && (no_color == nullptr || *no_color == '\0') &&
               (term == nullptr || std::strcmp(term, "dumb") != 0);
}

void Output::Write(std::string_view text) {
  buffer_.append(text);
  if (buffer_.size() >= kBufferBytes) Flush();
}

Status Output::Finish() {
  Flush();
  return status_;
}

int Output::columns() const {
  constexpr int kDefault = 100;
  constexpr int kMax = 1000;
  winsize size{};
  int columns = 0;
  if (is_terminal_ && ioctl(descriptor_, TIOCGWINSZ, &size) == 0) columns = size.ws_col;
  if (columns == 0) {
    if (const char* text = std::getenv("COLUMNS")) columns = std::atoi(text);
  }
  return columns > 0 ? std::min(columns, kMax) : kDefault;
}

void Output::Flush() {
  std::string_view rest = buffer_;
  while (!rest.empty() && !closed_ && status_.ok()) {
    const ssize_t written = write(descriptor_, rest.data(), rest.size());
    if (written >= 0) {
      rest.remove_prefix(static_cast<size_t>(written));
    } else if (errno == EPIPE) {
      closed_ = true;
    } else if (errno != EINTR) {
      status_ = IoError(Concat(name_, ": ", std::strerror(errno)));
    }
  }
  buffer_.clear();
}

Status WriteTextFile(const std::string& path, std::string_view text) {
  std::FILE* file = std::fopen(path.c_str(), "we");
  bool written = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  int error = errno;
  if (file != nullptr && std::fclose(file) != 0 && written) {
    written = false;
    error = errno;
  }
  return written ? OkStatus() : IoError(Concat(path, ": ", std::strerror(error)));
}

}  // namespace podium
