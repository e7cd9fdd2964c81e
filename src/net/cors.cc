#include "net/cors.h"

#include <algorithm>

#include "base/concat.h"

namespace podium {
namespace {

// Headers of replies that a page may read besides the few that it always may.
constexpr const char* kExposed =
    "X-Request-Id, Retry-After, retry-after-ms, traceparent, x-compute-type, x-compute-tokens, "
    "x-total-time, x-tokenization-time, x-queue-time, x-inference-time, x-truncated-documents";
// How long a browser may remember the answer to a preflight: the most that Chromium does.
constexpr const char* kMaxAge = "7200";

bool IsHeaderList(std::string_view text) {
  constexpr size_t kLongest = 1024;
  return text.size() <= kLongest && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '-' || c == '_' || c == ',' || c == ' ';
         });
}

}  // namespace

Cors::Cors(const std::vector<std::string>& origins) {
  for (const std::string& origin : origins) {
    if (origin == "*") {
      any_ = true;
    } else {
      origins_.push_back(origin);
    }
  }
}

Status Cors::CheckOrigin(std::string_view origin) {
  if (origin == "*") return OkStatus();
  const size_t scheme = origin.find("://");
  const std::string_view host =
      scheme == std::string_view::npos ? std::string_view() : origin.substr(scheme + 3);
  const bool fine =
      scheme > 0 && !host.empty() && std::all_of(origin.begin(), origin.end(), [](char c) {
        return c > ' ' && c < 0x7F && (c < 'A' || c > 'Z') && c != '*' && c != '?' && c != '#';
      });
  if (fine && host.find('/') == std::string_view::npos) return OkStatus();
  return InvalidArgument(Concat("got \"", origin,
                                "\", expected * or an origin as browsers send it, without a path: "
                                "https://app.example"));
}

bool Cors::IsPreflight(const HttpRequest& request) {
  return request.method == "OPTIONS" && !request.Header("Origin").empty() &&
         !request.Header("Access-Control-Request-Method").empty();
}

HttpReply Cors::AnswerPreflight(const HttpRequest& request, std::string_view allowed_methods) {
  HttpReply reply;
  reply.status = 204;
  reply.headers = {{"Access-Control-Allow-Methods", std::string(allowed_methods)},
                   {"Access-Control-Max-Age", kMaxAge},
                   {"Vary", "Access-Control-Request-Headers"}};
  // Repeated rather than "*", which does not cover Authorization.
  const std::string_view asked = request.Header("Access-Control-Request-Headers");
  if (!asked.empty() && IsHeaderList(asked)) {
    reply.headers.emplace_back("Access-Control-Allow-Headers", asked);
  }
  return reply;
}

void Cors::AddHeaders(std::string_view origin, HttpReply& reply) const {
  if (!enabled()) return;
  if (!any_) {
    // Also where the origin is a wrong one or missing: a cache must not give that reply to others.
    reply.headers.emplace_back("Vary", "Origin");
    if (std::find(origins_.begin(), origins_.end(), origin) == origins_.end()) return;
  }
  reply.headers.emplace_back("Access-Control-Allow-Origin", any_ ? "*" : std::string(origin));
  if (reply.status != 204) reply.headers.emplace_back("Access-Control-Expose-Headers", kExposed);
}

}  // namespace podium
