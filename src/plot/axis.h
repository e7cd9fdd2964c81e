// Numbers that look good on an axis, and how many values fall between two of them.
#ifndef PODIUM_PLOT_AXIS_H_
#define PODIUM_PLOT_AXIS_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace podium::plot {

struct Range {
  double low = 0;
  double high = 1;
};

/// The finite values' smallest and largest; widened where both are the same, [0, 1] for none.
Range RangeOf(std::span<const double> values);

struct Tick {
  double value = 0;
  std::string label;  // with the decimals that its neighbours need: "-2", "0.05", "1e+06"
};

/// About `wanted` multiples of 1, 2 or 5 times a power of ten, within the range.
std::vector<Tick> Ticks(Range range, int wanted);

/// Equal bins that cover a range.
struct Bins {
  double low = 0;
  double width = 1;
  std::vector<int64_t> counts;

  double edge(size_t i) const { return low + width * static_cast<double>(i); }
  Range range() const { return {low, edge(counts.size())}; }
  int64_t highest() const;
};

/// About `wanted` bins whose edges are multiples of 1, 2 or 5 times a power of ten, at least
/// `width_min`. A value on an edge is in the bin above. Every value is finite.
Bins MakeBins(std::span<const double> values, int wanted, double width_min);

}  // namespace podium::plot

#endif  // PODIUM_PLOT_AXIS_H_
