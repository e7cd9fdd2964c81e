// What is counted, as Prometheus reads it.
//
// observe/ is the log and the metrics; the libraries behind them are seen nowhere else. It may
// include json/ and base/. Any thread may count and log: counting is a few atomic additions, a log
// line is handed to the log's own thread.
#ifndef PODIUM_OBSERVE_METRICS_H_
#define PODIUM_OBSERVE_METRICS_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace podium {

/// Labels of the one series podium_info.
struct MetricsInfo {
  std::string version;
  std::string model;
  std::string precision;
  std::string isa;
};

/// Values that are looked up when somebody asks.
struct MetricsNow {
  int requests_inside = 0;
  double cost_inside = 0;  // tokens + c · length²
  size_t pairs_waiting = 0;
  double cost_per_second = 0;
  int connections = 0;
  int64_t body_bytes = 0;
  uint64_t log_lines_dropped = 0;
  uint64_t failed_handshakes = 0;
  int64_t certificate_valid_until = 0;  // seconds since 1970
};

/// One request that was computed.
struct RequestFigures {
  uint64_t documents = 0;
  uint64_t tokens = 0;
  uint64_t truncated = 0;
  uint64_t duplicates = 0;
  std::chrono::steady_clock::duration tokenize{0};
  std::chrono::steady_clock::duration queue{0};
  std::chrono::steady_clock::duration compute{0};
};

class Metrics {
 public:
  /// All series exist from here on, at 0: the names of routes, outcomes and reasons are all that
  /// will ever be counted; another name counts as "other".
  Metrics(const MetricsInfo& info, const std::vector<std::string>& routes,
          const std::vector<std::string>& outcomes, const std::vector<std::string>& reasons);
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  /// Every request once, whatever became of it.
  void CountRequest(const std::string& route, const std::string& outcome,
                    std::chrono::steady_clock::duration total);
  void CountComputed(const RequestFigures& figures);
  void CountRefusal(const std::string& reason);
  void CountBatch(int pairs, int tokens, double fill, std::chrono::steady_clock::duration compute);

  /// Prometheus text format 0.0.4, with `now` and what the system says of this process.
  std::string Text(const MetricsNow& now);

 private:
  struct Series;
  std::unique_ptr<Series> series_;
};

}  // namespace podium

#endif  // PODIUM_OBSERVE_METRICS_H_
