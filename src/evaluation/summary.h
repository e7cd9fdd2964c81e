// Mean, standard deviation and quantiles of many numbers.
#ifndef PODIUM_EVALUATION_SUMMARY_H_
#define PODIUM_EVALUATION_SUMMARY_H_

#include <span>
#include <vector>

namespace podium {

/// Of no numbers: NaN.
double Mean(std::span<const double> values);
/// Of the numbers themselves, not an estimate of a larger population (divided by n, as numpy.std).
double StandardDeviation(std::span<const double> values);

class SortedValues {
 public:
  explicit SortedValues(std::vector<double> values);
  /// Linear between neighbours, as numpy.quantile; `share` in [0, 1]. NaN of no numbers.
  double Quantile(double share) const;
  /// Share of the values that are at most `limit`; NaN of no numbers.
  double ShareUpTo(double limit) const;
  std::span<const double> values() const { return values_; }

 private:
  std::vector<double> values_;
};

}  // namespace podium

#endif  // PODIUM_EVALUATION_SUMMARY_H_
