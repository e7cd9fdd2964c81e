// How sure a mean is: the paired bootstrap.
#ifndef PODIUM_EVALUATION_BOOTSTRAP_H_
#define PODIUM_EVALUATION_BOOTSTRAP_H_

#include <cstdint>
#include <span>

namespace podium {

struct BootstrapOptions {
  int rounds = 10000;        // resampled means; more makes the bounds steadier, not narrower
  double confidence = 0.95;  // of the interval, both sides together
  uint64_t seed = 1;         // the same seed gives the same bounds on every machine
};

struct Interval {
  double low = 0;
  double high = 0;
};

/// The percentile interval (Efron 1979) of the mean of `differences`, one a list (B less A on the
/// same list: that makes it paired). Lists are drawn with replacement, as many as there are. NaN
/// for no differences.
Interval BootstrapMean(std::span<const double> differences, const BootstrapOptions& options);

}  // namespace podium

#endif  // PODIUM_EVALUATION_BOOTSTRAP_H_
