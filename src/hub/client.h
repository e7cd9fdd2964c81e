// Requests to the hub as pull needs them: redirects followed, the token kept to the hub's own
// origin, failures tried again, statuses turned into messages that say what to do.
#ifndef PODIUM_HUB_CLIENT_H_
#define PODIUM_HUB_CLIENT_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>

#include "base/status.h"
#include "hub/http.h"
#include "hub/retry.h"
#include "hub/settings.h"
#include "model/hub_cache.h"

namespace podium::hub {

/// Of one request, one after the other.
constexpr int kRedirectsMax = 10;

/// Where a body goes, over several requests: each asks for what is missing.
class ResumableSink : public BodySink {
 public:
  /// Bytes that are there; the next request asks for those after them.
  virtual uint64_t offset() const = 0;
  /// Forgets them: the server says that it has none beyond.
  virtual Status StartAgain() = 0;
  /// Whether all is there, where that is known.
  virtual bool IsComplete() const = 0;
};

/// One thread at a time.
class Client {
 public:
  Client(std::unique_ptr<Http> http, const Settings& settings, const HubName& model, int retries,
         std::function<void(const std::string&)> note, const std::atomic<bool>& cancel);

  /// Headers of the hub's reply for a file: of the redirect to where the bytes are, when there is
  /// one that names their digest. `what` is the file's name for messages.
  Result<HttpReply> Head(const std::string& url, const std::string& what);
  /// A small body.
  Result<std::string> GetText(const std::string& url, const std::string& what, size_t bytes_max);
  /// Fills the sink; goes on where it stands after a broken connection.
  Status Download(const std::string& url, const std::string& what, ResumableSink& sink);

  /// Whether the last error says that the hub cannot be reached or is down.
  bool is_unreachable() const { return is_unreachable_; }

 private:
  Result<HttpReply> Follow(const HttpRequest& request, const std::string& what,
                           ResumableSink* sink);
  HttpOutcome FollowOnce(HttpRequest request, ResumableSink* sink);
  Status Explain(const HttpReply& reply, const std::string& what) const;
  Status Wait(double seconds) const;

  const std::unique_ptr<Http> http_;
  const Settings settings_;
  const HubName model_;
  const int retries_;
  const std::function<void(const std::string&)> note_;
  const std::atomic<bool>& cancel_;
  std::minstd_rand random_;
  bool was_reached_ = false;
  bool is_unreachable_ = false;
};

}  // namespace podium::hub

#endif  // PODIUM_HUB_CLIENT_H_
