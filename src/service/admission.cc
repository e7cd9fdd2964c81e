#include "service/admission.h"

#include <algorithm>
#include <cmath>

#include "base/concat.h"

namespace podium {
namespace {

// Small ones in tenths.
std::string ShowMilliseconds(TimeEstimate::Seconds time) {
  const auto tenths = static_cast<int64_t>(std::min(std::ceil(1e4 * time.count()), 1e15));
  return tenths < 100 ? Concat(tenths / 10, ".", tenths % 10) : Concat(tenths / 10);
}

std::string ShowMissed(const TimeEstimate& estimate) {
  if (estimate.left.count() <= 0) return "the request's time limit was over before it was let in";
  const std::string own = ShowMilliseconds(estimate.own);
  const std::string left = ShowMilliseconds(estimate.left);
  if (estimate.own > estimate.left) {
    return Concat("the request's time limit is too short: it takes about ", own,
                  " ms also when nothing else runs, and has ", left, " ms left");
  }
  return Concat("the server is busy: the answer would take about ", ShowMilliseconds(estimate.wait),
                " ms, ", own, " ms of it for the request itself, which has ", left, " ms left");
}

}  // namespace

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

std::string RefusalMessage(Refusal refusal, const TimeEstimate& estimate) {
  switch (refusal) {
    case Refusal::kStopping:
      return "the server is stopping";
    case Refusal::kKeyShare:
      return "this key's share of the queue is full, try again later";
    case Refusal::kDeadline:
      return ShowMissed(estimate);
    default:
      return "the server is busy: its queue is full, try again later";
  }
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
