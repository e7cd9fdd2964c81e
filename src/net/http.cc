#include "net/http.h"

#include <algorithm>

#include "api/error.h"
#include "base/concat.h"

namespace podium {
namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool EqualIgnoringCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return Lower(x) == Lower(y); });
}

}  // namespace

std::string_view HttpRequest::Header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (EqualIgnoringCase(key, name)) return value;
  }
  return {};
}

std::string_view HttpRequest::QueryValue(std::string_view name) const {
  std::string_view rest = query;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('&'), rest.size());
    const std::string_view part = rest.substr(0, end);
    const size_t equals = std::min(part.find('='), part.size());
    if (part.substr(0, equals) == name) return part.substr(std::min(equals + 1, part.size()));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return {};
}

void HttpRequest::SplitTarget() {
  const size_t mark = std::min(target.find('?'), target.size());
  query = target.substr(std::min(mark + 1, target.size()));
  path.clear();
  for (size_t i = 0; i < mark; ++i) {
    if (target[i] != '/' || path.empty() || path.back() != '/') path += target[i];
  }
  if (path.size() > 1 && path.back() == '/') path.pop_back();
}

void HttpReply::RetryAfter(int64_t ms) {
  headers.emplace_back("Retry-After", Concat((ms + 999) / 1000));
  headers.emplace_back("retry-after-ms", Concat(ms));
}

HttpReply::HttpReply(const Status& failure)
    : status(500),
      body(api::EncodeError({api::ErrorKind::kInternal, 500, failure.message()}, "")) {}

}  // namespace podium
