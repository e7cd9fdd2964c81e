// Any bytes as a request's head: what is known of it, its path and its query.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "net/http.h"

namespace {

using podium::HttpRequest;

void CheckTarget(HttpRequest& request) {
  request.SplitTarget();
  const std::string& path = request.path;
  PODIUM_CHECK(path.size() <= request.target.size() + 1);
  PODIUM_CHECK(path.empty() == request.target.empty());
  PODIUM_CHECK(path.find("//") == std::string::npos && path.find('?') == std::string::npos);
  PODIUM_CHECK(path.size() < 2 || path.back() != '/');
  PODIUM_CHECK(podium::DecodePercent(path).size() <= path.size());
  PODIUM_CHECK(request.QueryValue("shape").size() <= request.query.size());
  // The host named in front changes nothing.
  if (request.target.empty() || request.target[0] != '/') return;
  HttpRequest absolute;
  absolute.target = "http://host" + request.target;
  absolute.SplitTarget();
  PODIUM_CHECK(absolute.path == path && absolute.query == request.query);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  HttpRequest request;
  request.AddLines(bytes);
  for (const auto& [name, value] : request.headers) {
    PODIUM_CHECK(name.size() + value.size() < size);
    PODIUM_CHECK((name + value).find('\n') == std::string::npos);
  }
  PODIUM_CHECK(podium::ReadCount(request.Header("Content-Length")).value_or(0) >= 0);
  // A head that comes in two pieces, cut at a line's end, is the same one.
  if (const size_t cut = bytes.find('\n', size / 2); cut != std::string_view::npos) {
    HttpRequest pieces;
    pieces.AddLines(bytes.substr(0, cut + 1));
    PODIUM_CHECK(pieces.headers.size() <= request.headers.size());
    PODIUM_CHECK(pieces.method.empty() || pieces.method == request.method);
  }
  CheckTarget(request);
  HttpRequest bare;
  bare.target = bytes;
  CheckTarget(bare);
  return 0;
}
