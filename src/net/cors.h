// Which web pages may read replies: cross-origin resource sharing, as browsers ask for it.
#ifndef PODIUM_NET_CORS_H_
#define PODIUM_NET_CORS_H_

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "net/http.h"

namespace podium {

/// Immutable; any thread. No cookies are involved: an API key is a header like others, so "*" is
/// safe in that a page can only use a key that it has.
class Cors {
 public:
  /// Origins as browsers send them, or "*" for any; none: no page but the server's own.
  explicit Cors(const std::vector<std::string>& origins);
  /// Whether `origin` can be one of them: "*" or scheme://host[:port] in small letters.
  static Status CheckOrigin(std::string_view origin);

  bool enabled() const { return any_ || !origins_.empty(); }
  /// Whether a request is a browser's question before the real one.
  static bool IsPreflight(const HttpRequest& request);
  /// Its answer, but for what AddHeaders adds.
  static HttpReply AnswerPreflight(const HttpRequest& request, std::string_view allowed_methods);
  /// To every reply, errors among them. `origin`: the request's; "" when it had none.
  void AddHeaders(std::string_view origin, HttpReply& reply) const;

 private:
  bool any_ = false;
  std::vector<std::string> origins_;
};

}  // namespace podium

#endif  // PODIUM_NET_CORS_H_
