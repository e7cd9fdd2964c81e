#include "service/admission.h"

#include <algorithm>

namespace podium {

const char* RefusalName(Refusal refusal) {
  switch (refusal) {
    case Refusal::kNone:
      return "none";
    case Refusal::kRequests:
      return "requests";
    case Refusal::kCost:
      return "cost";
    case Refusal::kKeyShare:
      return "key_share";
    case Refusal::kDeadline:
      return "deadline";
    case Refusal::kStopping:
      return "stopping";
  }
  return "unknown";
}

Refusal Admission::Enter(const std::string& key, double cost, std::chrono::duration<double> wait,
                         std::chrono::duration<double> left) {
  if (stopping_) return Refusal::kStopping;
  const auto cost_max = static_cast<double>(options_.cost_max);
  if (total_.requests >= options_.requests_max) return Refusal::kRequests;
  // A request above the bound alone is let in when nothing else is there: documents_max and the
  // maximum length bound it already.
  if (total_.requests > 0 && total_.cost + cost > cost_max) return Refusal::kCost;
  if (several_keys_) {
    const auto held = keys_.find(key);
    if (held != keys_.end() &&
        (held->second.requests + 1 > options_.requests_max - total_.requests - 1 ||
         held->second.cost + cost > cost_max - total_.cost - cost)) {
      return Refusal::kKeyShare;
    }
  }
  if (left.count() <= 0 || wait > left) return Refusal::kDeadline;
  Held& held = keys_[key];  // where memory fails nothing has been counted
  ++total_.requests;
  total_.cost += cost;
  ++held.requests;
  held.cost += cost;
  return Refusal::kNone;
}

double Admission::ShareOfNext(const std::string& key) const {
  const auto held = keys_.find(key);
  return several_keys_ && held != keys_.end() ? 1.0 / (held->second.requests + 1) : 1;
}

void Admission::Correct(const std::string& key, double estimated, double actual) {
  total_.cost += actual - estimated;
  keys_[key].cost += actual - estimated;
}

void Admission::Leave(const std::string& key, double cost) {
  --total_.requests;
  total_.cost = total_.requests == 0 ? 0 : total_.cost - cost;
  const auto held = keys_.find(key);
  held->second.cost -= cost;
  if (--held->second.requests == 0) keys_.erase(held);
}

std::chrono::milliseconds RetryAfter(double seconds_inside, uint64_t random) {
  constexpr double kLeast = 1000;
  constexpr double kMost = 60'000;
  const double drained = 1000 * seconds_inside;
  const double spread = 1 + 0.25 * static_cast<double>(random % 1024) / 1024;
  return std::chrono::milliseconds(
      static_cast<int64_t>(std::clamp(std::max(drained, kLeast) * spread, kLeast, kMost)));
}

}  // namespace podium
