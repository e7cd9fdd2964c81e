#include "json/scan.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>

#include "base/utf8.h"

namespace podium::json {
namespace {

bool IsDigit(unsigned char byte) { return byte >= '0' && byte <= '9'; }

int HexDigit(unsigned char byte) {
  if (IsDigit(byte)) return byte - '0';
  if (byte >= 'a' && byte <= 'f') return byte - 'a' + 10;
  if (byte >= 'A' && byte <= 'F') return byte - 'A' + 10;
  return -1;
}

class Scanner {
 public:
  Scanner(std::string_view text, int depth_max) : text_(text), depth_max_(depth_max) {}

  Scan Run() {
    if (text_.starts_with("\xEF\xBB\xBF")) {
      Fail("a byte order mark is not JSON");
    } else if (Values()) {
      SkipSpace();
      if (at_ != text_.size()) Fail("more text after the value");
    }
    return std::move(scan_);
  }

 private:
  enum class Next { kValue, kValueOrEnd, kKey, kKeyOrEnd, kCommaOrEnd };

  unsigned char Peek() const {
    return at_ < text_.size() ? static_cast<unsigned char>(text_[at_]) : '\0';
  }
  bool Take(char wanted) {
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  void SkipSpace() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r')) {
      ++at_;
    }
  }
  bool Fail(const char* reason) {
    scan_.verdict = Scan::Verdict::kInvalid;
    scan_.offset = at_;
    scan_.reason = at_ < text_.size() ? reason : "the text ends too early";
    return false;
  }

  // One whole value. Open containers are a stack of closing brackets, so depth costs no call stack.
  bool Values() {
    std::vector<char> open;
    Next next = Next::kValue;
    while (true) {
      SkipSpace();
      if (next == Next::kCommaOrEnd) {
        if (open.empty()) return true;
        if (Take(open.back())) {
          open.pop_back();
          continue;
        }
        if (!Take(',')) {
          return Fail(open.back() == '}' ? "expected ',' or '}'" : "expected ',' or ']'");
        }
        next = open.back() == '}' ? Next::kKey : Next::kValue;
        continue;
      }
      if ((next == Next::kValueOrEnd || next == Next::kKeyOrEnd) && Take(open.back())) {
        open.pop_back();
        next = Next::kCommaOrEnd;
        continue;
      }
      if (next == Next::kKey || next == Next::kKeyOrEnd) {
        if (Peek() != '"') return Fail("expected a key in double quotes");
        if (!String()) return false;
        SkipSpace();
        if (!Take(':')) return Fail("expected ':'");
        SkipSpace();
      }
      const char start = static_cast<char>(Peek());
      if (start == '{' || start == '[') {
        if (static_cast<int>(open.size()) >= depth_max_) {
          Fail("nested too deep");
          scan_.verdict = Scan::Verdict::kTooDeep;
          return false;
        }
        ++at_;
        open.push_back(start == '{' ? '}' : ']');
        next = start == '{' ? Next::kKeyOrEnd : Next::kValueOrEnd;
        continue;
      }
      if (!Scalar()) return false;
      next = Next::kCommaOrEnd;
    }
  }

  bool Scalar() {
    const unsigned char start = Peek();
    if (start == '"') return String();
    if (start == '-' || IsDigit(start)) return Number();
    for (const std::string_view word : {"true", "false", "null"}) {
      if (text_.substr(at_, word.size()) == word) {
        at_ += word.size();
        return true;
      }
    }
    return Fail("expected a value");
  }

  bool String() {
    ++at_;
    while (at_ < text_.size()) {
      const unsigned char byte = Peek();
      if (byte == '"') {
        ++at_;
        return true;
      }
      if (byte < 0x20) return Fail("a control character in a string must be escaped");
      if (byte == '\\') {
        if (!Escape()) return false;
        continue;
      }
      const Utf8Char next = DecodeUtf8(text_.substr(at_));
      if (!next.valid) return Fail("invalid UTF-8");
      at_ += static_cast<size_t>(next.bytes);
    }
    return Fail("a string without its end");
  }

  bool Escape() {
    const size_t start = at_++;
    const unsigned char kind = Peek();
    if (kind != 'u') {
      if (kind == '\0' ||
          std::string_view("\"\\/bfnrt").find(static_cast<char>(kind)) == std::string_view::npos) {
        at_ = start;
        return Fail("unknown escape");
      }
      ++at_;
      return true;
    }
    const int first = Hex4();
    if (first >= 0xD800 && first <= 0xDBFF && Peek() == '\\') {
      ++at_;
      const int second = Peek() == 'u' ? Hex4() : -1;
      if (second >= 0xDC00 && second <= 0xDFFF) return true;
    } else if (first >= 0 && (first < 0xD800 || first > 0xDFFF)) {
      return true;
    }
    at_ = start;
    return Fail(first < 0 ? "\\u needs four hexadecimal digits"
                          : "half of a surrogate pair stands for no character");
  }

  // The four digits after the 'u' under the cursor; -1 when they are not there.
  int Hex4() {
    int code = 0;
    for (size_t i = 1; i <= 4; ++i) {
      const int digit =
          at_ + i < text_.size() ? HexDigit(static_cast<unsigned char>(text_[at_ + i])) : -1;
      if (digit < 0) return -1;
      code = code * 16 + digit;
    }
    at_ += 5;
    return code;
  }

  bool Number() {
    const size_t start = at_;
    Take('-');
    if (!IsDigit(Peek())) return Fail("expected a digit");
    if (Take('0')) {
      if (IsDigit(Peek())) return Fail("a number must not start with 0");
    } else {
      SkipDigits();
    }
    bool integer = true;
    if (Take('.')) {
      integer = false;
      if (!IsDigit(Peek())) return Fail("expected a digit");
      SkipDigits();
    }
    if (Take('e') || Take('E')) {
      integer = false;
      if (!Take('+')) Take('-');
      if (!IsDigit(Peek())) return Fail("expected a digit");
      SkipDigits();
    }
    const std::string_view number = text_.substr(start, at_ - start);
    if (TooLarge(number)) {
      at_ = start;
      return Fail("the number is beyond the range of a double");
    }
    if (integer && !FitsInteger(number)) scan_.wide_integer_ends.push_back(at_);
    return true;
  }
  void SkipDigits() {
    while (IsDigit(Peek())) ++at_;
  }

  static bool FitsInteger(std::string_view number) {
    const char* end = number.data() + number.size();
    int64_t narrow = 0;
    uint64_t wide = 0;
    return std::from_chars(number.data(), end, narrow).ec == std::errc() ||
           std::from_chars(number.data(), end, wide).ec == std::errc();
  }

  // from_chars says "out of range" for huge and for tiny alike; tiny is fine and reads as 0. They
  // are told apart by where the first digit that is not 0 stands.
  static bool TooLarge(std::string_view number) {
    double value = 0;
    const char* end = number.data() + number.size();
    if (std::from_chars(number.data(), end, value).ec == std::errc()) return false;
    const size_t e = std::min(number.find_first_of("eE"), number.size());
    const size_t point = std::min(number.substr(0, e).find('.'), e);
    const size_t first = number.find_first_of("123456789");
    if (first >= e) return false;
    int64_t magnitude = static_cast<int64_t>(point) - static_cast<int64_t>(first);
    if (e < number.size()) {
      const bool minus = number[e + 1] == '-';
      const char* digits = number.data() + e + (number[e + 1] == '+' ? 2 : 1);
      int64_t exponent = 0;
      if (std::from_chars(digits, end, exponent).ec != std::errc()) return !minus;
      if (exponent > INT32_MAX || exponent < INT32_MIN) return !minus;
      magnitude += exponent;
    }
    return magnitude > 0;
  }

  std::string_view text_;
  int depth_max_;
  size_t at_ = 0;
  Scan scan_;
};

}  // namespace

Scan ScanJson(std::string_view text, int depth_max) { return Scanner(text, depth_max).Run(); }

}  // namespace podium::json
