#include "net/response.h"

#include <sys/socket.h>

#include <ctime>
#include <string>
#include <utility>

#include "base/concat.h"

namespace podium {
namespace {

namespace http = boost::beast::http;

// RFC 9110's date, which an origin server with a clock sends.
std::string HttpDate() {
  const std::time_t now = std::time(nullptr);
  std::tm parts = {};
  gmtime_r(&now, &parts);
  char text[40];
  const size_t size = std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts);
  return std::string(text, size);
}

}  // namespace

HttpResponse MakeResponse(HttpReply reply, const ResponseForm& form) {
  HttpResponse response;
  response.version(form.http10 ? 10 : 11);
  response.result(static_cast<unsigned>(reply.status));
  response.set(http::field::date, HttpDate());
  response.set(http::field::server, "podium");
  if (reply.status != 204) response.set(http::field::content_type, reply.content_type);
  for (const auto& [name, value] : reply.headers) response.insert(name, value);
  response.keep_alive(form.keep_alive);
  response.body() = std::move(reply.body);
  if (reply.status != 204) response.content_length(response.body().size());
  if (form.head) response.body().clear();
  return response;
}

void SendAtOnce(boost::asio::ip::tcp::socket& socket, const HttpReply& reply) {
  std::string text =
      Concat("HTTP/1.1 ", reply.status, " ",
             std::string_view(http::obsolete_reason(static_cast<http::status>(reply.status))),
             "\r\nContent-Type: ", reply.content_type, "\r\n");
  for (const auto& [name, value] : reply.headers) text += Concat(name, ": ", value, "\r\n");
  text +=
      Concat("Connection: close\r\nContent-Length: ", reply.body.size(), "\r\n\r\n", reply.body);
  (void)!::send(socket.native_handle(), text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  boost::system::error_code ignored;
  // NOLINTNEXTLINE(bugprone-unused-return-value): Asio returns what it puts into its argument.
  socket.shutdown(boost::asio::ip::tcp::socket::shutdown_send, ignored);
}

}  // namespace podium
