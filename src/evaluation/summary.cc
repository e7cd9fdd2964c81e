#include "evaluation/summary.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/check.h"

namespace podium {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

}  // namespace

double Mean(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());  // 0 / 0 is NaN
}

double StandardDeviation(std::span<const double> values) {
  const double mean = Mean(values);
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return std::sqrt(sum / static_cast<double>(values.size()));
}

SortedValues::SortedValues(std::vector<double> values) : values_(std::move(values)) {
  std::sort(values_.begin(), values_.end());
}

double SortedValues::Quantile(double share) const {
  PODIUM_CHECK(share >= 0 && share <= 1);
  if (values_.empty()) return kNaN;
  const double at = share * static_cast<double>(values_.size() - 1);
  const auto below = static_cast<size_t>(at);
  const size_t above = std::min(below + 1, values_.size() - 1);
  return values_[below] + (values_[above] - values_[below]) * (at - static_cast<double>(below));
}

double SortedValues::ShareUpTo(double limit) const {
  if (values_.empty()) return kNaN;
  const auto end = std::upper_bound(values_.begin(), values_.end(), limit);
  return static_cast<double>(end - values_.begin()) / static_cast<double>(values_.size());
}

}  // namespace podium
