// What one client, and all of them, may take of the server.
#ifndef PODIUM_NET_LIMITS_H_
#define PODIUM_NET_LIMITS_H_

#include <cstdint>

namespace podium {

struct NetLimits {
  /// Request line and headers.
  int64_t header_bytes_max = int64_t{32} << 10;
  /// A body: 1,000 documents of 8,192 tokens at four bytes each.
  int64_t body_bytes_max = int64_t{32} << 20;
  /// Open connections; beyond it a new one is answered 503 and closed.
  int connections_max = 1024;
  /// Seconds for the handshake of TLS.
  int handshake_seconds_max = 10;
  /// Seconds that a connection may wait for the first byte of a request.
  int idle_seconds_max = 75;
  /// Seconds from the first byte of a request to the end of its headers.
  int header_seconds_max = 10;
  /// Seconds for a body, and for a reply to be taken.
  int body_seconds_max = 60;
  int write_seconds_max = 60;
  /// Age at which a connection is closed after a reply, so that clients spread over new servers.
  int connection_seconds_max = 3600;
};

}  // namespace podium

#endif  // PODIUM_NET_LIMITS_H_
