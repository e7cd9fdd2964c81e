#include "net/connection.h"

#include <poll.h>

#include <algorithm>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <optional>
#include <utility>

#include "api/error.h"
#include "base/check.h"
#include "base/concat.h"
#include "net/delivery.h"
#include "net/response.h"
#include "net/wire.h"

namespace podium {
namespace {

// Some of Asio's functions return the error that they also put into their argument.
// NOLINTBEGIN(bugprone-unused-return-value)

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;

constexpr char kContinue[] = "HTTP/1.1 100 Continue\r\n\r\n";

bool IsHttpError(error_code error) {
  return error.category() == http::make_error_code(http::error::bad_method).category();
}

std::string PeerOf(const asio::ip::tcp::socket& socket) {
  error_code error;
  const auto peer = socket.remote_endpoint(error);
  return error ? std::string() : peer.address().to_string();
}

}  // namespace

// Over 400 lines because it is one state machine, whose steps are read best together.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(asio::ip::tcp::socket socket, std::shared_ptr<const TlsIdentity> tls, Connections& all)
      : stream_(std::move(socket), std::move(tls)),
        all_(all),
        limits_(all.limits()),
        buffer_(static_cast<size_t>(limits_.header_bytes_max) + kReadBytes),
        opened_(Clock::now()) {
    error_code ignored;
    stream_.socket().set_option(asio::ip::tcp::no_delay(true), ignored);
    peer_ = PeerOf(stream_.socket());
  }
  ~Connection() {
    ReleaseBody();
    all_.Remove(this);
  }

  auto executor() { return stream_.get_executor(); }
  /// On the connection's thread, as everything below.
  void OnDelivery(std::optional<HttpReply> reply);
  void Start() {
    all_.Add(this, [weak = weak_from_this(), executor = stream_.get_executor()] {
      asio::post(executor, [weak] {
        const auto self = weak.lock();
        if (self != nullptr && self->idle_) self->Close();
      });
    });
    stream_.secure() ? Handshake() : AwaitRequest();
  }

 private:
  void Handshake();
  void OnHandshakeFailed(error_code error);
  void AwaitRequest();
  static constexpr size_t kReadBytes = 64 << 10;
  // Held for a connection that waits for a request; most requests fit.
  static constexpr size_t kFirstBytes = 16 << 10;
  static constexpr int64_t kChunkBytes = 64 << 10;  // reserved at a time for a body of unknown size
  // Read and thrown away after a reply to a request that was not read to its end, so that the reply
  // is not lost in the reset that unread bytes cause.
  static constexpr size_t kLingerBytes = 1 << 20;
  static constexpr std::chrono::seconds kLinger{2};
  static constexpr std::chrono::milliseconds kBetweenLooks{100};

  using Parser = http::request_parser<http::string_body>;

  void ReadHeader();
  void OnHeader(error_code error, size_t size);
  void ReadBody();
  void OnBody(error_code error);
  void Dispatch();
  void Watch();
  void Look();
  void AskWhetherItLeft();
  void WatchForReset();
  void Answer(HttpReply reply);
  /// Answers a request that reaches no route; the connection ends with it.
  void Broken(HttpRequest head, const api::Error& error);
  void BodyTooLarge(HttpRequest head) {
    Broken(std::move(head),
           {api::ErrorKind::kTooLarge, 413,
            Concat("request body: at most ", limits_.body_bytes_max, " bytes are allowed")});
  }
  void BodiesFull(HttpRequest head) {
    Broken(std::move(head), {api::ErrorKind::kOverloaded, 429, kBodiesFull});
  }
  /// Ends with a request that came too slowly (the stream is closed already: such a client hears
  /// nothing), or whose client left.
  void Cut(HttpRequest head, error_code error, std::string_view part, int seconds_max);
  void Write(HttpReply reply, bool unread);
  void OnWritten(error_code error, bool close);
  void Linger();
  void Gone();
  void Close();
  void ReleaseBody() { all_.bodies().Release(std::exchange(body_reserved_, 0)); }
  bool ReserveBody(int64_t bytes);
  HttpRequest TakeHead() const;

  Wire stream_;
  Connections& all_;
  const NetLimits& limits_;
  beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  const Clock::time_point opened_;
  std::string peer_;
  bool idle_ = false;
  bool head_ = false;  // a reply without its body
  bool keep_ = false;
  bool http10_ = false;
  int64_t body_reserved_ = 0;
  size_t lingered_ = 0;
  Routes::Cancel cancel_;
  bool answering_ = false;
  PostedBlock block_;  // for the reply to what is being answered
  std::optional<asio::steady_timer> next_look_;
  bool asking_ = false;             // the interim reply is being written
  std::optional<HttpReply> ready_;  // and this one waits for it
  std::optional<HttpResponse> response_;
};

void Connection::Handshake() {
  if (all_.closing()) return Close();
  idle_ = true;
  stream_.expires_after(std::chrono::seconds(limits_.handshake_seconds_max));
  stream_.Handshake(IoHandler([self = shared_from_this()](error_code error, size_t) {
    self->idle_ = false;
    if (error) return self->OnHandshakeFailed(error);
    self->AwaitRequest();
  }));
}

void Connection::OnHandshakeFailed(error_code error) {
  if (!all_.closing()) all_.routes().CountFailedHandshake(error.message(), peer_);
  if (!Wire::WasPlainHttp(error)) return Close();
  // Somebody forgot the s of https: told in the only way that such a client can read.
  HttpRequest head;
  head.peer = peer_;
  SendAtOnce(stream_.socket(),
             all_.routes().AnswerBroken(std::move(head), {api::ErrorKind::kValidation, 400,
                                                          "this port speaks TLS: use https"}));
  stream_.expires_after(kLinger);
  Linger();
}

void Connection::AwaitRequest() {
  parser_.emplace();
  parser_->header_limit(static_cast<uint32_t>(limits_.header_bytes_max));
  parser_->body_limit(static_cast<uint64_t>(limits_.body_bytes_max));
  if (buffer_.size() > 0) return ReadHeader();  // pipelined
  if (all_.closing()) return Close();
  idle_ = true;
  stream_.expires_after(std::chrono::seconds(limits_.idle_seconds_max));
  if (buffer_.capacity() > kFirstBytes) {  // the last request's was large
    buffer_.clear();
    buffer_.shrink_to_fit();
  }
  stream_.async_read_some(buffer_.prepare(kFirstBytes),
                          [self = shared_from_this()](error_code error, size_t size) {
                            self->idle_ = false;
                            if (error) return self->Close();
                            self->buffer_.commit(size);
                            self->ReadHeader();
                          });
}

void Connection::ReadHeader() {
  stream_.expires_after(std::chrono::seconds(limits_.header_seconds_max));
  http::async_read_header(
      stream_, buffer_, *parser_,
      [self = shared_from_this()](error_code error, size_t size) { self->OnHeader(error, size); });
}

HttpRequest Connection::TakeHead() const {
  const auto& message = parser_->get();
  HttpRequest head;
  head.method = std::string(message.method_string());
  head.target = std::string(message.target());
  for (const auto& field : message) {
    head.headers.emplace_back(field.name_string(), field.value());
  }
  head.peer = peer_;
  head.admin = all_.admin();
  return head;
}

bool Connection::ReserveBody(int64_t bytes) {
  if (!all_.bodies().Reserve(bytes)) return false;
  body_reserved_ += bytes;
  return true;
}

void Connection::OnHeader(error_code error, size_t size) {
  using api::ErrorKind;
  const auto& message = parser_->get();
  HttpRequest head = TakeHead();
  if (error && error != http::error::body_limit) {
    // Behind what the parser took, which it takes in steps.
    const auto rest = buffer_.data();
    head.AddLines({static_cast<const char*>(rest.data()), rest.size()});
  }
  http10_ = message.version() < 11;
  head_ = head.method == "HEAD";
  keep_ = !error && message.keep_alive();
  if (error == http::error::body_limit ||
      (error == http::error::bad_content_length &&
       ReadCount(head.Header("Content-Length")).value_or(0) > limits_.body_bytes_max)) {
    return BodyTooLarge(std::move(head));
  }
  // The parser keeps to its limit in each step, so that two may take more.
  if (error == http::error::header_limit || error == http::error::buffer_overflow ||
      (!error && size > static_cast<size_t>(limits_.header_bytes_max))) {
    return Broken(std::move(head),
                  {ErrorKind::kTooLarge, 431,
                   Concat("headers: at most ", limits_.header_bytes_max, " bytes are allowed")});
  }
  if (IsHttpError(error)) {
    return Broken(std::move(head),
                  {ErrorKind::kValidation, 400, Concat("no HTTP request: ", error.message())});
  }
  if (error) return Cut(std::move(head), error, "headers", limits_.header_seconds_max);
  if (auto wrong = WrongFraming(head, http10_)) {
    return Broken(std::move(head), {ErrorKind::kValidation, 400, *std::move(wrong)});
  }

  const bool has_body = !parser_->is_done();
  if (auto refusal = all_.routes().Refuse(head)) return Write(*std::move(refusal), has_body);
  const auto length = parser_->content_length();
  if (has_body && !ReserveBody(length ? static_cast<int64_t>(*length) : kChunkBytes)) {
    return BodiesFull(std::move(head));
  }
  if (has_body && beast::iequals(message[http::field::expect], "100-continue")) {
    stream_.expires_after(std::chrono::seconds(limits_.write_seconds_max));
    asio::async_write(stream_, asio::buffer(kContinue, sizeof kContinue - 1),
                      [self = shared_from_this()](error_code failed, size_t) {
                        if (!failed) return self->ReadBody();
                        self->Cut(self->TakeHead(), failed, "body",
                                  self->limits_.write_seconds_max);
                      });
    return;
  }
  ReadBody();
}

void Connection::ReadBody() {
  if (parser_->is_done()) return Dispatch();
  stream_.expires_after(std::chrono::seconds(limits_.body_seconds_max));
  // What is still to come, a good piece at a time.
  const auto left = parser_->content_length_remaining().value_or(kReadBytes);
  if (left > buffer_.size()) buffer_.reserve(std::min<uint64_t>(left, kReadBytes));
  http::async_read_some(
      stream_, buffer_, *parser_,
      [self = shared_from_this()](error_code error, size_t) { self->OnBody(error); });
}

void Connection::OnBody(error_code error) {
  using api::ErrorKind;
  if (error == http::error::body_limit) return BodyTooLarge(TakeHead());
  if (IsHttpError(error) && error != http::error::partial_message &&
      error != http::error::end_of_stream) {
    return Broken(TakeHead(),
                  {ErrorKind::kValidation, 400, Concat("request body: ", error.message())});
  }
  if (error) return Cut(TakeHead(), error, "body", limits_.body_seconds_max);
  if (parser_->is_done()) return Dispatch();
  const auto size = static_cast<int64_t>(parser_->get().body().size());
  if (!parser_->content_length() && size + kChunkBytes > body_reserved_ &&
      !ReserveBody(size + kChunkBytes - body_reserved_)) {
    return BodiesFull(TakeHead());
  }
  // One time limit for the whole body, not for each piece: so no new expires_after here.
  http::async_read_some(
      stream_, buffer_, *parser_,
      [self = shared_from_this()](error_code failed, size_t) { self->OnBody(failed); });
}

void Connection::Dispatch() {
  stream_.expires_never();
  HttpRequest request = TakeHead();
  request.body = std::move(parser_->get().body());
  request.received = Clock::now();
  answering_ = true;
  const auto self = shared_from_this();
  const auto any_executor = stream_.get_executor();  // holds what the next line points into
  const auto* const executor = any_executor.target<asio::io_context::executor_type>();
  PODIUM_CHECK(executor != nullptr);
  Respond respond([delivery = std::make_shared<Delivery<Connection>>(self, *executor, block_)](
                      HttpReply reply) { delivery->Put(std::move(reply)); });
  const Post post = [self](std::function<void()> function) {
    asio::post(self->stream_.get_executor(), std::move(function));
  };
  auto cancel = all_.routes().Handle(std::move(request), post, std::move(respond));
  if (!answering_) return;  // answered already
  cancel_ = std::move(cancel);
  Watch();
}

// While a request is answered: has its client left? Bytes that come are the next request, or what
// TLS says at an end; an end of the stream may be a client that only has no more to say
// (half-closed) or one that closed its socket. Those differ in what they do with bytes they get:
// the first takes an interim "100 Continue" for what it is, the second resets the connection, which
// is seen as an error.
void Connection::Watch() {
  stream_.socket().async_wait(asio::socket_base::wait_read,
                              [self = shared_from_this()](error_code error) {
                                if (!error && self->answering_) self->Look();
                              });
}

void Connection::Look() {
  pollfd seen = {.fd = stream_.socket().native_handle(), .events = POLLRDHUP, .revents = 0};
  if (::poll(&seen, 1, 0) < 0) return;
  if ((seen.revents & (POLLERR | POLLHUP)) != 0) return Gone();
  if ((seen.revents & POLLRDHUP) != 0) return AskWhetherItLeft();
  // Bytes that are not read yet would wake every wait for more of them.
  next_look_.emplace(stream_.get_executor(), kBetweenLooks);
  next_look_->async_wait([self = shared_from_this()](error_code error) {
    if (!error && self->answering_) self->Look();
  });
}

void Connection::AskWhetherItLeft() {
  WatchForReset();
  if (http10_) return;  // may not be sent interim replies
  asking_ = true;
  stream_.expires_after(std::chrono::seconds(limits_.write_seconds_max));
  asio::async_write(stream_, asio::buffer(kContinue, sizeof kContinue - 1),
                    [self = shared_from_this()](error_code error, size_t) {
                      self->asking_ = false;
                      if (self->answering_) {
                        return error ? self->Gone() : self->stream_.expires_never();
                      }
                      if (error || !self->ready_) return self->Close();
                      self->Answer(*std::exchange(self->ready_, std::nullopt));
                    });
}

void Connection::WatchForReset() {
  stream_.socket().async_wait(asio::socket_base::wait_error,
                              [self = shared_from_this()](error_code error) {
                                if (!error && self->answering_) self->Gone();
                              });
}

void Connection::Gone() {
  answering_ = false;
  next_look_.reset();
  if (cancel_) std::exchange(cancel_, nullptr)();
  Close();
}

void Connection::OnDelivery(std::optional<HttpReply> reply) {
  if (!answering_) return;  // the client has left
  answering_ = false;
  cancel_ = nullptr;
  next_look_.reset();
  if (!reply) return Close();  // no memory to say anything
  if (asking_) {
    ready_ = std::move(reply);
  } else {
    Answer(*std::move(reply));
  }
}

void Connection::Answer(HttpReply reply) {
  error_code ignored;
  stream_.socket().cancel(ignored);  // the watch
  Write(std::move(reply), false);
}

void Connection::Broken(HttpRequest head, const api::Error& error) {
  HttpReply reply = all_.routes().AnswerBroken(std::move(head), error);
  if (error.status == 429) reply.RetryAfter(1000);
  Write(std::move(reply), true);
}

void Connection::Cut(HttpRequest head, error_code error, std::string_view part, int seconds_max) {
  const bool slow = error == beast::error::timeout;
  all_.routes().CountCut(std::move(head), !slow,
                         slow ? Concat(part, ": not there within ", seconds_max, " s")
                              : Concat(part, ": cut off: ", error.message()));
  Close();
}

void Connection::Write(HttpReply reply, bool unread) {
  // Until the client has taken it a reply counts among the bodies, in place of the request's.
  const auto size = static_cast<int64_t>(reply.body.size());
  all_.bodies().Hold(size);
  all_.bodies().Release(std::exchange(body_reserved_, size));
  all_.routes().cors().AddHeaders(parser_->get()[http::field::origin], reply);
  const auto age = Clock::now() - opened_;
  const bool close = unread || !keep_ || reply.close || all_.routes().stopping() ||
                     age >= std::chrono::seconds(limits_.connection_seconds_max);
  response_.emplace(
      MakeResponse(std::move(reply), {.http10 = http10_, .head = head_, .keep_alive = !close}));
  stream_.expires_after(std::chrono::seconds(limits_.write_seconds_max));
  http::async_write(stream_, *response_,
                    [self = shared_from_this(), close](error_code error, size_t) {
                      self->OnWritten(error, close);
                    });
}

void Connection::OnWritten(error_code error, bool close) {
  response_.reset();
  ReleaseBody();
  if (error) return Close();
  if (!close) return AwaitRequest();
  stream_.expires_after(kLinger);
  stream_.EndSending(IoHandler([self = shared_from_this()](error_code failed, size_t) {
    failed ? self->Close() : self->Linger();
  }));
}

void Connection::Linger() {
  buffer_.clear();
  stream_.tcp().async_read_some(buffer_.prepare(kReadBytes),
                                [self = shared_from_this()](error_code error, size_t size) {
                                  self->lingered_ += size;
                                  if (error || self->lingered_ > kLingerBytes) return self->Close();
                                  self->Linger();
                                });
}

void Connection::Close() {
  error_code ignored;
  stream_.socket().close(ignored);
}

void StartConnection(asio::ip::tcp::socket socket, std::shared_ptr<const TlsIdentity> tls,
                     Connections& connections) {
  auto connection = std::make_shared<Connection>(std::move(socket), std::move(tls), connections);
  asio::dispatch(connection->executor(), [connection] { connection->Start(); });
}

void RefuseConnection(asio::ip::tcp::socket socket, bool secure, Connections& connections) {
  HttpRequest head;
  head.peer = PeerOf(socket);
  HttpReply reply = connections.routes().AnswerBroken(
      std::move(head),
      {api::ErrorKind::kOverloaded, 503, "the server has as many connections as it may"});
  reply.RetryAfter(1000);
  // A handshake to tell it is what there is no room for.
  if (!secure) SendAtOnce(socket, reply);
}

// NOLINTEND(bugprone-unused-return-value)

}  // namespace podium
