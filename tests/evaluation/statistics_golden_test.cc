// Kendall's tau, quantiles and bootstrap bounds equal scipy's and numpy's.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/file.h"
#include "evaluation/bootstrap.h"
#include "evaluation/kendall.h"
#include "evaluation/summary.h"
#include "json/json.h"

namespace podium {
namespace {

std::vector<double> Doubles(json::Value array) {
  std::vector<double> out;
  array.ForEachElement([&](json::Value value) {
    out.push_back(value.AsDouble().value());
    return true;
  });
  return out;
}

std::vector<float> Floats(json::Value array) {
  const std::vector<double> values = Doubles(array);
  return {values.begin(), values.end()};
}

class StatisticsGolden : public testing::Test {
 protected:
  void SetUp() override {
    const std::string path =
        std::string(PODIUM_SOURCE_DIR) + "/tests/evaluation/data/statistics.json";
    auto text = ReadFile(path, size_t{1} << 20);
    ASSERT_TRUE(text.ok()) << text.status().ToString();
    auto parsed = json::Document::Parse(*text, path);
    ASSERT_TRUE(parsed.ok()) << parsed.status().ToString();
    document_.emplace(*std::move(parsed));
  }

  template <typename Visit>
  int ForEach(const char* kind, Visit visit) {
    int cases = 0;
    document_->root().Find(kind)->ForEachElement([&](json::Value value) {
      visit(value);
      ++cases;
      return true;
    });
    return cases;
  }

  std::optional<json::Document> document_;
};

TEST_F(StatisticsGolden, KendallTauB) {
  const int cases = ForEach("kendall", [](json::Value golden) {
    SCOPED_TRACE(*golden.Find("name")->AsString());
    const std::vector<float> a = Floats(*golden.Find("a"));
    const std::vector<float> b = Floats(*golden.Find("b"));
    const double got = KendallTauB(a, b);
    if (const auto want = golden.Find("tau_b")->AsDouble()) {
      EXPECT_NEAR(got, *want, 1e-12);
      EXPECT_NEAR(KendallTauB(b, a), *want, 1e-12);
    } else {
      EXPECT_TRUE(std::isnan(got)) << got;
    }
  });
  EXPECT_GE(cases, 20);
}

TEST_F(StatisticsGolden, MeansAndQuantiles) {
  const int cases = ForEach("summaries", [](json::Value golden) {
    const std::vector<double> values = Doubles(*golden.Find("values"));
    EXPECT_NEAR(Mean(values), *golden.Find("mean")->AsDouble(), 1e-12);
    EXPECT_NEAR(StandardDeviation(values), *golden.Find("std")->AsDouble(), 1e-12);
    const SortedValues sorted(values);
    golden.Find("quantiles")->ForEachElement([&](json::Value pair) {
      const std::vector<double> want = Doubles(pair);
      EXPECT_NEAR(sorted.Quantile(want[0]), want[1], 1e-12) << want[0];
      return true;
    });
  });
  EXPECT_GE(cases, 4);
}

// Other random numbers, so only as near as bounds of 10,000 rounds are to each other: a quantile at
// 2.5 % has an error of about sqrt(.025 · .975 / 10000) / density, 0.027 standard deviations of the
// mean; four of that. A wrong tail (5 %) would be off by 0.3.
TEST_F(StatisticsGolden, BootstrapBounds) {
  const int cases = ForEach("bootstraps", [](json::Value golden) {
    const std::vector<double> values = Doubles(*golden.Find("values"));
    BootstrapOptions options;
    options.confidence = *golden.Find("confidence")->AsDouble();
    const double deviation =
        StandardDeviation(values) / std::sqrt(static_cast<double>(values.size()));
    for (const uint64_t seed : {1, 2, 3}) {
      options.seed = seed;
      const Interval got = BootstrapMean(values, options);
      EXPECT_NEAR(got.low, *golden.Find("low")->AsDouble(), 0.11 * deviation);
      EXPECT_NEAR(got.high, *golden.Find("high")->AsDouble(), 0.11 * deviation);
    }
  });
  EXPECT_GE(cases, 3);
}

}  // namespace
}  // namespace podium
