#include "net/listener.h"

#include <chrono>
#include <new>
#include <utility>

#include "base/concat.h"
#include "net/connection.h"

namespace podium {

// Some of Asio's functions return the error that they also put into their argument.
// NOLINTBEGIN(bugprone-unused-return-value)

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

Listener::Listener(std::vector<asio::io_context*> contexts, Connections& connections,
                   std::shared_ptr<const TlsIdentity> tls)
    : contexts_(std::move(contexts)),
      connections_(connections),
      tls_(std::move(tls)),
      acceptor_(*contexts_.front()),
      retry_(*contexts_.front()) {}

Status Listener::Listen(const std::string& host, int port) {
  error_code error;
  const auto ip = asio::ip::make_address(host, error);
  if (error) {
    return InvalidArgument(
        Concat("host: got \"", host, "\", expected an address such as 127.0.0.1 or ::"));
  }
  const tcp::endpoint endpoint(ip, static_cast<uint16_t>(port));
  acceptor_.open(endpoint.protocol(), error);
  if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor_.bind(endpoint, error);
  if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
  if (error) {
    return IoError(Concat("cannot listen on ", host, ":", port, ": ", error.message()));
  }
  const auto bound = acceptor_.local_endpoint(error);
  const bool v6 = bound.address().is_v6();
  address_ = Concat(v6 ? "[" : "", bound.address().to_string(), v6 ? "]" : "", ":", bound.port());
  Accept();
  return OkStatus();
}

void Listener::Accept() {
  asio::io_context& context = *contexts_[next_++ % contexts_.size()];
  acceptor_.async_accept(context, [this](error_code error, tcp::socket socket) {
    if (error == asio::error::operation_aborted || !acceptor_.is_open()) return;
    if (!error) {
      Take(std::move(socket));
      return Accept();
    }
    // Most likely no descriptor is left: the queue of the system holds them for a while.
    retry_.expires_after(std::chrono::milliseconds(100));
    retry_.async_wait([this](error_code stopped) {
      if (!stopped) Accept();
    });
  });
}

void Listener::Take(tcp::socket socket) {
  try {
    if (connections_.size() >= connections_.limits().connections_max) {
      RefuseConnection(std::move(socket), tls_ != nullptr, connections_);
    } else {
      StartConnection(std::move(socket), tls_, connections_);
    }
  } catch (const std::bad_alloc&) {
    // No memory for this connection, which is closed; the next may find some.
  }
}

void Listener::Close() {
  error_code ignored;
  acceptor_.close(ignored);
  retry_.cancel();
}

// NOLINTEND(bugprone-unused-return-value)

}  // namespace podium
