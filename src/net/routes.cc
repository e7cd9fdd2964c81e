#include "net/routes.h"

#include <algorithm>
#include <ctime>
#include <utility>

#include "base/concat.h"
#include "net/gzip.h"
#include "net/pending.h"

namespace podium {
namespace {

using Clock = std::chrono::steady_clock;
using api::Error;
using api::ErrorKind;

constexpr std::string_view kModelsPrefix = "/v1/models/";

struct Route {
  std::string_view path;
  const char* label;
  bool post = false;
  bool needs_key = false;
};

// Rerank under every path that clients append to what they were given as the base.
constexpr Route kRoutes[] = {
    {"/rerank", "rerank", true, true},
    {"/v1/rerank", "rerank", true, true},
    {"/v2/rerank", "rerank", true, true},
    {"/reranking", "rerank", true, true},
    {"/v1/reranking", "rerank", true, true},
    {"/v1/v1/rerank", "rerank", true, true},
    {"/v1/v2/rerank", "rerank", true, true},
    {"/array/rerank", "rerank", true, true},
    {"/api/rerank", "rerank", true, true},
    {"/predict", "predict", true, true},
    {"/tokenize", "tokenize", true, true},
    {"/info", "info", false, false},
    {"/v1/models", "models", false, true},
    {"/health", "health", false, false},
    {"/health/live", "health", false, false},
    {"/health/ready", "health", false, false},
    {"/.well-known/ready", "health", false, false},
    {"/meta", "info", false, false},
    {"/metrics", "metrics", false, false},
};
constexpr Route kOneModel = {"/v1/models/", "models", false, true};

bool IsGzip(const HttpRequest& request) {
  const auto coding = request.Coding("Content-Encoding");
  return coding == "gzip" || coding == "x-gzip";  // which are the same (RFC 9110, 8.4.1.3)
}

const Route* FindRoute(std::string_view path) {
  for (const Route& route : kRoutes) {
    if (route.path == path) return &route;
  }
  const bool one =
      path.size() > kModelsPrefix.size() && path.substr(0, kModelsPrefix.size()) == kModelsPrefix;
  return one ? &kOneModel : nullptr;
}

// Where there is an admin port: health is on both, so that a load balancer asks where it sends.
bool IsOnPort(const Route& route, bool admin) {
  const std::string_view label = route.label;
  return label == "health" || (label == "metrics") == admin;
}

bool IsPrintable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7F; });
}

std::string Hex(uint64_t number) {
  char digits[16];
  for (int i = 15; i >= 0; --i, number >>= 4) digits[i] = "0123456789abcdef"[number & 15];
  return std::string(digits, sizeof digits);
}

double Milliseconds(Clock::duration time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

}  // namespace

std::vector<std::string> RouteLabels() {
  return {"rerank", "predict", "tokenize", "info", "models", "health", "metrics", "other"};
}

std::vector<std::string> ModelRouteLabels() { return {"rerank", "predict", "tokenize"}; }

std::vector<std::string> OutcomeLabels() {
  std::vector<std::string> labels = {kOk, kClientLeft};
  for (const ErrorKind kind :
       {ErrorKind::kValidation, ErrorKind::kEmpty, ErrorKind::kUnauthorized, ErrorKind::kNotFound,
        ErrorKind::kMethod, ErrorKind::kTooLarge, ErrorKind::kMediaType, ErrorKind::kTimeout,
        ErrorKind::kOverloaded, ErrorKind::kUnhealthy, ErrorKind::kBackend, ErrorKind::kInternal}) {
    labels.emplace_back(api::ErrorType(kind));
  }
  return labels;
}

Routes::Routes(Service& service, Metrics& metrics, Log& log, RouteOptions options, ModelNames names,
               std::vector<api::ServedModel> models)
    : bodies(options.body_bytes_inside_max),
      service_(service),
      metrics_(metrics),
      log_(log),
      options_(std::move(options)),
      cors_(options_.cors_origins),
      names_(std::move(names)),
      models_(std::move(models)),
      id_seed_(static_cast<uint64_t>(std::time(nullptr)) << 32),
      keys_(std::make_shared<const ApiKeys>()) {}

void Routes::SetKeys(ApiKeys keys) {
  service_.SetSeveralKeys(keys.size() > 1);
  auto fresh = std::make_shared<const ApiKeys>(std::move(keys));
  MutexLock lock(mutex_);
  keys_ = std::move(fresh);
}

std::shared_ptr<const ApiKeys> Routes::keys() {
  MutexLock lock(mutex_);
  return keys_;
}

Exchange Routes::Begin(const HttpRequest& request) {
  constexpr size_t kLongest = 128;
  const auto header = [&](const char* name) {
    const std::string_view given = request.Header(name);
    return given.size() <= kLongest && IsPrintable(given) ? given : std::string_view();
  };
  Exchange exchange;
  exchange.id = header("X-Request-Id");
  if (exchange.id.empty()) {
    exchange.id = Hex(id_seed_ + next_id_.fetch_add(1, std::memory_order_relaxed));
  }
  exchange.traceparent = header("traceparent");
  if (const Route* route = FindRoute(request.path)) exchange.route = route->label;
  exchange.method = request.method;
  exchange.path = request.path.substr(0, kLongest);
  exchange.peer = request.peer;
  exchange.received = request.received;
  return exchange;
}

HttpReply Routes::Finish(const Exchange& exchange, HttpReply reply, std::string_view outcome) {
  reply.headers.emplace_back("X-Request-Id", exchange.id);
  if (!exchange.traceparent.empty()) {
    reply.headers.emplace_back("traceparent", exchange.traceparent);
  }
  const Clock::duration total = Clock::now() - exchange.received;
  metrics_.CountRequest(exchange.route, std::string(outcome), exchange.model, total);
  if (*exchange.refusal != '\0') metrics_.CountRefusal(exchange.refusal);
  const RequestFigures figures = exchange.figures.value_or(RequestFigures());
  if (exchange.figures && outcome == kOk) metrics_.CountComputed(exchange.model, figures);

  const bool probe =
      std::string_view(exchange.route) == "health" || std::string_view(exchange.route) == "metrics";
  const bool slow = total > std::chrono::milliseconds(options_.slow_ms);
  const LogLevel level = slow || reply.status >= 500 ? LogLevel::kWarning
                         : probe                     ? LogLevel::kDebug
                                                     : LogLevel::kInfo;
  if (!log_.Wants(level)) return reply;
  log_.Write(
      level, slow ? "slow_request" : "request",
      {{"request_id", exchange.id},
       {"client", exchange.peer},
       {"key", exchange.key},
       {"method", exchange.method},
       {"path", exchange.path},
       {"model", exchange.model == kNoModel ? std::string_view() : names_.shown(exchange.model)},
       {"status", int64_t{reply.status}},
       {"outcome", outcome},
       {"reason", exchange.reason},
       {"refusal", std::string_view(exchange.refusal)},
       {"documents", static_cast<int64_t>(figures.documents)},
       {"tokens", static_cast<int64_t>(figures.tokens)},
       {"truncated", static_cast<int64_t>(figures.truncated)},
       {"total_ms", Milliseconds(total)},
       {"tokenize_ms", Milliseconds(figures.tokenize)},
       {"queue_ms", Milliseconds(figures.queue)},
       {"compute_ms", Milliseconds(figures.compute)},
       {"traceparent", exchange.traceparent}});
  return reply;
}

HttpReply Routes::Finish(const Exchange& exchange, const Error& error) {
  HttpReply reply;
  reply.status = error.status;
  reply.body = api::EncodeError(error, exchange.id);
  return Finish(exchange, std::move(reply), api::ErrorType(error.kind));
}

Exchange Routes::BeginBroken(HttpRequest head, std::string reason) {
  head.SplitTarget();
  Exchange exchange = Begin(head);
  exchange.received = Clock::now();
  exchange.reason = std::move(reason);
  return exchange;
}

HttpReply Routes::AnswerBroken(HttpRequest head, const Error& error) {
  return Finish(BeginBroken(std::move(head), error.message), error);
}

void Routes::CountCut(HttpRequest head, bool left, std::string reason) {
  HttpReply unsent;
  unsent.status = left ? 499 : 408;  // for the log
  Finish(BeginBroken(std::move(head), std::move(reason)), std::move(unsent),
         left ? kClientLeft : api::ErrorType(ErrorKind::kTimeout));
}

void Routes::CountFailedHandshake(std::string_view reason, const std::string& peer) {
  failed_handshakes_.fetch_add(1, std::memory_order_relaxed);
  log_.Write(LogLevel::kDebug, "tls_handshake_failed", {{"client", peer}, {"error", reason}});
}

std::optional<HttpReply> Routes::Refuse(HttpRequest& head) {
  head.SplitTarget();
  const Route* route = FindRoute(head.path);
  if (route != nullptr && options_.admin_port && !IsOnPort(*route, head.admin)) route = nullptr;
  if (route != nullptr && cors_.enabled() && Cors::IsPreflight(head)) {
    Exchange exchange = Begin(head);
    exchange.received = Clock::now();
    return Finish(exchange, Cors::AnswerPreflight(head, route->post ? "POST" : "GET, HEAD"), kOk);
  }
  std::optional<Error> error;
  const char* allowed = "";
  if (route == nullptr) {
    error = Error{ErrorKind::kNotFound, 404, Concat("no such path: ", head.path)};
  } else if (route->post != (head.method == "POST") ||
             (!route->post && head.method != "GET" && head.method != "HEAD")) {
    allowed = route->post ? "POST" : "GET, HEAD";
    error = Error{ErrorKind::kMethod, 405,
                  Concat("method: got ", head.method, ", allowed here: ", allowed)};
  } else if (const auto name =
                 keys()->Check(head.Header("Authorization"), head.Header("X-API-Key"));
             route->needs_key && !name) {
    error = Error{ErrorKind::kUnauthorized, 401,
                  "the API key is missing or wrong; send it as Authorization: Bearer KEY"};
  } else if (const std::string coding = head.Coding("Content-Encoding").value_or("");
             !coding.empty() && coding != "identity" && !IsGzip(head)) {
    error = Error{ErrorKind::kMediaType, 415,
                  Concat("Content-Encoding: got ", coding, ", allowed: identity, gzip")};
  }
  if (!error) return std::nullopt;
  Exchange exchange = Begin(head);
  exchange.received = Clock::now();
  HttpReply reply = Finish(exchange, *error);
  if (*allowed != '\0') reply.headers.emplace_back("Allow", allowed);
  if (error->status == 401) reply.headers.emplace_back("WWW-Authenticate", "Bearer");
  return reply;
}

HttpReply Routes::Health(const Exchange& exchange) {
  if (exchange.path != "/health/live" && (stopping() || !service_.engines_work())) {
    return Finish(exchange,
                  {ErrorKind::kUnhealthy, 503,
                   stopping() ? "the server is stopping" : "a model failed in its last batch"});
  }
  HttpReply reply;
  if (exchange.path == "/.well-known/ready") {
    reply.status = 204;
  } else {
    reply.body = "{\"status\":\"ok\"}";
  }
  return Finish(exchange, std::move(reply), kOk);
}

HttpReply Routes::Simple(const Exchange& exchange) {
  const std::string& path = exchange.path;
  HttpReply reply;
  if (path == "/info") {
    reply.body = api::EncodeInfo(models_);
  } else if (path == "/meta") {
    reply.body = "{}";
  } else if (path == "/v1/models") {
    reply.body = api::EncodeModels(models_);
  } else if (path == "/metrics") {
    const Service::Load load = service_.load();
    std::vector<MetricsNow::Model> models;
    for (const auto& [pairs, speed] : load.models) models.push_back({pairs, speed});
    reply.content_type = "text/plain; version=0.0.4; charset=utf-8";
    reply.body = metrics_.Text({.requests_inside = load.requests,
                                .cost_inside = load.cost,
                                .models = std::move(models),
                                .token_cache = {.hits = load.token_cache.hits,
                                                .misses = load.token_cache.misses,
                                                .evictions = load.token_cache.evictions,
                                                .bytes = load.token_cache.bytes},
                                .connections = connections.load(std::memory_order_relaxed),
                                .body_bytes = bodies.held(),
                                .log_lines_dropped = log_.lines_dropped(),
                                .failed_handshakes = failed_handshakes_.load(),
                                .certificate_valid_until = certificate_valid_until.load()});
  } else {
    return Health(exchange);
  }
  return Finish(exchange, std::move(reply), kOk);
}

HttpReply Routes::OneModel(const Exchange& exchange, std::string_view name) {
  const auto model = names_.Find(name);
  if (!model) {
    return Finish(exchange, {ErrorKind::kNotFound, 404,
                             Concat("no such model: ", name, "; served: ", names_.List())});
  }
  HttpReply reply;
  reply.body = api::EncodeModel(models_[static_cast<size_t>(*model)], name);
  return Finish(exchange, std::move(reply), kOk);
}

Routes::Cancel Routes::Handle(HttpRequest request, const Post& post, Respond respond) {
  request.SplitTarget();
  const bool large = request.body.size() > kInlineBytesMax || IsGzip(request);
  auto pending = std::make_shared<Pending>(*this, Begin(request), post, std::move(respond), large);
  if (const auto name =
          keys()->Check(request.Header("Authorization"), request.Header("X-API-Key"))) {
    pending->exchange.key = *name;
  }
  // Whoever answers has the request, not who may cancel it: one that is dropped is answered so.
  Cancel cancel = [weak = std::weak_ptr<Pending>(pending)] {
    if (const Shared found = weak.lock()) found->Leave();
  };
  if (large) {
    auto shared = std::make_shared<HttpRequest>(std::move(request));
    service_.RunBeside([this, pending, shared] { Dispatch(pending, *shared); });
  } else {
    Dispatch(pending, request);
  }
  return cancel;
}

void Routes::Dispatch(const Shared& pending, HttpRequest& request) {
  const Exchange& exchange = pending->exchange;
  if (pending->large && pending->HasLeft()) {
    HttpReply reply;
    reply.status = 499;  // for the log
    pending->respond(Finish(exchange, std::move(reply), kClientLeft));
    return;
  }
  if (IsGzip(request)) {
    auto inflated = InflateGzip(request.body, options_.inflated_bytes_max);
    if (!inflated.ok()) {
      const bool large = inflated.status().code() == StatusCode::kResourceExhausted;
      pending->respond(Finish(exchange, {large ? ErrorKind::kTooLarge : ErrorKind::kValidation,
                                         large ? 413 : 400, inflated.status().message()}));
      return;
    }
    const auto size = static_cast<int64_t>(inflated->size());
    if (!bodies.Reserve(size)) {
      HttpReply reply = Finish(exchange, {ErrorKind::kOverloaded, 429, kBodiesFull});
      reply.RetryAfter(1000);
      pending->respond(std::move(reply));
      return;
    }
    pending->inflated = size;
    request.body = *std::move(inflated);
  }
  if (options_.log_bodies && !request.body.empty()) {
    log_.Write(LogLevel::kInfo, "request_body",
               {{"request_id", exchange.id},
                {"bytes", static_cast<int64_t>(request.body.size())},
                {"body", std::string_view(request.body).substr(0, kLoggedBodyBytesMax)}});
  }
  const std::string_view route = exchange.route;
  if (route == "rerank") return Rerank(pending, request);
  if (route == "predict") return Predict(pending, request);
  if (route == "tokenize") return Tokenize(pending, request);
  if (&kOneModel == FindRoute(request.path)) {
    pending->respond(OneModel(exchange, DecodePercent(request.path.substr(kModelsPrefix.size()))));
    return;
  }
  pending->respond(Simple(exchange));
}

}  // namespace podium
