#include "json/writer.h"

#include <charconv>
#include <cmath>

namespace podium::json {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// Length of the UTF-8 sequence at the front of `text`; `valid` says whether it is whole. A broken
// one is as long as its valid beginning, at least 1: one U+FFFD per maximal subpart, as Python.
size_t TakeSequence(std::string_view text, bool& valid) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  size_t length = 0;
  unsigned low = 0x80, high = 0xBF;  // what the second byte may be
  valid = true;
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
  }
  size_t have = 1;
  while (have < length && have < text.size() && byte(have) >= low && byte(have) <= high) {
    ++have;
    low = 0x80;
    high = 0xBF;
  }
  valid = have == length;
  return have;
}

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
    bool valid = true;
    const size_t length = byte < 0x80 ? 1 : TakeSequence(text.substr(at), valid);
    if (valid && byte >= 0x20 && byte != '"' && byte != '\\') {
      at += length;
      continue;
    }
    out.append(text.substr(plain, at - plain));
    if (valid) {
      AppendEscaped(out, text[at]);
    } else {
      out.append(kReplacement);
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

void Writer::Bool(bool value) {
  Separate();
  out_ += value ? "true" : "false";
}

void Writer::Null() {
  Separate();
  out_ += "null";
}

}  // namespace podium::json
