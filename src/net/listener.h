// One port: accepts connections and hands them on.
//
// Only listener.cc and server.cc include this.
#ifndef PODIUM_NET_LISTENER_H_
#define PODIUM_NET_LISTENER_H_

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "net/connections.h"
#include "net/tls.h"

namespace podium {

/// On the thread of the first of its contexts, but for Listen, which comes before.
class Listener {
 public:
  /// Connections go to the contexts in turn. All that is given outlives it.
  Listener(std::vector<boost::asio::io_context*> contexts, Connections& connections,
           std::shared_ptr<const TlsIdentity> tls);

  /// kIo when the address cannot be had; port 0 is any that is free.
  Status Listen(const std::string& host, int port);
  /// As it can be put in front of a path: "127.0.0.1:8080".
  const std::string& address() const { return address_; }
  /// Of the connections to come.
  void set_tls(std::shared_ptr<const TlsIdentity> tls) { tls_ = std::move(tls); }
  void Close();

 private:
  void Accept();
  void Take(boost::asio::ip::tcp::socket socket);

  const std::vector<boost::asio::io_context*> contexts_;
  Connections& connections_;
  std::shared_ptr<const TlsIdentity> tls_;
  boost::asio::ip::tcp::acceptor acceptor_;
  boost::asio::steady_timer retry_;
  std::string address_;
  size_t next_ = 0;
};

}  // namespace podium

#endif  // PODIUM_NET_LISTENER_H_
