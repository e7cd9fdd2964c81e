// The one JSON writer: appends to a string, commas and escapes taken care of.
#ifndef PODIUM_JSON_WRITER_H_
#define PODIUM_JSON_WRITER_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "json/json.h"

namespace podium::json {

/// Writer w(out); w.BeginObject(); w.Key("index"); w.Int(3); w.EndObject();
/// Output is always valid UTF-8 JSON: invalid bytes in a string are written as U+FFFD.
class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}
  void BeginObject();
  void EndObject();
  void BeginArray();
  void EndArray();
  void Key(std::string_view key);
  void String(std::string_view text);
  void Int(int64_t number);
  /// Shortest text that reads back as the same value; NaN and infinities are null.
  void Float(float number);
  void Double(double number);
  /// As Float, but always with a point or an exponent: "1.0". Readers that tell integers from
  /// numbers by that (Java's, Go's) then see one type.
  void FloatWithPoint(float number);
  void Bool(bool value);
  void Null();
  /// A value as it was read.
  void Copy(Value value);

 private:
  void Separate();
  std::string& out_;
  bool first_ = true;  // next value needs no comma
  bool after_key_ = false;
};

}  // namespace podium::json

#endif  // PODIUM_JSON_WRITER_H_
