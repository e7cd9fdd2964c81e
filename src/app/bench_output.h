// The figures of `podium bench` as a table, JSON, CSV and a picture.
#ifndef PODIUM_APP_BENCH_OUTPUT_H_
#define PODIUM_APP_BENCH_OUTPUT_H_

#include <cstddef>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "measure/pass.h"
#include "model/encoder_spec.h"

namespace podium {

/// One task, timed.
struct BenchRow {
  std::string name;    // of the workload
  int length = 0;      // of a sweep's row: tokens of a pair
  int budget = 0;      // of a sweep's row: tokens of a batch
  int left_out = 0;    // pairs of the workload that this machine had no time for
  std::string remark;  // why there are no figures; "" when there are
  size_t pairs = 0;
  size_t tokens = 0;
  size_t batches = 0;
  measure::PassTimes times;
  double operations = 0;  // of a round, nominal

  double tokens_per_s() const { return static_cast<double>(tokens) / times.median(); }
  double pairs_per_s() const { return static_cast<double>(pairs) / times.median(); }
  double operations_per_s() const { return operations / times.median(); }
  /// Seconds that a share of the batches stay below.
  double batch_quantile(double share) const;
};

struct BenchReport {
  std::string model;  // as asked for
  std::string processor;
  EncoderSpec spec;
  EngineInfo engine;
  size_t arena_bytes = 0;
  int threads = 0;
  int batch_tokens_max = 0;
  double open_seconds = 0;
  std::string unit;  // instruction of the peak; "" where there is none
  double peak = 0;   // operations per second of all threads
  bool sweep = false;
  std::vector<BenchRow> rows;
};

std::string BenchTable(const BenchReport& report, int columns);
std::string BenchJson(const BenchReport& report);
std::string BenchCsv(const BenchReport& report);
/// Latency of a batch against throughput, a curve for each length.
std::string BenchSvg(const BenchReport& report);

}  // namespace podium

#endif  // PODIUM_APP_BENCH_OUTPUT_H_
