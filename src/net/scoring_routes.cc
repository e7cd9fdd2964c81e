// The routes that go through the service: rerank in its dialects, predict, tokenize.
#include <algorithm>
#include <ctime>
#include <limits>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "api/predict.h"
#include "base/concat.h"
#include "net/pending.h"

namespace podium {
namespace {

using Clock = std::chrono::steady_clock;
using api::Error;
using api::ErrorKind;

std::string WholeMilliseconds(Clock::duration time) {
  return Concat(std::chrono::duration_cast<std::chrono::milliseconds>(time).count());
}

constexpr std::string_view kRankedDocuments = "ranked_documents";

std::optional<Error> CheckShape(const HttpRequest& request, int validation_status) {
  const std::vector<std::string> shapes = request.QueryValues("shape");
  if (shapes.size() > 1) {
    return Error{ErrorKind::kValidation, validation_status, "shape: it is there twice"};
  }
  const std::string shape = shapes.empty() ? "" : shapes.front();
  if (shape.empty() || shape == "full" || shape == kRankedDocuments) return std::nullopt;
  return Error{ErrorKind::kValidation, validation_status,
               Concat("shape: got \"", shape, "\", allowed: ", kRankedDocuments, ", full")};
}

api::RerankPath PathOf(const HttpRequest& request, bool short_replies) {
  using Kind = api::RerankPath::Kind;
  const std::string_view path = request.path;
  const std::string shape = request.QueryValue("shape");
  return {.kind = path == "/rerank"         ? Kind::kBare
                  : path == "/array/rerank" ? Kind::kArray
                  : path == "/api/rerank"   ? Kind::kOllama
                                            : Kind::kVersioned,
          .ranked_documents = shape == kRankedDocuments,
          .ranked_documents_default = shape.empty() && short_replies && path == "/rerank"};
}

// TEI's names; its clients show them.
void AddStageHeaders(const Exchange& exchange, const Answer& answer, HttpReply& reply) {
  reply.headers = {
      {"x-compute-type", "cpu"},
      {"x-compute-tokens", Concat(answer.tokens)},
      {"x-total-time", WholeMilliseconds(Clock::now() - exchange.received)},
      {"x-tokenization-time", WholeMilliseconds(answer.times.tokenize)},
      {"x-queue-time", WholeMilliseconds(answer.times.queue)},
      {"x-inference-time", WholeMilliseconds(answer.times.compute)},
  };
  if (answer.truncated > 0) {
    reply.headers.emplace_back("x-truncated-documents", Concat(answer.truncated));
  }
}

HttpReply EncodeReply(const Exchange& exchange, const Answer& answer, const api::RerankCall& call,
                      std::string_view shown_name) {
  std::vector<RankedDocument> ranking = answer.Ranking(call.top_n);
  if (call.min_score) {
    constexpr double kMost = std::numeric_limits<float>::max();
    const auto least = static_cast<float>(std::clamp(*call.min_score, -kMost, kMost));
    std::erase_if(ranking, [&](const RankedDocument& document) {
      return api::ShownScore(call, document.score) < least;
    });
  }
  api::RerankReply result;
  result.id = exchange.id;
  result.model = call.model.empty() ? shown_name : call.model;
  result.created = std::time(nullptr);
  result.ranking = ranking;
  result.scores = answer.scores;
  result.tokens = answer.tokens;
  result.latency_ms =
      std::chrono::duration<double, std::milli>(Clock::now() - exchange.received).count();
  HttpReply reply;
  reply.body = api::EncodeRerank(call, result);
  AddStageHeaders(exchange, answer, reply);
  return reply;
}

}  // namespace

std::optional<Error> Routes::TimeLimit(const HttpRequest& request, int validation_status,
                                       ServiceRequest& ask) const {
  int timeout_ms = options_.timeout_ms;
  if (const std::string_view asked = request.Header("X-Request-Timeout-Ms"); !asked.empty()) {
    const int64_t count = ReadCount(asked).value_or(0);
    if (count == 0) {
      return Error{ErrorKind::kValidation, validation_status,
                   Concat("X-Request-Timeout-Ms: got \"", asked,
                          "\", expected whole milliseconds, at least 1; more than ",
                          options_.timeout_ms_max, " count as that")};
    }
    timeout_ms = static_cast<int>(std::min<int64_t>(count, options_.timeout_ms_max));
  }
  ask.received = request.received;
  ask.deadline = request.received + std::chrono::milliseconds(timeout_ms);
  return std::nullopt;
}

std::optional<Error> Routes::ChooseModel(std::string_view name, Exchange& exchange) const {
  const auto model = names_.Find(name);
  if (!model) {
    return Error{ErrorKind::kNotFound, 404,
                 Concat("model: got \"", name, "\", served: ", names_.List())};
  }
  exchange.model = *model;
  return std::nullopt;
}

HttpReply Routes::Failure(Exchange& exchange, const Answer& answer, int validation_status,
                          int backend_status) {
  Error error{Pending::Kind(answer), backend_status, answer.status.message()};
  switch (error.kind) {
    case ErrorKind::kValidation:
      error.status = validation_status;
      break;
    case ErrorKind::kOverloaded:
      error.status = 429;
      break;
    case ErrorKind::kUnhealthy:
      error.status = 503;
      break;
    case ErrorKind::kTimeout:
      error.status = 504;
      break;
    default:
      break;
  }
  if (answer.status.code() == StatusCode::kCancelled) error.status = 499;  // for the log
  HttpReply reply;
  reply.status = error.status;
  reply.body = api::EncodeError(error, exchange.id);
  if (error.status == 429 || error.status == 503) {
    reply.RetryAfter(std::max<int64_t>(answer.retry_after.count(), 1000));
  }
  return reply;
}

void Routes::Encode(const Shared& pending, std::function<void()> work) {
  if (!pending->large) return pending->post(std::move(work));
  service_.RunBeside(std::move(work));
}

void Routes::Submit(const Shared& pending, ServiceRequest ask,
                    std::function<HttpReply(Exchange&, const Answer&)> encode) {
  ask.key = pending->exchange.key;
  ask.model = pending->exchange.model;
  const size_t documents = ask.pairs.size();
  // The answer comes on a compute thread: sorting and encoding wait for this connection's own.
  Completion<Answer> done([this, pending, documents, encode = std::move(encode)](Answer answer) {
    auto shared = std::make_shared<Answer>(std::move(answer));
    Encode(pending, [this, pending, documents, encode, shared] {
      Exchange& exchange = pending->exchange;
      exchange.refusal = shared->refusal == Refusal::kNone ? "" : RefusalName(shared->refusal);
      exchange.figures = RequestFigures{.documents = documents,
                                        .tokens = shared->tokens,
                                        .truncated = static_cast<uint64_t>(shared->truncated),
                                        .duplicates = static_cast<uint64_t>(shared->duplicates),
                                        .tokenize = shared->times.tokenize,
                                        .queue = shared->times.queue,
                                        .compute = shared->times.compute};
      HttpReply reply = encode(exchange, *shared);
      const bool left = shared->status.code() == StatusCode::kCancelled;
      pending->respond(Finish(exchange, std::move(reply),
                              left                  ? kClientLeft
                              : shared->status.ok() ? kOk
                                                    : pending->outcome(*shared)));
    });
  });
  pending->Submitted(service_.Submit(std::move(ask), std::move(done)));
}

void Routes::Rerank(const Shared& pending, const HttpRequest& request) {
  auto decoded =
      api::DecodeRerank(request.body, PathOf(request, options_.ranked_documents), options_.decode);
  if (const Error* error = std::get_if<Error>(&decoded)) {
    pending->respond(Finish(pending->exchange, *error));
    return;
  }
  auto call = std::get<std::shared_ptr<api::RerankCall>>(std::move(decoded));
  if (const auto error = ChooseModel(call->model, pending->exchange)) {
    pending->respond(Finish(pending->exchange, *error));
    return;
  }
  const int validation = api::ValidationStatus(call->dialect);
  if (const auto error = CheckShape(request, validation)) {
    pending->respond(Finish(pending->exchange, *error));
    return;
  }
  ServiceRequest ask;
  if (const auto error = TimeLimit(request, validation, ask)) {
    pending->respond(Finish(pending->exchange, *error));
    return;
  }
  ask.texts = call;
  ask.pairs.reserve(call->documents.size());
  for (const std::string_view document : call->documents) {
    ask.pairs.push_back({call->query, document});
  }
  ask.encode = {.truncate = call->truncate,
                .keep_end = call->truncate_left,
                .document_tokens_max = call->max_tokens_per_doc};
  Submit(pending, std::move(ask), [this, call](Exchange& exchange, const Answer& answer) {
    if (!answer.status.ok()) {
      return Failure(exchange, answer, api::ValidationStatus(call->dialect),
                     api::BackendStatus(call->dialect));
    }
    return EncodeReply(exchange, answer, *call, names_.shown(exchange.model));
  });
}

void Routes::Predict(const Shared& pending, const HttpRequest& request) {
  constexpr int kValidation = 422;
  constexpr int kBackend = 424;
  auto decoded = api::DecodePredict(request.body, options_.decode);
  if (const Error* error = std::get_if<Error>(&decoded)) {
    pending->respond(Finish(pending->exchange, *error));
    return;
  }
  auto call = std::get<std::shared_ptr<api::PredictCall>>(std::move(decoded));
  if (const auto error = ChooseModel(call->model, pending->exchange)) {
    pending->respond(Finish(pending->exchange, *error));
    return;
  }
  ServiceRequest ask;
  if (const auto error = TimeLimit(request, kValidation, ask)) {
    pending->respond(Finish(pending->exchange, *error));
    return;
  }
  ask.texts = call;
  ask.pairs = call->pairs;
  ask.encode = {.truncate = call->truncate, .keep_end = call->truncate_left};
  Submit(pending, std::move(ask), [call](Exchange& exchange, const Answer& answer) {
    if (!answer.status.ok()) return Failure(exchange, answer, kValidation, kBackend);
    HttpReply reply;
    reply.body = api::EncodePredict(*call, answer.scores);
    AddStageHeaders(exchange, answer, reply);
    return reply;
  });
}

void Routes::Tokenize(const Shared& pending, const HttpRequest& request) {
  auto decoded = api::DecodeTokenize(request.body, options_.decode);
  if (const Error* error = std::get_if<Error>(&decoded)) {
    pending->respond(Finish(pending->exchange, *error));
    return;
  }
  const auto call = std::get<std::shared_ptr<api::TokenizeCall>>(std::move(decoded));
  if (const auto error = ChooseModel(call->model, pending->exchange)) {
    pending->respond(Finish(pending->exchange, *error));
    return;
  }
  Completion<Result<Service::Tokens>> done([this, pending](Result<Service::Tokens> tokens) {
    auto shared = std::make_shared<Result<Service::Tokens>>(std::move(tokens));
    Encode(pending, [this, pending, shared] {
      if (!shared->ok()) {
        const bool large = shared->status().code() == StatusCode::kResourceExhausted;
        pending->respond(
            Finish(pending->exchange, {large ? ErrorKind::kTooLarge : ErrorKind::kInternal,
                                       large ? 413 : 500, shared->status().message()}));
        return;
      }
      std::vector<std::vector<api::TokenView>> views;
      for (const auto& text : **shared) {
        auto& view = views.emplace_back();
        for (const TokenizedPiece& piece : text) {
          view.push_back({piece.id, piece.text, piece.special});
        }
      }
      HttpReply reply;
      reply.body = api::EncodeTokens(views);
      pending->respond(Finish(pending->exchange, std::move(reply), "ok"));
    });
  });
  service_.Tokenize(pending->exchange.model, call, call->texts, call->add_special_tokens,
                    std::move(done));
}

}  // namespace podium
