#include "net/http.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "api/error.h"
#include "base/concat.h"

namespace podium {
namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool EqualIgnoringCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return Lower(x) == Lower(y); });
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = Lower(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// The byte of the "%41" that the text begins with; -1 where it does not.
int EscapedByte(std::string_view text) {
  if (text.size() < 3 || text[0] != '%') return -1;
  const int high = HexDigit(text[1]);
  const int low = HexDigit(text[2]);
  return high < 0 || low < 0 ? -1 : 16 * high + low;
}

// RFC 3986, 2.3.
bool IsUnreserved(int byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
         (byte >= '0' && byte <= '9') || byte == '-' || byte == '.' || byte == '_' || byte == '~';
}

}  // namespace

std::string_view HttpRequest::Header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (EqualIgnoringCase(key, name)) return value;
  }
  return {};
}

std::optional<std::string> HttpRequest::Coding(std::string_view name) const {
  std::optional<std::string> joined;
  for (const auto& [each, value] : headers) {
    if (!EqualIgnoringCase(each, name)) continue;
    joined = joined ? Concat(*joined, ", ", value) : value;
  }
  if (joined) std::transform(joined->begin(), joined->end(), joined->begin(), Lower);
  return joined;
}

std::vector<std::string> HttpRequest::QueryValues(std::string_view name) const {
  std::vector<std::string> values;
  std::string_view rest = query;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('&'), rest.size());
    const std::string_view part = rest.substr(0, end);
    const size_t equals = std::min(part.find('='), part.size());
    if (DecodePercent(part.substr(0, equals)) == name) {
      std::string value(part.substr(std::min(equals + 1, part.size())));
      std::replace(value.begin(), value.end(), '+', ' ');
      values.push_back(DecodePercent(value));
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return values;
}

std::string HttpRequest::QueryValue(std::string_view name) const {
  std::vector<std::string> values = QueryValues(name);
  return values.empty() ? std::string() : std::move(values.front());
}

void HttpRequest::SplitTarget() {
  std::string_view whole = target;
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!EqualIgnoringCase(whole.substr(0, scheme.size()), scheme)) continue;
    const size_t host_end = whole.find_first_of("/?", scheme.size());
    whole.remove_prefix(std::min(host_end, whole.size()));
    break;
  }
  const size_t mark = std::min(whole.find('?'), whole.size());
  query = whole.substr(std::min(mark + 1, whole.size()));
  path.clear();
  for (size_t i = 0; i < mark; ++i) {
    char c = whole[i];
    if (const int byte = EscapedByte(whole.substr(i, mark - i)); IsUnreserved(byte)) {
      c = static_cast<char>(byte);
      i += 2;
    }
    if (c != '/' || path.empty() || path.back() != '/') path += c;
  }
  if (path.size() > 1 && path.back() == '/') path.pop_back();
  if (path.empty() && !target.empty()) path = "/";
}

std::string DecodePercent(std::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    const int byte = EscapedByte(text.substr(i));
    decoded += byte < 0 ? text[i] : static_cast<char>(byte);
    if (byte >= 0) i += 2;
  }
  return decoded;
}

void HttpRequest::AddLines(std::string_view bytes) {
  bool at_start = method.empty();
  for (size_t end = 0; (end = bytes.find('\n')) != std::string_view::npos && end > 0;) {
    std::string_view line = bytes.substr(0, end);
    bytes.remove_prefix(end + 1);
    if (line.back() == '\r') line.remove_suffix(1);
    if (line.empty()) return;
    if (std::exchange(at_start, false)) {
      if (const size_t space = line.find(' '); space != std::string_view::npos) {
        method = line.substr(0, space);
        target = line.substr(space + 1);
        target.resize(std::min(target.find(' '), target.size()));
      }
    } else if (const size_t colon = line.find(':'); colon != std::string_view::npos) {
      const std::string_view value = line.substr(colon + 1);
      const size_t first = std::min(value.find_first_not_of(" \t"), value.size());
      const size_t last = value.find_last_not_of(" \t");
      headers.emplace_back(line.substr(0, colon), value.substr(first, last + 1 - first));
    }
  }
}

std::optional<std::string> WrongFraming(const HttpRequest& head, bool http10) {
  const auto coding = head.Coding("Transfer-Encoding");
  if (!coding) return std::nullopt;
  if (*coding != "chunked") {
    return "Transfer-Encoding: got something else than \"chunked\" alone, which is what is allowed";
  }
  if (head.Coding("Content-Length")) return "Transfer-Encoding: got also a Content-Length";
  if (http10) return "Transfer-Encoding: it is none of HTTP/1.0";
  return std::nullopt;
}

std::optional<int64_t> ReadCount(std::string_view text) {
  int64_t count = 0;
  const char* const end = text.data() + text.size();
  if (text.empty() || text.front() == '-') return std::nullopt;
  const auto read = std::from_chars(text.data(), end, count);
  if (read.ptr != end || read.ec == std::errc::invalid_argument) return std::nullopt;
  return read.ec == std::errc() ? count : std::numeric_limits<int64_t>::max();
}

void HttpReply::RetryAfter(int64_t ms) {
  headers.emplace_back("Retry-After", Concat((ms + 999) / 1000));
  headers.emplace_back("retry-after-ms", Concat(ms));
}

HttpReply::HttpReply(const Status& failure)
    : status(500),
      body(api::EncodeError({api::ErrorKind::kInternal, 500, failure.message()}, "")) {}

}  // namespace podium
