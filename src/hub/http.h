// One HTTP request at a time, over libcurl: no redirect is followed and nothing is tried twice here
// (client.h does both). http and https only; proxies by the usual environment variables.
#ifndef PODIUM_HUB_HTTP_H_
#define PODIUM_HUB_HTTP_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace podium::hub {

constexpr int kConnectSeconds = 15;
/// Bytes a second; slower for `stall_seconds` is a stall.
constexpr long kSlowestBytesPerSecond = 1000;
/// Of one reply.
constexpr size_t kHeadersMax = 256;
/// Of an error's body, which is thrown away; the connection is closed at more.
constexpr size_t kErrorBodyBytesMax = size_t{64} << 10;

struct HttpRequest {
  bool head = false;
  std::string url;
  std::string token;  // sent as "Authorization: Bearer"; "" for none
  uint64_t from = 0;  // first byte wanted; 0 asks for all, without a Range
};

struct HttpReply {
  int status = 0;
  std::string url;       // that was asked
  std::string redirect;  // absolute; "" when the reply is none
  std::optional<double> retry_after_seconds;
  std::map<std::string, std::string> headers;  // names in lower case; the first of equal ones

  /// "" when absent.
  std::string Header(const std::string& name) const;
};

/// Takes the body of a 2xx reply. An error ends the request and is the outcome's status.
class BodySink {
 public:
  virtual ~BodySink() = default;
  /// Before the first byte, also when there is none.
  virtual Status Begin(const HttpReply& reply) = 0;
  virtual Status Take(std::string_view bytes) = 0;
};

enum class Failure {
  kNone,
  kUnreachable,  // no host, no connection
  kBroken,       // the connection ended early or stood still
  kTls,
  kLocal,  // the sink, a cancellation, a malformed URL: trying again changes nothing
};

struct HttpOutcome {
  Failure failure = Failure::kNone;
  Status status;  // ok: a whole reply came, of whatever status
  HttpReply reply;
};

class Http {
 public:
  struct Options {
    std::string ca_bundle;  // file or folder; "": the system's
    int stall_seconds = 30;
  };
  static Result<std::unique_ptr<Http>> Open(const Options& options);
  virtual ~Http() = default;
  virtual HttpOutcome Perform(const HttpRequest& request, BodySink* sink,
                              const std::atomic<bool>& cancel) = 0;
};

// The rest needs libcurl, which Http::Open() loads or says that it cannot.

/// "https://host:443": what two URLs must share for a token to go to both. "" when it is no URL.
std::string Origin(const std::string& url);
/// For messages: without query (it may hold a signature), user and password.
std::string DisplayUrl(const std::string& url);
/// One segment of a path: everything but letters, digits and -._~ as %XX.
std::string EscapeSegment(const std::string& text);

}  // namespace podium::hub

#endif  // PODIUM_HUB_HTTP_H_
