// One client's connection: reads a request, has it answered, writes the reply, and again.
//
// Only server.cc and connection.cc include this: it is where Asio shows.
#ifndef PODIUM_NET_CONNECTION_H_
#define PODIUM_NET_CONNECTION_H_

#include <boost/asio/ip/tcp.hpp>

#include "net/connections.h"

namespace podium {

/// Starts serving the socket; the connection owns itself until it is closed.
void StartConnection(boost::asio::ip::tcp::socket socket, Connections& connections);
/// Answers 503 without reading anything, and closes.
void RefuseConnection(boost::asio::ip::tcp::socket socket);

}  // namespace podium

#endif  // PODIUM_NET_CONNECTION_H_
