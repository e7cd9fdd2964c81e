#include "net/wire.h"

#include <openssl/err.h>
#include <openssl/sslerr.h>

#include <boost/asio/post.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/system/system_error.hpp>
#include <new>

namespace podium {

// Some of Asio's functions return the error that they also put into their argument.
// NOLINTBEGIN(bugprone-unused-return-value)

namespace asio = boost::asio;
using boost::system::error_code;

struct Wire::Secure {
  Secure(boost::beast::tcp_stream& tcp, std::shared_ptr<const TlsIdentity> given)
      : identity(std::move(given)), stream(tcp, identity->context()) {}
  std::shared_ptr<const TlsIdentity> identity;
  asio::ssl::stream<boost::beast::tcp_stream&> stream;
};

Wire::Wire(asio::ip::tcp::socket socket, std::shared_ptr<const TlsIdentity> tls)
    : tcp_(std::move(socket)) {
  if (tls == nullptr) return;
  try {
    secure_ = std::make_unique<Secure>(tcp_, std::move(tls));
  } catch (const boost::system::system_error&) {
    throw std::bad_alloc();  // the one reason for which OpenSSL makes no session
  }
}

Wire::~Wire() = default;

void Wire::Handshake(IoHandler done) {
  secure_->stream.async_handshake(
      asio::ssl::stream_base::server,
      [done = std::move(done)](error_code error) mutable { done(error); });
}

bool Wire::WasPlainHttp(error_code error) {
  return error.category() == asio::error::get_ssl_category() &&
         ERR_GET_REASON(static_cast<unsigned long>(error.value())) == SSL_R_HTTP_REQUEST;
}

void Wire::EndSending(IoHandler done) {
  auto end = [this, done = std::move(done)](error_code) mutable {
    error_code error;
    socket().shutdown(asio::ip::tcp::socket::shutdown_send, error);
    done(error);
  };
  if (secure_ == nullptr)
    return asio::post(get_executor(), [end = std::move(end)]() mutable { end({}); });
  secure_->stream.async_shutdown(std::move(end));
}

void Wire::ReadSome(asio::mutable_buffer buffer, IoHandler done) {
  if (secure_ == nullptr) {
    tcp_.async_read_some(buffer, std::move(done));
  } else {
    secure_->stream.async_read_some(buffer, std::move(done));
  }
}

void Wire::WriteSome(const Pieces& pieces, IoHandler done) {
  if (secure_ == nullptr) {
    tcp_.async_write_some(pieces, std::move(done));
  } else {
    secure_->stream.async_write_some(pieces, std::move(done));
  }
}

// NOLINTEND(bugprone-unused-return-value)

}  // namespace podium
