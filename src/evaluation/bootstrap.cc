#include "evaluation/bootstrap.h"

#include <limits>
#include <random>
#include <vector>

#include "base/check.h"
#include "evaluation/summary.h"

namespace podium {
namespace {

// Uniform in [0, n), n below 2^32, without bias. The standard library's distribution gives other
// numbers on other platforms; the engine's own are fixed by the standard.
size_t Draw(std::mt19937_64& random, uint64_t n) {
  const uint64_t limit = std::mt19937_64::max() - std::mt19937_64::max() % n;
  uint64_t drawn = random();
  while (drawn >= limit) drawn = random();
  return static_cast<size_t>(drawn % n);
}

}  // namespace

Interval BootstrapMean(std::span<const double> differences, const BootstrapOptions& options) {
  PODIUM_CHECK(options.rounds > 0 && options.confidence > 0 && options.confidence < 1);
  if (differences.empty()) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    return {nan, nan};
  }
  std::mt19937_64 random(options.seed);
  std::vector<double> means(static_cast<size_t>(options.rounds));
  for (double& mean : means) {
    double sum = 0;
    for (size_t i = 0; i < differences.size(); ++i) {
      sum += differences[Draw(random, differences.size())];
    }
    mean = sum / static_cast<double>(differences.size());
  }
  const SortedValues sorted(std::move(means));
  const double tail = (1 - options.confidence) / 2;
  return {sorted.Quantile(tail), sorted.Quantile(1 - tail)};
}

}  // namespace podium
