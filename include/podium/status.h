// Errors as values. Nothing in the library's interface throws.
#ifndef PODIUM_STATUS_H_
#define PODIUM_STATUS_H_

#include <optional>
#include <string>
#include <utility>

#include "podium/version.h"

namespace podium {

enum class StatusCode {
  kOk = 0,
  kInvalidArgument,  // the caller's input is wrong: an option, a query, a batch
  kNotFound,         // a file or a model is not where it was looked for
  kUnsupported,  // a valid file asks for something that Podium does not do; named in the message
  kCorrupt,      // a file's bytes contradict its own format
  kResourceExhausted,  // a named limit is reached
  kDeadlineExceeded,   // the deadline passed before the result was ready
  kCancelled,          // the caller cancelled
  kIo,                 // the operating system refused a read or a write
  kInternal,           // a fault of ours or of the model (e.g. a NaN score)
};

/// "invalid argument", "not found", …
PODIUM_EXPORT const char* StatusCodeName(StatusCode code);

/// Success, or a code and a message that says what, where, got, allowed.
class [[nodiscard]] PODIUM_EXPORT Status {
 public:
  Status() = default;
  Status(StatusCode code, std::string message) : code_(code), message_(std::move(message)) {}

  bool ok() const { return code_ == StatusCode::kOk; }
  StatusCode code() const { return code_; }
  const std::string& message() const { return message_; }
  /// "not found: /models/x/config.json: no such file"
  std::string ToString() const;

 private:
  StatusCode code_ = StatusCode::kOk;
  std::string message_;
};

/// A value or the Status that says why there is none.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}          // NOLINT(google-explicit-constructor)
  Result(Status status) : status_(std::move(status)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return value_.has_value(); }
  const Status& status() const { return status_; }
  T& value() & { return *value_; }
  const T& value() const& { return *value_; }
  T&& value() && { return *std::move(value_); }
  T& operator*() & { return *value_; }
  const T& operator*() const& { return *value_; }
  T&& operator*() && { return *std::move(value_); }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }

 private:
  std::optional<T> value_;
  Status status_;
};

}  // namespace podium

#endif  // PODIUM_STATUS_H_
