#include "json/writer.h"

#include <charconv>
#include <cmath>

#include "base/utf8.h"

namespace podium::json {
namespace {

void AppendEscaped(std::string& out, char control) {
  switch (control) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\b':
      out += "\\b";
      return;
    case '\f':
      out += "\\f";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default: {
      constexpr char kHex[] = "0123456789abcdef";
      out += "\\u00";
      out += kHex[(control >> 4) & 15];
      out += kHex[control & 15];
    }
  }
}

void AppendString(std::string& out, std::string_view text) {
  out += '"';
  size_t plain = 0;  // start of what needs no change
  size_t at = 0;
  while (at < text.size()) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const Utf8Char next = DecodeUtf8(text.substr(at));
    const auto length = static_cast<size_t>(next.bytes);
    if (next.valid && byte >= 0x20 && byte != '"' && byte != '\\') {
      at += length;
      continue;
    }
    out.append(text.substr(plain, at - plain));
    if (next.valid) {
      AppendEscaped(out, text[at]);
    } else {
      AppendUtf8(next.code, out);
    }
    at += length;
    plain = at;
  }
  out.append(text.substr(plain));
  out += '"';
}

template <typename T>
void AppendFloat(std::string& out, T number) {
  if (!std::isfinite(number)) {
    out += "null";
    return;
  }
  if (number == 0 && std::signbit(number)) {
    out += "-0.0";  // "-0" would be read back as an integer, without its sign
    return;
  }
  char digits[64];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  out.append(digits, end);
}

}  // namespace

void Writer::Separate() {
  if (after_key_) {
    after_key_ = false;
  } else if (!first_) {
    out_ += ',';
  }
  first_ = false;
}

void Writer::BeginObject() {
  Separate();
  out_ += '{';
  first_ = true;
}

void Writer::EndObject() {
  out_ += '}';
  first_ = false;
}

void Writer::BeginArray() {
  Separate();
  out_ += '[';
  first_ = true;
}

void Writer::EndArray() {
  out_ += ']';
  first_ = false;
}

void Writer::Key(std::string_view key) {
  Separate();
  AppendString(out_, key);
  out_ += ':';
  after_key_ = true;
}

void Writer::String(std::string_view text) {
  Separate();
  AppendString(out_, text);
}

void Writer::Int(int64_t number) {
  Separate();
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  out_.append(digits, end);
}

void Writer::Float(float number) {
  Separate();
  AppendFloat(out_, number);
}

void Writer::Double(double number) {
  Separate();
  AppendFloat(out_, number);
}

void Writer::FloatWithPoint(float number) {
  Separate();
  const size_t start = out_.size();
  AppendFloat(out_, number);
  if (out_.find_first_not_of("-0123456789", start) == std::string::npos) out_ += ".0";
}

void Writer::Copy(Value value) {
  switch (value.type()) {
    case Type::kNull:
      return Null();
    case Type::kBool:
      return Bool(*value.AsBool());
    case Type::kInteger:
      return Int(*value.AsInt());
    case Type::kUnsigned:
    case Type::kDouble:
      return Double(*value.AsDouble());
    case Type::kString:
      return String(*value.AsString());
    case Type::kArray:
      BeginArray();
      value.ForEachElement([&](Value element) {
        Copy(element);
        return true;
      });
      return EndArray();
    case Type::kObject:
      BeginObject();
      value.ForEachMember([&](std::string_view key, Value member) {
        Key(key);
        Copy(member);
        return true;
      });
      return EndObject();
  }
}

void Writer::Bool(bool value) {
  Separate();
  out_ += value ? "true" : "false";
}

void Writer::Null() {
  Separate();
  out_ += "null";
}

}  // namespace podium::json
