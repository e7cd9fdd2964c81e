// Path → decode, submit, encode; and what is the same for every path: keys, ids, counting, one log
// line.
#ifndef PODIUM_NET_ROUTES_H_
#define PODIUM_NET_ROUTES_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/error.h"
#include "api/info.h"
#include "api/rerank.h"
#include "base/mutex.h"
#include "net/body_bytes.h"
#include "net/cors.h"
#include "net/http.h"
#include "observe/log.h"
#include "observe/metrics.h"
#include "service/api_keys.h"
#include "service/model_names.h"
#include "service/service.h"

namespace podium {

struct RouteOptions {
  api::DecodeLimits decode;
  /// Until when a request must be answered that does not say so itself (X-Request-Timeout-Ms).
  /// Long: a client that waits no longer closes its connection, which ends its work at once.
  int timeout_ms = 120'000;
  /// Of X-Request-Timeout-Ms; more is this much.
  int timeout_ms_max = 600'000;
  /// Bodies of all connections together (body_bytes.h); beyond it a new one is answered 429.
  int64_t body_bytes_inside_max = int64_t{512} << 20;
  /// Of a body when it is inflated; the connection's limit on what comes.
  int64_t inflated_bytes_max = int64_t{32} << 20;
  /// Replies to `documents` on the bare /rerank have the short form of ?shape=ranked_documents.
  bool ranked_documents = false;
  /// Bodies are logged, kLoggedBodyBytesMax of each: only where somebody asked for it.
  bool log_bodies = false;
  /// Web pages that may read replies (cors.h).
  std::vector<std::string> cors_origins;
  /// There is an admin port: /metrics is there only.
  bool admin_port = false;
  /// A request that took longer is logged as a warning.
  int slow_ms = 5000;
};

/// The values of the label `route` and of `outcome` in the metrics; the routes that go to a model.
std::vector<std::string> RouteLabels();
std::vector<std::string> ModelRouteLabels();
std::vector<std::string> OutcomeLabels();

/// One request, from its headers to its one log line.
struct Exchange {
  std::string id;
  const char* route = "other";
  int model = kNoModel;
  std::string method;
  std::string path;
  std::string peer;
  std::string key;  // name of the API key
  std::string traceparent;
  std::chrono::steady_clock::time_point received;
  std::optional<RequestFigures> figures;  // when it was computed
  const char* refusal = "";
  std::string reason;  // why it could not be read; never the request's own words
};

/// Larger bodies are decoded, and their replies encoded, beside the I/O threads: this is a tenth of
/// a millisecond's work. So is what comes compressed, which may be large inside.
constexpr size_t kInlineBytesMax = 64 << 10;

constexpr size_t kLoggedBodyBytesMax = 4096;

/// Shared by all connections; every method may be called by any I/O thread.
class Routes {
 public:
  using Cancel = std::function<void()>;

  /// `models` are the service's, with the same names.
  Routes(Service& service, Metrics& metrics, Log& log, RouteOptions options, ModelNames names,
         std::vector<api::ServedModel> models);

  /// The reply to a request whose body is not worth reading (no such path, no key, a browser's
  /// question), from its headers alone.
  std::optional<HttpReply> Refuse(HttpRequest& head);
  /// To every reply, also the connection's own.
  const Cors& cors() const { return cors_; }
  /// Answers, now or later. The result is called, if it is any, when the client has left.
  Cancel Handle(HttpRequest request, const Post& post, Respond respond);
  /// The reply to a request that could not be read to its end, of which `head` is what is known.
  HttpReply AnswerBroken(HttpRequest head, const api::Error& error);
  /// The same where nobody can be answered: the client was too slow, or has left.
  void CountCut(HttpRequest head, bool left, std::string reason);
  void CountFailedHandshake(std::string_view reason, const std::string& peer);

  /// The end has begun: not ready any more; connections are closed after their next reply.
  void BeginStopping() { stopping_.store(true, std::memory_order_relaxed); }
  bool stopping() const { return stopping_.load(std::memory_order_relaxed); }
  void SetKeys(ApiKeys keys) EXCLUDES(mutex_);

  /// Kept by the connections, shown by the metrics.
  std::atomic<int> connections{0};
  BodyBytes bodies;
  /// Of the certificate in use, in seconds since 1970; 0 without TLS. Shown by the metrics.
  std::atomic<int64_t> certificate_valid_until{0};

 private:
  struct Pending;
  using Shared = std::shared_ptr<Pending>;

  Exchange Begin(const HttpRequest& request);
  Exchange BeginBroken(HttpRequest head, std::string reason);
  HttpReply Simple(const Exchange& exchange);
  HttpReply OneModel(const Exchange& exchange, std::string_view name);
  HttpReply Health(const Exchange& exchange);
  void Dispatch(const Shared& pending, HttpRequest& request);
  void Rerank(const Shared& pending, const HttpRequest& request);
  void Predict(const Shared& pending, const HttpRequest& request);
  void Tokenize(const Shared& pending, const HttpRequest& request);
  void Submit(const Shared& pending, ServiceRequest ask,
              std::function<HttpReply(Exchange&, const Answer&)> encode);
  /// `work` on the connection's thread, or beside it when the request is large.
  void Encode(const Shared& pending, std::function<void()> work);
  /// Sets exchange.model to the one that `name` means.
  std::optional<api::Error> ChooseModel(std::string_view name, Exchange& exchange) const;
  std::optional<api::Error> TimeLimit(const HttpRequest& request, int validation_status,
                                      ServiceRequest& ask) const;
  static HttpReply Failure(Exchange& exchange, const Answer& answer, int validation_status,
                           int backend_status);
  /// Adds the headers that every reply has, counts it and logs it.
  HttpReply Finish(const Exchange& exchange, HttpReply reply, std::string_view outcome);
  HttpReply Finish(const Exchange& exchange, const api::Error& error);
  std::shared_ptr<const ApiKeys> keys() EXCLUDES(mutex_);

  Service& service_;
  Metrics& metrics_;
  Log& log_;
  const RouteOptions options_;
  const Cors cors_;
  const ModelNames names_;
  const std::vector<api::ServedModel> models_;
  const uint64_t id_seed_;
  std::atomic<uint64_t> next_id_{0};
  std::atomic<bool> stopping_{false};
  std::atomic<uint64_t> failed_handshakes_{0};
  Mutex mutex_;
  std::shared_ptr<const ApiKeys> keys_ GUARDED_BY(mutex_);
};

}  // namespace podium

#endif  // PODIUM_NET_ROUTES_H_
