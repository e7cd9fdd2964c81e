// One client's connection: reads a request, has it answered, writes the reply, and again.
//
// Only listener.cc and connection.cc include this: it is where Asio shows.
#ifndef PODIUM_NET_CONNECTION_H_
#define PODIUM_NET_CONNECTION_H_

#include <boost/asio/ip/tcp.hpp>
#include <memory>

#include "net/connections.h"
#include "net/tls.h"

namespace podium {

/// Starts serving the socket, through TLS unless `tls` is null; the connection owns itself until it
/// is closed.
void StartConnection(boost::asio::ip::tcp::socket socket, std::shared_ptr<const TlsIdentity> tls,
                     Connections& connections);
/// Answers 503 without reading anything, where that can be done without TLS, and closes.
void RefuseConnection(boost::asio::ip::tcp::socket socket, bool secure, Connections& connections);

}  // namespace podium

#endif  // PODIUM_NET_CONNECTION_H_
