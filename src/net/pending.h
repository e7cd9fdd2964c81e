// A request while it is being answered; for routes.cc and scoring_routes.cc.
#ifndef PODIUM_NET_PENDING_H_
#define PODIUM_NET_PENDING_H_

#include <new>
#include <utility>

#include "base/mutex.h"
#include "net/routes.h"

namespace podium {

// Outcomes that are no error's type.
constexpr const char* kOk = "ok";
constexpr const char* kClientLeft = "ClientLeft";

struct Routes::Pending {
  Pending(Routes& owner, Exchange begun, Post on_thread, Respond answer, bool is_large)
      : routes(owner),
        exchange(std::move(begun)),
        post(std::move(on_thread)),
        respond(std::move(answer)),
        large(is_large) {}
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;
  /// Dropped without an answer, for want of memory: answered, counted and logged if there is some
  /// again; else the connection ends.
  ~Pending() {
    routes.bodies.Release(inflated);
    if (respond.fired()) return;
    try {
      respond(routes.Finish(exchange, {api::ErrorKind::kInternal, 500,
                                       "the request was dropped for want of memory"}));
    } catch (const std::bad_alloc&) {
    }
  }

  Routes& routes;
  Exchange exchange;
  const Post post;
  Respond respond;
  const bool large;      // decoded and encoded beside the I/O thread
  int64_t inflated = 0;  // bytes held beside the body's own

  /// The client has left; any thread, also before the request was submitted.
  void Leave() EXCLUDES(mutex) {
    std::shared_ptr<Service::Flight> found;
    {
      MutexLock lock(mutex);
      left = true;
      found = flight;
    }
    if (found != nullptr) Service::Cancel(*found);
  }
  /// What Leave cancels.
  void Submitted(const std::shared_ptr<Service::Flight>& submitted) EXCLUDES(mutex) {
    bool late = false;
    {
      MutexLock lock(mutex);
      flight = submitted;
      late = left;
    }
    if (late && submitted != nullptr) Service::Cancel(*submitted);
  }
  bool HasLeft() EXCLUDES(mutex) {
    MutexLock lock(mutex);
    return left;
  }

  Mutex mutex;
  bool left GUARDED_BY(mutex) = false;
  std::shared_ptr<Service::Flight> flight GUARDED_BY(mutex);

  /// What an answer that failed is called in the metrics.
  static const char* outcome(const Answer& answer) { return api::ErrorType(Kind(answer)); }
  static api::ErrorKind Kind(const Answer& answer) {
    switch (answer.status.code()) {
      case StatusCode::kInvalidArgument:
        return api::ErrorKind::kValidation;
      case StatusCode::kResourceExhausted:
        return answer.refusal == Refusal::kStopping ? api::ErrorKind::kUnhealthy
                                                    : api::ErrorKind::kOverloaded;
      case StatusCode::kDeadlineExceeded:
        return api::ErrorKind::kTimeout;
      default:
        return api::ErrorKind::kBackend;
    }
  }
};

}  // namespace podium

#endif  // PODIUM_NET_PENDING_H_
