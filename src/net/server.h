// The HTTP server: listens, keeps connections, ends them in order.
#ifndef PODIUM_NET_SERVER_H_
#define PODIUM_NET_SERVER_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "base/status.h"
#include "net/limits.h"
#include "net/routes.h"
#include "net/tls.h"

namespace podium {

/// Open connections of the admin port.
constexpr int kAdminConnectionsMax = 64;

struct ServerOptions {
  std::string host = "127.0.0.1";
  int port = 8080;  // 0: any that is free
  /// Null: plain HTTP.
  std::shared_ptr<const TlsIdentity> tls;
  /// A port for metrics and health, always plain HTTP; 0: any that is free, -1: none.
  int admin_port = -1;
  std::string admin_host;  // "": as host
  /// Threads that read, decode, encode and write; one is enough for thousands of requests a second.
  int io_threads = 1;
  NetLimits limits;
};

class Server {
 public:
  /// Listens and serves from here on. kIo when the address cannot be had. `routes` outlives it.
  static Result<std::unique_ptr<Server>> Start(const ServerOptions& options, Routes& routes);
  /// Connections that are still open are cut.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// As it can be put in front of a path: "127.0.0.1:8080".
  const std::string& address() const;
  /// Of the admin port; "" when there is none.
  std::string admin_address() const;
  /// The certificate of connections to come.
  void SetTls(std::shared_ptr<const TlsIdentity> tls);
  /// No new connections; idle ones are closed, the others after their reply.
  void StopAccepting();
  /// Blocks until no connection is open; false when some still were at the end of `patience`.
  bool AwaitClosed(std::chrono::steady_clock::duration patience);
  int connections() const;
  /// Ends the I/O threads: nothing is read, answered or written any more. Completions may still
  /// come; the service must be gone before the server is.
  void Stop();

 private:
  class Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace podium

#endif  // PODIUM_NET_SERVER_H_
