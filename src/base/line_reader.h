// A file, pipe or standard input, line by line, in bounded memory.
#ifndef PODIUM_BASE_LINE_READER_H_
#define PODIUM_BASE_LINE_READER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace podium {

/// Lines end with "\n" or "\r\n"; what follows the last end is a line unless it is empty. A byte
/// order mark at the start is dropped. One thread at a time; movable.
class LineReader {
 public:
  struct Limits {
    size_t line_bytes_max = size_t{64} << 20;
  };

  /// "-" is standard input. Pipes are fine, folders are not. kNotFound or kIo name the path;
  /// kCancelled when `cancel` (may be null) is set while waiting for a pipe.
  static Result<LineReader> Open(const std::string& path, const Limits& limits,
                                 const std::atomic<bool>* cancel = nullptr);
  static Result<LineReader> Open(const std::string& path) { return Open(path, Limits()); }
  /// Lines of a text that outlives the reader.
  static LineReader OfText(std::string_view text, std::string name, const Limits& limits);

  LineReader(LineReader&& other) noexcept;
  LineReader& operator=(LineReader&&) = delete;
  ~LineReader();

  /// The next line without its end, valid until the next call; false after the last one.
  /// kResourceExhausted for a line over the limit: the next call goes on behind it. kIo and
  /// kCancelled come again on the next call.
  Result<bool> Next(std::string_view* line);

  /// Whether Next() has something without waiting for whoever writes into a pipe.
  bool IsReady() const;

  /// Of the line that Next() gave, or refused, last; counts from 1.
  size_t number() const { return number_; }
  /// Whether that line had its end, which the last one of a file may lack.
  bool has_end() const { return has_end_; }
  /// Bytes of the input up to and with that line's end.
  uint64_t bytes_read() const { return consumed_; }
  /// The path, or "standard input".
  const std::string& name() const { return name_; }
  /// "file.tsv:12", for messages.
  std::string Where() const;
  /// Size of a regular file when it was opened; 0 when unknown.
  uint64_t size() const { return size_; }

 private:
  LineReader(int descriptor, std::string name, const Limits& limits,
             const std::atomic<bool>* cancel)
      : descriptor_(descriptor), name_(std::move(name)), limits_(limits), cancel_(cancel) {}
  /// More bytes behind what is unread; at the input's end sets ended_.
  Status Fill();
  void Skip(size_t bytes);

  int descriptor_;  // -1 for a text
  std::string name_;
  Limits limits_;
  const std::atomic<bool>* cancel_;
  std::string buffer_;  // bytes read; unread ones start at start_
  size_t start_ = 0;
  std::string_view text_;  // what a text's reader has not put into the buffer
  bool ended_ = false;     // nothing comes after the buffer
  bool skipping_ = false;  // inside a line over the limit
  bool has_end_ = false;
  size_t number_ = 0;
  uint64_t consumed_ = 0;
  uint64_t size_ = 0;
};

}  // namespace podium

#endif  // PODIUM_BASE_LINE_READER_H_
