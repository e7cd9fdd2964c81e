// Who is let in. Pure: what is known comes in, a decision comes out.
#ifndef PODIUM_SERVICE_ADMISSION_H_
#define PODIUM_SERVICE_ADMISSION_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <unordered_map>

namespace podium {

struct AdmissionOptions {
  /// Requests inside at once, tokenizing, waiting or computing.
  int requests_max = 1024;
  /// Σ cost (tokens + c · length²) of what is inside: bounds memory and, with the measured speed,
  /// the wait.
  int64_t cost_max = 4'000'000;
};

/// Why a request was refused, or failed: labels of metrics and the log, so names are stable.
enum class Refusal : uint8_t { kNone, kRequests, kCost, kKeyShare, kDeadline, kStopping };
const char* RefusalName(Refusal refusal);

/// What is known of a request's time when it comes.
struct TimeEstimate {
  using Seconds = std::chrono::duration<double>;
  Seconds own{0};   // of its work, with the engine to itself
  Seconds wait{0};  // until it would have ended
  Seconds left{0};  // until its deadline
};

/// What the client is told. Where time is short: whether others are in the way, or the request asks
/// for what cannot be.
std::string RefusalMessage(Refusal refusal, const TimeEstimate& estimate);

/// One thread at a time.
///
/// Where there are several keys, none may hold more, of requests or of cost, than it leaves free:
/// one that floods the queue gets half of it, two a third each, n of them 1/(n + 1), so that there
/// is room for another whatever their number. The last places are for keys that hold nothing yet.
class Admission {
 public:
  explicit Admission(const AdmissionOptions& options) : options_(options) {}

  /// `cost` is an estimate; `wait` is how long until it would have ended (0: not known), `left` how
  /// long its client waits. When admitted, Leave() must follow.
  Refusal Enter(const std::string& key, double cost, std::chrono::duration<double> wait,
                std::chrono::duration<double> left);
  /// The cost is now known better. Nobody is refused any more.
  void Correct(const std::string& key, double estimated, double actual);
  void Leave(const std::string& key, double cost);
  void Stop() { stopping_ = true; }
  void set_several_keys(bool several) { several_keys_ = several; }
  /// The share of the engine's time that the key's next request has beside others: 1, ½, ⅓ …, so
  /// that the requests of a key end in the order in which one after the other would. 1 where there
  /// are not several keys.
  double ShareOfNext(const std::string& key) const;

  int requests() const { return total_.requests; }
  double cost() const { return total_.cost; }

 private:
  struct Held {
    int requests = 0;
    double cost = 0;
  };
  const AdmissionOptions options_;
  Held total_;
  std::unordered_map<std::string, Held> keys_;  // those with something inside
  bool stopping_ = false;
  bool several_keys_ = false;
};

/// When to come again, 1 to 60 s: until what is inside has been computed, spread by up to a quarter
/// by `random` so that those refused together do not return together.
std::chrono::milliseconds RetryAfter(double seconds_inside, uint64_t random);

}  // namespace podium

#endif  // PODIUM_SERVICE_ADMISSION_H_
