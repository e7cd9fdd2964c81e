#include "hub/retry.h"

#include <algorithm>
#include <cmath>

namespace podium::hub {

bool IsTransient(int http_status) {
  return http_status == 408 || http_status == 429 || http_status == 500 || http_status == 502 ||
         http_status == 503 || http_status == 504;
}

std::optional<double> RetryDelay(const RetryLimits& limits, int failures, int retries,
                                 std::optional<double> retry_after_seconds, double random) {
  if (failures > retries) return std::nullopt;
  // Half of the delay is random: clients that were cut off together do not come back together.
  const double whole =
      std::min(limits.delay_seconds_max, limits.first_delay_seconds * std::exp2(failures - 1));
  const double own = whole * (0.5 + 0.5 * random);
  if (!retry_after_seconds) return own;
  if (*retry_after_seconds > limits.retry_after_seconds_max) return std::nullopt;
  return std::max(*retry_after_seconds, own);
}

}  // namespace podium::hub
