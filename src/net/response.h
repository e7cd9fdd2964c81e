// A reply as Beast writes it.
//
// Only connection.cc and response.cc include this.
#ifndef PODIUM_NET_RESPONSE_H_
#define PODIUM_NET_RESPONSE_H_

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>

#include "net/http.h"

namespace podium {

using HttpResponse = boost::beast::http::response<boost::beast::http::string_body>;

struct ResponseForm {
  bool http10 = false;
  bool head = false;  // without its body
  bool keep_alive = false;
};
HttpResponse MakeResponse(HttpReply reply, const ResponseForm& form);

/// Writes a reply as plain HTTP, with an end of the connection in it, as far as the buffer of a
/// fresh socket takes it at once: nobody waits for this client.
void SendAtOnce(boost::asio::ip::tcp::socket& socket, const HttpReply& reply);

}  // namespace podium

#endif  // PODIUM_NET_RESPONSE_H_
