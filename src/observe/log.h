// One line an event, as text or as JSON.
#ifndef PODIUM_OBSERVE_LOG_H_
#define PODIUM_OBSERVE_LOG_H_

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "base/status.h"

namespace podium {

enum class LogLevel : uint8_t { kDebug, kInfo, kWarning, kError, kOff };
enum class LogFormat : uint8_t { kText, kJson };

struct LogOptions {
  std::string file;  // "" for standard error
  LogFormat format = LogFormat::kText;
  LogLevel level = LogLevel::kInfo;
};

/// Lines that wait for the log's thread; when writing is slower than that the oldest are dropped.
constexpr int kLogLinesMax = 8192;

/// Where lines cannot be written the end is not held up for longer.
constexpr std::chrono::seconds kLogCloseMax{2};

class Log {
 public:
  struct Field {
    std::string_view key;
    std::variant<std::string_view, int64_t, double> value;
  };

  /// kIo when the file cannot be written.
  static Result<std::unique_ptr<Log>> Open(const LogOptions& options);
  /// Writes what waits, for kLogCloseMax at most.
  ~Log();

  /// Never blocks on the disk and never fails: a line that cannot be written is counted. Strings
  /// may hold anything; what ends a line, steers a terminal or turns the order of text is escaped.
  /// Strings that are empty are left out.
  void Write(LogLevel level, std::string_view event, std::initializer_list<Field> fields);
  void set_level(LogLevel level);
  bool Wants(LogLevel level) const;
  uint64_t lines_dropped() const;

 private:
  struct Writer;
  explicit Log(std::unique_ptr<Writer> writer);
  std::unique_ptr<Writer> writer_;
};

/// A line as Write has it, without its end; for tests.
std::string FormatLogLine(LogFormat format, int64_t unix_ms, LogLevel level, std::string_view event,
                          std::initializer_list<Log::Field> fields);

/// "debug", "info", "warning", "error", "off".
Result<LogLevel> ParseLogLevel(std::string_view name);
const char* LogLevelName(LogLevel level);

}  // namespace podium

#endif  // PODIUM_OBSERVE_LOG_H_
