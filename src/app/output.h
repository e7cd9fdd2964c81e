// Standard output as the commands use it: buffered, write errors kept, a closed pipe no error.
#ifndef PODIUM_APP_OUTPUT_H_
#define PODIUM_APP_OUTPUT_H_

#include <string>
#include <string_view>

#include "base/status.h"

namespace podium {

/// Writes to a file descriptor. Not thread-safe.
class Output {
 public:
  /// `name` is what messages call it.
  explicit Output(int descriptor, std::string name = "standard output");

  void Write(std::string_view text);
  /// Hands on what was written so far.
  void Flush();
  /// What is left, and the first error of all writes. A reader that went away is no error: it has
  /// what it wanted. After it, and after any error, writes do nothing.
  Status Finish();

  /// Whether the reader went away, or a write failed: nothing that is written goes anywhere.
  bool is_closed() const { return closed_ || !status_.ok(); }
  bool is_terminal() const { return is_terminal_; }
  /// Colours and bold: on a terminal, unless NO_COLOR is set or TERM is dumb.
  bool has_style() const { return has_style_; }
  /// Columns of the terminal, or COLUMNS, or 100.
  int columns() const;

 private:
  const int descriptor_;
  const std::string name_;
  bool is_terminal_ = false;
  bool has_style_ = false;
  bool closed_ = false;
  std::string buffer_;
  Status status_;
};

/// A file with this text; an old one is replaced. kIo names the path.
Status WriteTextFile(const std::string& path, std::string_view text);

}  // namespace podium

#endif  // PODIUM_APP_OUTPUT_H_
