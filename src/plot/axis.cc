#include "plot/axis.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/check.h"

namespace podium::plot {
namespace {

// The smallest of 1, 2, 5 times a power of ten that is no less than `least`.
double NiceStep(double least) {
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least * (1 - 1e-12)) return factor * power;
  }
  return 10 * power;
}

std::string Label(double value, double step) {
  char text[48];
  if (std::abs(value) >= 1e6 || (step < 1e-4 && step > 0)) {
    std::snprintf(text, sizeof text, "%.3g", value);
  } else {
    const int decimals = std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9)));
    std::snprintf(text, sizeof text, "%.*f", decimals, value);
  }
  return text;
}

}  // namespace

Range RangeOf(std::span<const double> values) {
  bool any = false;
  Range range;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    range.low = any ? std::min(range.low, value) : value;
    range.high = any ? std::max(range.high, value) : value;
    any = true;
  }
  if (any && range.low == range.high) {
    const double margin = std::max(std::abs(range.low) * 0.1, 1e-3);
    range = {range.low - margin, range.high + margin};
  }
  return range;
}

std::vector<Tick> Ticks(Range range, int wanted) {
  PODIUM_CHECK(range.high > range.low && wanted > 0);
  const double step = NiceStep((range.high - range.low) / wanted);
  const double slack = step * 1e-9;
  std::vector<Tick> ticks;
  for (double i = std::ceil((range.low - slack) / step); i * step <= range.high + slack; ++i) {
    const double value = i == 0 ? 0 : i * step;  // never "-0"
    ticks.push_back({value, Label(value, step)});
  }
  return ticks;
}

int64_t Bins::highest() const {
  return counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
}

Bins MakeBins(std::span<const double> values, int wanted, double width_min) {
  PODIUM_CHECK(wanted > 0);
  const Range range = RangeOf(values);
  Bins bins;
  bins.width = NiceStep(std::max((range.high - range.low) / wanted, width_min));
  bins.low = std::floor(range.low / bins.width) * bins.width;
  const double count = std::floor((range.high - bins.low) / bins.width) + 1;
  bins.counts.assign(static_cast<size_t>(count), 0);
  for (const double value : values) {
    const double at = std::max(0.0, std::floor((value - bins.low) / bins.width));
    ++bins.counts[std::min(static_cast<size_t>(at), bins.counts.size() - 1)];
  }
  return bins;
}

}  // namespace podium::plot
