// The one JSON reader. The library behind it is seen nowhere else.
//
// json/ may include base/. Pure: no threads, no locks. A Document owns the parsed text; Values are
// views into it and die with it.
#ifndef PODIUM_JSON_JSON_H_
#define PODIUM_JSON_JSON_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/function_ref.h"
#include "base/status.h"

namespace podium::json {

enum class Type { kNull, kBool, kInteger, kUnsigned, kDouble, kString, kArray, kObject };

/// A view of one JSON value; copyable, two words. Valid while its Document lives.
class Value {
 public:
  Type type() const;
  bool is(Type wanted) const { return type() == wanted; }
  bool is_number() const;
  /// "array", "string", … for messages.
  const char* type_name() const;

  /// Typed reads; nullopt when the value is of another type (or an integer does not fit).
  std::optional<bool> AsBool() const;
  std::optional<int64_t> AsInt() const;
  std::optional<double> AsDouble() const;            // any number
  std::optional<std::string_view> AsString() const;  // decoded, UTF-8, may hold NUL

  /// Member of an object; nullopt when absent or when this is no object. Duplicate keys: the last
  /// one counts, as in Python.
  std::optional<Value> Find(std::string_view key) const;
  /// Elements of an array or members of an object; 0 for anything else.
  size_t size() const;
  /// Visits in file order until the callback returns false. Does nothing on other types.
  void ForEachElement(FunctionRef<bool(Value)> visit) const;
  void ForEachMember(FunctionRef<bool(std::string_view key, Value)> visit) const;

 private:
  friend class Document;
  const void* document_ = nullptr;
  size_t index_ = 0;
};

/// A parsed text. Movable.
class Document {
 public:
  struct Limits {
    size_t bytes_max = size_t{256} << 20;
    int depth_max = 64;
  };
  /// Errors are kCorrupt with byte offset and reason, `origin` (a file name, "request body") in
  /// front; kResourceExhausted over a limit. Strict RFC 8259: no comments, no trailing commas,
  /// invalid UTF-8 refused.
  static Result<Document> Parse(std::string_view text, std::string_view origin,
                                const Limits& limits);
  static Result<Document> Parse(std::string_view text, std::string_view origin) {
    return Parse(text, origin, Limits());
  }
  Document(Document&&) noexcept;
  Document& operator=(Document&&) noexcept;
  ~Document();

  /// Valid until KeepTextsOnly().
  Value root() const;
  /// Forgets all but the strings: what AsString() gave stays valid, Values do not. Most of a parsed
  /// text's memory is its structure.
  void KeepTextsOnly();

 private:
  struct Impl;
  explicit Document(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace podium::json

#endif  // PODIUM_JSON_JSON_H_
