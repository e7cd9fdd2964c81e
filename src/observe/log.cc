#include "observe/log.h"

#include <fcntl.h>
#include <pthread.h>
#include <spdlog/async.h>
#include <spdlog/sinks/base_sink.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <exception>
#include <future>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "base/concat.h"
#include "base/file.h"
#include "json/writer.h"

namespace podium {
namespace {

// Writes to a descriptor. Not through stdio: a thread that waits for a pipe there holds the lock of
// stderr, which the end of the process wants.
class DescriptorSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit DescriptorSink(FileDescriptor descriptor) : descriptor_(std::move(descriptor)) {}

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    for (size_t done = 0; done < line.size();) {
      const ssize_t written = ::write(descriptor_.get(), line.data() + done, line.size() - done);
      if (written < 0 && errno != EINTR) spdlog::throw_spdlog_ex("cannot write the log", errno);
      if (written > 0) done += static_cast<size_t>(written);
    }
  }
  void flush_() override {}

 private:
  const FileDescriptor descriptor_;
};

// The file, or a descriptor of standard error that is ours to close.
Result<FileDescriptor> OpenTarget(const std::string& file) {
  constexpr int kMode = 0644;
  const int descriptor =
      file.empty() ? ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)
                   : ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, kMode);
  if (descriptor < 0) {
    return IoError(Concat("log: cannot open ", file.empty() ? "standard error" : file, ": ",
                          std::generic_category().message(errno)));
  }
  return FileDescriptor(descriptor);
}

std::string Time(int64_t unix_ms) {
  const std::time_t seconds = unix_ms / 1000;
  std::tm parts = {};
  gmtime_r(&seconds, &parts);
  char text[32];
  const size_t size = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  char milliseconds[8];
  std::snprintf(milliseconds, sizeof milliseconds, ".%03dZ", static_cast<int>(unix_ms % 1000));
  return std::string(text, size) + milliseconds;
}

bool IsPlain(std::string_view text) {
  return !text.empty() && text.find_first_not_of(
                              "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                              "_-./:+*%@,;()[]") == std::string_view::npos;
}

bool IsEmpty(const Log::Field& field) {
  const auto* const text = std::get_if<std::string_view>(&field.value);
  return text != nullptr && text->empty();
}

// Three decimals are enough for milliseconds.
std::string Decimal(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.3f", value);
  return text;
}

std::string TextLine(int64_t unix_ms, LogLevel level, std::string_view event,
                     std::initializer_list<Log::Field> fields) {
  std::string line = Concat(Time(unix_ms), ' ', LogLevelName(level), ' ', event);
  for (const Log::Field& field : fields) {
    if (IsEmpty(field)) continue;
    line.append(1, ' ').append(field.key).append(1, '=');
    if (const auto* const text = std::get_if<std::string_view>(&field.value)) {
      if (IsPlain(*text)) {
        line += *text;
      } else {
        json::Writer(line).String(*text);
      }
    } else if (const auto* const integer = std::get_if<int64_t>(&field.value)) {
      line += Concat(*integer);
    } else {
      line += Decimal(std::get<double>(field.value));
    }
  }
  return line;
}

std::string JsonLine(int64_t unix_ms, LogLevel level, std::string_view event,
                     std::initializer_list<Log::Field> fields) {
  std::string line;
  json::Writer writer(line);
  writer.BeginObject();
  writer.Key("time");
  writer.String(Time(unix_ms));
  writer.Key("level");
  writer.String(LogLevelName(level));
  writer.Key("event");
  writer.String(event);
  for (const Log::Field& field : fields) {
    if (IsEmpty(field)) continue;
    writer.Key(field.key);
    if (const auto* const text = std::get_if<std::string_view>(&field.value)) {
      writer.String(*text);
    } else if (const auto* const integer = std::get_if<int64_t>(&field.value)) {
      writer.Int(*integer);
    } else {
      writer.Double(std::get<double>(field.value));
    }
  }
  writer.EndObject();
  return line;
}

// Escapes what the JSON writer leaves as it is, because JSON may have it, but what ends a line,
// steers a terminal or turns the order of what is shown: DEL and the C1 controls, the separators of
// lines and paragraphs, and all that Unicode calls Bidi_Control. `line` is valid UTF-8 that has
// such characters inside quoted strings only; none takes more than three bytes.
std::string WithoutHiddenControls(const std::string& line) {
  const auto is_hidden = [](unsigned c) {
    return (c >= 0x7F && c <= 0x9F) || c == 0x061C || c == 0x200E || c == 0x200F ||
           (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
  };
  std::string escaped;
  escaped.reserve(line.size());
  for (size_t at = 0; at < line.size();) {
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(line[at + i]); };
    const size_t whole = byte(0) < 0x80 ? 1 : byte(0) < 0xE0 ? 2 : byte(0) < 0xF0 ? 3 : 4;
    const size_t size = std::min(whole, line.size() - at);
    unsigned c = byte(0);
    if (size == 2) c = (c & 0x1F) << 6 | (byte(1) & 0x3F);
    if (size == 3) c = (c & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
    if (size < 4 && is_hidden(c)) {
      char text[8];
      std::snprintf(text, sizeof text, "\\u%04x", c);
      escaped += text;
    } else {
      escaped.append(line, at, size);
    }
    at += size;
  }
  return escaped;
}

}  // namespace

std::string FormatLogLine(LogFormat format, int64_t unix_ms, LogLevel level, std::string_view event,
                          std::initializer_list<Log::Field> fields) {
  return WithoutHiddenControls(format == LogFormat::kJson
                                   ? JsonLine(unix_ms, level, event, fields)
                                   : TextLine(unix_ms, level, event, fields));
}

struct Log::Writer {
  LogFormat format;
  std::atomic<LogLevel> level;
  std::atomic<uint64_t> failed{0};
  std::shared_ptr<spdlog::details::thread_pool> pool;
  std::shared_ptr<spdlog::async_logger> logger;
};

Log::Log(std::unique_ptr<Writer> writer) : writer_(std::move(writer)) {}

Log::~Log() {
  writer_->logger->flush();
  writer_->logger.reset();
  // The pool waits for its thread, which may wait for ever, as for a pipe that nobody reads.
  const auto closed = std::make_shared<std::promise<void>>();
  std::thread closing([pool = std::move(writer_->pool), closed]() mutable {
    pool.reset();
    closed->set_value();
  });
  if (closed->get_future().wait_for(kLogCloseMax) == std::future_status::ready) {
    closing.join();
  } else {
    closing.detach();
    // Its thread may still count there.
    [[maybe_unused]] Writer* const left = writer_.release();
  }
}

Result<std::unique_ptr<Log>> Log::Open(const LogOptions& options) {
  auto writer = std::make_unique<Writer>();
  writer->format = options.format;
  writer->level = options.level;
  PODIUM_ASSIGN_OR_RETURN(FileDescriptor target, OpenTarget(options.file));
  try {
    auto sink = std::make_shared<DescriptorSink>(std::move(target));
    writer->pool = std::make_shared<spdlog::details::thread_pool>(
        kLogLinesMax, 1, [] { pthread_setname_np(pthread_self(), "podium-log"); });
    writer->logger = std::make_shared<spdlog::async_logger>(
        "podium", std::move(sink), writer->pool, spdlog::async_overflow_policy::overrun_oldest);
    writer->logger->set_pattern("%v");
    writer->logger->set_level(spdlog::level::trace);
    writer->logger->flush_on(spdlog::level::trace);
    writer->logger->set_error_handler([counts = writer.get()](const std::string&) {
      counts->failed.fetch_add(1, std::memory_order_relaxed);
    });
  } catch (const std::exception& error) {
    return IoError(Concat("log: ", error.what()));
  }
  return std::unique_ptr<Log>(new Log(std::move(writer)));
}

void Log::Write(LogLevel level, std::string_view event, std::initializer_list<Field> fields) {
  if (!Wants(level)) return;
  const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(
                       std::chrono::system_clock::now().time_since_epoch())
                       .count();
  try {
    writer_->logger->info(
        spdlog::string_view_t(FormatLogLine(writer_->format, now, level, event, fields)));
  } catch (const std::exception&) {
    writer_->failed.fetch_add(1, std::memory_order_relaxed);
  }
}

void Log::set_level(LogLevel level) { writer_->level.store(level, std::memory_order_relaxed); }

bool Log::Wants(LogLevel level) const {
  return level >= writer_->level.load(std::memory_order_relaxed);
}

uint64_t Log::lines_dropped() const {
  return writer_->failed.load(std::memory_order_relaxed) + writer_->pool->overrun_counter();
}

Result<LogLevel> ParseLogLevel(std::string_view name) {
  for (const LogLevel level :
       {LogLevel::kDebug, LogLevel::kInfo, LogLevel::kWarning, LogLevel::kError, LogLevel::kOff}) {
    if (name == LogLevelName(level)) return level;
  }
  return InvalidArgument(Concat("got \"", name, "\", allowed: debug, info, warning, error, off"));
}

const char* LogLevelName(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "debug";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarning:
      return "warning";
    case LogLevel::kError:
      return "error";
    case LogLevel::kOff:
      return "off";
  }
  return "off";
}

}  // namespace podium
