#include "hub/client.h"

#include <chrono>
#include <cstdio>
#include <optional>
#include <thread>
#include <utility>

#include "base/concat.h"

namespace podium::hub {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRangeNotSatisfiable = 416;

// A body in memory.
class TextSink final : public ResumableSink {
 public:
  explicit TextSink(size_t bytes_max) : bytes_max_(bytes_max) {}
  Status Begin(const HttpReply&) override { return StartAgain(); }
  Status StartAgain() override {
    text_.clear();
    return OkStatus();
  }
  Status Take(std::string_view bytes) override {
    if (bytes.size() > bytes_max_ - text_.size()) {
      return ResourceExhausted(Concat("the reply is larger than ", bytes_max_, " bytes"));
    }
    text_.append(bytes);
    return OkStatus();
  }
  uint64_t offset() const override { return 0; }  // small enough to ask for all of it again
  bool IsComplete() const override { return true; }
  std::string& text() { return text_; }

 private:
  const size_t bytes_max_;
  std::string text_;
};

std::string Seconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, seconds < 10 ? "%.1f s" : "%.0f s", seconds);
  return text;
}

HttpOutcome Local(Status status) { return {Failure::kLocal, std::move(status), {}}; }

bool IsPlainHttp(const std::string& origin) { return origin.starts_with("http://"); }

}  // namespace

Client::Client(std::unique_ptr<Http> http, const Settings& settings, const HubName& model,
               int retries, std::function<void(const std::string&)> note,
               const std::atomic<bool>& cancel)
    : http_(std::move(http)),
      settings_(settings),
      model_(model),
      retries_(retries),
      note_(std::move(note)),
      cancel_(cancel),
      random_(std::random_device()()) {}

Result<HttpReply> Client::Head(const std::string& url, const std::string& what) {
  return Follow({.head = true, .url = url, .token = "", .from = 0}, what, nullptr);
}

Result<std::string> Client::GetText(const std::string& url, const std::string& what,
                                    size_t bytes_max) {
  TextSink sink(bytes_max);
  PODIUM_RETURN_IF_ERROR(Download(url, what, sink));
  return std::move(sink.text());
}

Status Client::Download(const std::string& url, const std::string& what, ResumableSink& sink) {
  const auto reply = Follow({.head = false, .url = url, .token = "", .from = 0}, what, &sink);
  return reply.ok() ? OkStatus() : reply.status();
}

// From the hub's own URL to the reply that is none of a redirect.
HttpOutcome Client::FollowOnce(HttpRequest request, ResumableSink* sink) {
  const std::string hub = Origin(settings_.endpoint);
  for (int redirects = 0; redirects <= kRedirectsMax; ++redirects) {
    const std::string origin = Origin(request.url);
    request.token = origin == hub ? settings_.token : "";
    request.from = sink == nullptr ? 0 : sink->offset();
    HttpOutcome outcome = http_->Perform(request, sink, cancel_);
    if (outcome.failure != Failure::kNone) return outcome;
    was_reached_ = true;
    const std::string target = outcome.reply.redirect;
    if (target.empty()) return outcome;
    const bool names_digest = !outcome.reply.Header("x-linked-etag").empty();
    if (request.head && names_digest && Origin(target) != hub) return outcome;
    if (!IsPlainHttp(origin) && IsPlainHttp(Origin(target))) {
      return Local(IoError(Concat(DisplayUrl(request.url), ": redirects from https to ",
                                  DisplayUrl(target), ", which anyone on the way could change")));
    }
    request.url = target;
  }
  return Local(
      IoError(Concat(DisplayUrl(request.url), ": more than ", kRedirectsMax, " redirects")));
}

Result<HttpReply> Client::Follow(const HttpRequest& request, const std::string& what,
                                 ResumableSink* sink) {
  int failures = 0;
  while (true) {
    const uint64_t before = sink == nullptr ? 0 : sink->offset();
    HttpOutcome outcome = FollowOnce(request, sink);
    const HttpReply& reply = outcome.reply;
    is_unreachable_ = outcome.failure == Failure::kUnreachable ||
                      outcome.failure == Failure::kBroken || reply.status >= 500;
    Status status = outcome.status;
    bool again = false;
    switch (outcome.failure) {
      case Failure::kNone:
        // 3xx: of a HEAD that stopped at the redirect which names the digest.
        if (reply.status < 400) {
          if (sink == nullptr || sink->IsComplete()) return std::move(outcome.reply);
          status = IoError(Concat(what, ": the reply ended early, at byte ", sink->offset()));
          again = true;
          break;
        }
        status = Explain(reply, what);
        again = IsTransient(reply.status);
        if (reply.status == kRangeNotSatisfiable && before > 0) {
          PODIUM_RETURN_IF_ERROR(sink->StartAgain());
          again = true;
        }
        break;
      case Failure::kUnreachable:
        // Who has no network wants to know now; a hub that answered a moment ago will be back.
        again = was_reached_;
        break;
      case Failure::kBroken:
        again = true;
        break;
      case Failure::kTls:
      case Failure::kLocal:
        break;
    }
    if (!again) {
      return status.code() == StatusCode::kResourceExhausted
                 ? Status(status.code(), Concat(what, ": ", status.message()))
                 : status;
    }
    const bool has_progress = sink != nullptr && sink->offset() > before;
    failures = has_progress ? 1 : failures + 1;
    std::uniform_real_distribution<double> unit(0, 1);
    const auto delay =
        RetryDelay(RetryLimits(), failures, retries_, reply.retry_after_seconds, unit(random_));
    if (!delay) {
      if (failures == 1) return status;
      return Status(status.code(),
                    Concat(status.message(), "\nGiven up after ", failures, " tries in a row"));
    }
    note_(Concat(status.message(), "; trying again in ", Seconds(*delay), " (", failures, " of ",
                 retries_, ")"));
    PODIUM_RETURN_IF_ERROR(Wait(*delay));
  }
}

Status Client::Explain(const HttpReply& reply, const std::string& what) const {
  constexpr size_t kQuotedBytesMax = 300;
  const std::string code = reply.Header("x-error-code");
  std::string said = reply.Header("x-error-message").substr(0, kQuotedBytesMax);
  if (!said.empty()) said = Concat(" (\"", said, "\")");
  const std::string page = DisplayUrl(Concat(settings_.endpoint, "/", model_.name));
  const std::string start = Concat(model_.name, ": ", what, ": HTTP ", reply.status, said);
  if (Origin(reply.url) != Origin(settings_.endpoint)) {
    // Where the hub sent us to knows neither names nor tokens.
    return IoError(Concat(start, " from ", DisplayUrl(reply.url)));
  }
  const char* const token_hint = settings_.token.empty()
                                     ? "set HF_TOKEN to a token that may read it"
                                     : "the token (HF_TOKEN, or the token file) may not read it";
  if (code == "GatedRepo") {
    return Status(StatusCode::kIo, Concat(start, "\nThe model is gated: accept its licence at ",
                                          page, " and ", token_hint));
  }
  if (code == "RevisionNotFound") {
    return NotFound(Concat(start, "\nThere is no revision \"", model_.revision,
                           "\"; branches and tags are listed at ", page, "/tree/main"));
  }
  if (code == "EntryNotFound") return NotFound(Concat(start, "\nThe file is not there: ", page));
  if (reply.status == 401 || reply.status == 403) {
    // The hub does not tell strangers which names exist.
    return Status(StatusCode::kIo,
                  Concat(start,
                         "\nThere is no such model, or it is private or gated: check the "
                         "name at ",
                         page, ", accept the licence there if it asks for one, and ", token_hint));
  }
  if (reply.status == 404) {
    return NotFound(Concat(start, "\nThere is no such model at ", page,
                           "; names are org/name, capitals count, and a private model needs "
                           "HF_TOKEN"));
  }
  if (reply.status == 429) {
    const double wait = reply.retry_after_seconds.value_or(0);
    return IoError(Concat(start, ": too many requests",
                          wait > 0 ? Concat(", wait ", Seconds(wait)) : std::string(),
                          settings_.token.empty() ? "; HF_TOKEN raises the limit" : ""));
  }
  return IoError(start);
}

Status Client::Wait(double seconds) const {
  constexpr auto kStep = std::chrono::milliseconds(50);
  const auto until = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                        std::chrono::duration<double>(seconds));
  while (Clock::now() < until) {
    if (cancel_.load(std::memory_order_relaxed)) {
      return Status(StatusCode::kCancelled, "the caller cancelled");
    }
    std::this_thread::sleep_for(kStep);
  }
  return OkStatus();
}

}  // namespace podium::hub
