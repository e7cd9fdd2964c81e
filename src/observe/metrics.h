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

/// What there is to count: the values of labels, which are all that will ever be counted.
struct MetricsLabels {
  struct Model {
    std::string name;
    std::string precision;
    std::string isa;
  };
  std::string version;
  std::vector<Model> models;
  std::vector<std::string> routes;        // and "other"
  std::vector<std::string> model_routes;  // those that go to a model
  std::vector<std::string> outcomes;
  std::vector<std::string> refusals;
};

/// In place of a model, for requests that went to none.
constexpr int kNoModel = -1;

/// Values that are looked up when somebody asks.
struct MetricsNow {
  int requests_inside = 0;
  double cost_inside = 0;  // tokens + c · length²
  struct Model {
    size_t pairs_waiting = 0;
    double cost_per_second = 0;
  };
  std::vector<Model> models = {};
  struct TokenCache {
    uint64_t hits = 0;
    uint64_t misses = 0;
    uint64_t evictions = 0;
    size_t bytes = 0;
  };
  TokenCache token_cache = {};
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
  /// All series exist from here on, at 0. A name that is no label's counts as "other".
  explicit Metrics(const MetricsLabels& labels);
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  /// Every request once, whatever became of it.
  void CountRequest(const std::string& route, const std::string& outcome, int model,
                    std::chrono::steady_clock::duration total);
  void CountComputed(int model, const RequestFigures& figures);
  void CountRefusal(const std::string& reason);
  void CountBatch(int model, int pairs, int tokens, double fill,
                  std::chrono::steady_clock::duration compute);

  /// Prometheus text format 0.0.4, with `now` and what the system says of this process.
  std::string Text(const MetricsNow& now);

 private:
  struct Series;
  std::unique_ptr<Series> series_;
};

}  // namespace podium

#endif  // PODIUM_OBSERVE_METRICS_H_
