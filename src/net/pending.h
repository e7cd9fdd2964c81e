// A request while it is being answered; for routes.cc and scoring_routes.cc.
#ifndef PODIUM_NET_PENDING_H_
#define PODIUM_NET_PENDING_H_

#include "net/routes.h"

namespace podium {

struct Routes::Pending {
  Exchange exchange;
  Post post;
  Respond respond;

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
