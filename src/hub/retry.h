// When to try a failed request again: data in, decision out.
#ifndef PODIUM_HUB_RETRY_H_
#define PODIUM_HUB_RETRY_H_

#include <optional>

#include "hub/http.h"

namespace podium::hub {

struct RetryLimits {
  double first_delay_seconds = 1;  // doubled with each further failure
  double delay_seconds_max = 30;
  /// A server that asks for a longer wait is not waited for.
  double retry_after_seconds_max = 300;
};

/// 408, 429 and the 5xx of a server that may recover.
bool IsTransient(int http_status);

/// Seconds to wait after the nth failure in a row (n from 1); nullopt to give up. `random` in
/// [0, 1) spreads clients that failed together. A wait that the server asked for is kept.
std::optional<double> RetryDelay(const RetryLimits& limits, int failures, int retries,
                                 std::optional<double> retry_after_seconds, double random);

}  // namespace podium::hub

#endif  // PODIUM_HUB_RETRY_H_
