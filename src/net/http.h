// HTTP as the routes see it, without the library that reads and writes it.
//
// net/ is the doors: a listener, connections, routes (path → decode, submit, encode). It may
// include api/, service/, observe/ and base/. Beast and Asio are seen in connection.*, wire.*,
// tls.cc, listener.* and server.cc only. Everything here runs on the I/O threads, each connection
// on one; completions of the service are posted there.
#ifndef PODIUM_NET_HTTP_H_
#define PODIUM_NET_HTTP_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/completion.h"
#include "base/status.h"

namespace podium {

struct HttpRequest {
  std::string method;
  std::string target;  // as sent
  std::string path;    // as SplitTarget() has it
  std::string query;   // behind "?"
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::string peer;                                // address
  bool admin = false;                              // came to the admin port
  std::chrono::steady_clock::time_point received;  // its last byte

  /// The first header of this name, in any case; "" when there is none.
  std::string_view Header(std::string_view name) const;
  /// What all headers of this name say, in lower case, joined by ", " (RFC 9110, 5.2); nullopt when
  /// there is none.
  std::optional<std::string> Coding(std::string_view name) const;
  /// The values of `name=value` in the query, decoded.
  std::vector<std::string> QueryValues(std::string_view name) const;
  /// The first of them; "" when there is none.
  std::string QueryValue(std::string_view name) const;
  /// Sets path and query from the target, also from one with scheme and host (RFC 9112, 3.2.2): it
  /// is this server that was asked, whatever it is called. In the path "//" is one, no slash is at
  /// the end, and the characters that need no percent have none (RFC 3986, 6.2.2.2); "%2F" is not
  /// "/".
  void SplitTarget();
  /// Adds what can be read of a head that is not complete, or not right, for its answer and the
  /// log: the lines that have an end, up to the empty one. The first is the request line where
  /// there is no method yet; what is neither that nor a header is left out.
  void AddLines(std::string_view bytes);
};

struct HttpReply {
  HttpReply() = default;
  /// An internal error, for a request that was dropped.
  explicit HttpReply(const Status& failure);
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
  bool close = false;  // and the connection with it
  /// Adds the headers that say when to come again; whole seconds in the first, rounded up.
  void RetryAfter(int64_t ms);
};

/// With the bytes that "%41" and the like stand for; what is no such thing stays.
std::string DecodePercent(std::string_view text);

/// Why nobody can tell where a request's body ends, although each of its headers could be read: a
/// Transfer-Encoding other than chunked alone, or beside a Content-Length, or in HTTP/1.0 (RFC
/// 9112, 6.1 and 6.3). What follows such a head may be a request that somebody else sees as its
/// body.
std::optional<std::string> WrongFraming(const HttpRequest& head, bool http10);

/// The number that a header is, digits only; what an int64 cannot hold is its maximum.
std::optional<int64_t> ReadCount(std::string_view text);

constexpr const char* kBodiesFull = "the server holds as many bodies as it may";

/// Runs a function on the connection's own thread, soon.
using Post = std::function<void(std::function<void()>)>;
/// Any thread may call it.
using Respond = Completion<HttpReply>;

}  // namespace podium

#endif  // PODIUM_NET_HTTP_H_
