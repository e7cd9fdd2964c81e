// A connection's bytes, plain or through TLS: one stream for Beast either way.
//
// Beast's reading and writing of HTTP is instantiated once, over this class, and what differs is
// behind its two functions in wire.cc: a second set of those templates would cost a minute of
// building.
#ifndef PODIUM_NET_WIRE_H_
#define PODIUM_NET_WIRE_H_

#include <array>
#include <boost/asio/async_result.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <utility>

#include "net/tls.h"

namespace podium {

/// Any handler of a read or a write, called once.
class IoHandler {
 public:
  template <typename Handler>
  explicit IoHandler(Handler handler) : call_(std::make_unique<Of<Handler>>(std::move(handler))) {}
  void operator()(boost::system::error_code error, size_t size = 0) {
    const auto call = std::move(call_);
    call->Run(error, size);
  }

 private:
  struct Call {
    virtual ~Call() = default;
    virtual void Run(boost::system::error_code error, size_t size) = 0;
  };
  template <typename Handler>
  struct Of final : Call {
    explicit Of(Handler given) : handler(std::move(given)) {}
    void Run(boost::system::error_code error, size_t size) override {
      std::move(handler)(error, size);
    }
    Handler handler;
  };
  std::unique_ptr<Call> call_;
};

/// On the connection's own thread. A handler keeps the wire alive.
class Wire {
 public:
  using executor_type = boost::beast::tcp_stream::executor_type;
  using ErrorCode = boost::system::error_code;
  /// Pieces of one write; what is behind them is written next.
  static constexpr size_t kPieces = 64;
  struct Pieces {
    std::array<boost::asio::const_buffer, kPieces> all;
    size_t count = 0;
    const boost::asio::const_buffer* begin() const { return all.data(); }
    const boost::asio::const_buffer* end() const { return all.data() + count; }
  };

  /// `tls`: null for plain bytes.
  Wire(boost::asio::ip::tcp::socket socket, std::shared_ptr<const TlsIdentity> tls);
  ~Wire();
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  executor_type get_executor() { return tcp_.get_executor(); }
  boost::asio::ip::tcp::socket& socket() { return tcp_.socket(); }
  /// The bytes below TLS.
  boost::beast::tcp_stream& tcp() { return tcp_; }
  bool secure() const { return secure_ != nullptr; }
  void expires_after(std::chrono::seconds time) { tcp_.expires_after(time); }
  void expires_never() { tcp_.expires_never(); }

  /// First of all where it is secure.
  void Handshake(IoHandler done);
  /// Whether a handshake failed because the client did not speak TLS but HTTP.
  static bool WasPlainHttp(ErrorCode error);
  /// No more is sent. Through TLS that is said and, within the time limit, waited for.
  void EndSending(IoHandler done);

  template <typename Buffers, typename Token>
  auto async_read_some(const Buffers& buffers, Token&& token) {
    return boost::asio::async_initiate<Token, void(ErrorCode, size_t)>(
        [](auto handler, Wire* wire, boost::asio::mutable_buffer buffer) {
          wire->ReadSome(buffer, IoHandler(std::move(handler)));
        },
        token, this, FirstOf(buffers));
  }

  template <typename Buffers, typename Token>
  auto async_write_some(const Buffers& buffers, Token&& token) {
    return boost::asio::async_initiate<Token, void(ErrorCode, size_t)>(
        [](auto handler, Wire* wire, const Pieces& pieces) {
          wire->WriteSome(pieces, IoHandler(std::move(handler)));
        },
        token, this, PiecesOf(buffers));
  }

 private:
  struct Secure;

  template <typename Buffers>
  static boost::asio::mutable_buffer FirstOf(const Buffers& buffers) {
    for (auto at = boost::asio::buffer_sequence_begin(buffers);
         at != boost::asio::buffer_sequence_end(buffers); ++at) {
      const boost::asio::mutable_buffer one(*at);
      if (one.size() > 0) return one;
    }
    return {};
  }

  template <typename Buffers>
  static Pieces PiecesOf(const Buffers& buffers) {
    Pieces pieces;
    for (auto at = boost::asio::buffer_sequence_begin(buffers);
         at != boost::asio::buffer_sequence_end(buffers) && pieces.count < kPieces; ++at) {
      const boost::asio::const_buffer one(*at);
      if (one.size() > 0) pieces.all[pieces.count++] = one;
    }
    return pieces;
  }

  void ReadSome(boost::asio::mutable_buffer buffer, IoHandler done);
  void WriteSome(const Pieces& pieces, IoHandler done);

  boost::beast::tcp_stream tcp_;
  std::unique_ptr<Secure> secure_;
};

}  // namespace podium

#endif  // PODIUM_NET_WIRE_H_
