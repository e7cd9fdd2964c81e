#include "plot/axis.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

namespace podium::plot {
namespace {

std::string Labels(Range range, int wanted) {
  std::string out;
  for (const Tick& tick : Ticks(range, wanted)) out += (out.empty() ? "" : " ") + tick.label;
  return out;
}

TEST(Ticks, AreRoundNumbersWithinTheRange) {
  EXPECT_EQ(Labels({0, 1}, 5), "0.0 0.2 0.4 0.6 0.8 1.0");
  EXPECT_EQ(Labels({-7.3, 4.1}, 6), "-6 -4 -2 0 2 4");
  EXPECT_EQ(Labels({0, 512}, 6), "0 100 200 300 400 500");
  EXPECT_EQ(Labels({-0.012, 0.034}, 5), "-0.01 0.00 0.01 0.02 0.03");
  EXPECT_EQ(Labels({0, 3e7}, 3), "0 1e+07 2e+07 3e+07");
  EXPECT_EQ(Labels({0, 4e-6}, 4), "0 1e-06 2e-06 3e-06 4e-06");
}

TEST(Ticks, AreFewAndDistinctForAnyRange) {
  for (double low : {-1e9, -3.7, 0.0, 1e-3, 5e5}) {
    for (double size : {1e-3, 0.7, 3.0, 99.0, 1e7}) {
      const auto ticks = Ticks({low, low + size}, 6);
      EXPECT_GE(ticks.size(), 2U) << low << " " << size;
      EXPECT_LE(ticks.size(), 8U) << low << " " << size;
      for (const Tick& tick : ticks) {
        EXPECT_GE(tick.value, low - size * 1e-6);
        EXPECT_LE(tick.value, low + size * (1 + 1e-6));
      }
    }
  }
}

TEST(RangeOf, IsNeverEmpty) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const std::vector<double>& values :
       {std::vector<double>{}, {0.0}, {-5.0}, {7.0, 7.0}, {nan}, {nan, 3.0, INFINITY}}) {
    const Range range = RangeOf(values);
    EXPECT_LT(range.low, range.high);
    EXPECT_TRUE(std::isfinite(range.low) && std::isfinite(range.high));
  }
  EXPECT_EQ(RangeOf(std::vector{2.0, nan, -1.0}).low, -1);
}

TEST(MakeBins, EveryValueIsInItsBin) {
  const std::vector<double> values = {0, 0.5, 1, 1, 2.5, 9.99, 10, -3};
  const Bins bins = MakeBins(values, 10, 0);
  EXPECT_EQ(bins.width, 2);
  EXPECT_EQ(bins.low, -4);
  EXPECT_EQ(bins.counts, (std::vector<int64_t>{1, 0, 4, 1, 0, 0, 1, 1}));
  EXPECT_EQ(std::accumulate(bins.counts.begin(), bins.counts.end(), int64_t{0}), 8);
  EXPECT_EQ(bins.highest(), 4);
}

TEST(MakeBins, WholeNumbersGetWholeBins) {
  const Bins bins = MakeBins(std::vector<double>{3, 4, 4, 5}, 40, 1);
  EXPECT_EQ(bins.width, 1);
  EXPECT_EQ(bins.low, 3);
  EXPECT_EQ(bins.counts, (std::vector<int64_t>{1, 2, 1}));
}

TEST(MakeBins, EqualValuesAndNone) {
  const Bins same = MakeBins(std::vector<double>(5, -2.0), 20, 0);
  EXPECT_EQ(same.highest(), 5);
  EXPECT_LE(same.counts.size(), 30U);
  EXPECT_EQ(MakeBins({}, 20, 0).highest(), 0);
}

}  // namespace
}  // namespace podium::plot
