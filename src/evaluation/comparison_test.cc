#include "evaluation/comparison.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "evaluation/kendall.h"

namespace podium {
namespace {

// Every pair, one by one: what CountPairs must equal.
PairCounts CountPairsPlain(const std::vector<float>& a, const std::vector<float>& b, double noise) {
  PairCounts counts;
  for (size_t i = 0; i < a.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const double gap = static_cast<double>(a[i]) - static_cast<double>(a[j]);
      if (std::abs(gap) <= noise) {
        ++counts.within_noise;
      } else if (b[i] == b[j]) {
        ++counts.tied_in_b;
      } else if ((gap > 0) == (b[i] > b[j])) {
        ++counts.concordant;
      } else {
        ++counts.discordant;
      }
    }
  }
  return counts;
}

TEST(Kendall, CountsAsTheLoopOverAllPairs) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    const size_t n = random() % 60;
    const size_t values = 1 + random() % 80;  // few values: many ties
    std::vector<float> a(n);
    std::vector<float> b(n);
    for (size_t i = 0; i < n; ++i) {
      a[i] = static_cast<float>(random() % values) * 0.25F;
      b[i] = static_cast<float>(random() % values) * 0.25F;
    }
    for (const double noise : {0.0, 0.25, 0.3, 2.0, 100.0}) {
      const PairCounts got = CountPairs(a, b, noise);
      const PairCounts want = CountPairsPlain(a, b, noise);
      EXPECT_EQ(got.concordant, want.concordant);
      EXPECT_EQ(got.discordant, want.discordant);
      EXPECT_EQ(got.tied_in_b, want.tied_in_b);
      EXPECT_EQ(got.within_noise, want.within_noise);
    }
  }
}

// A million documents: n log n takes a second even without optimisation, n² would take an hour.
TEST(Kendall, LongListsTakeNLogN) {
  std::vector<float> a(1'000'000);
  std::vector<float> b(a.size());
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<float>(i);
    b[i] = static_cast<float>(i % 2 == 0 ? i + 1 : i - 1);  // neighbours swapped
  }
  const PairCounts counts = CountPairs(a, b, 0);
  EXPECT_EQ(counts.discordant, 500'000);
  EXPECT_EQ(counts.counted(), int64_t{1'000'000} * 999'999 / 2);
}

ComparedList List(std::vector<float> a, std::vector<float> b) {
  ComparedList list;
  list.a = std::move(a);
  list.b = std::move(b);
  return list;
}

TEST(Compare, EqualSidesDifferInNothing) {
  const std::vector<ComparedList> lists = {List({1, 2, 3}, {1, 2, 3}), List({5, -1}, {5, -1})};
  const Comparison got = Compare(lists, {});
  EXPECT_EQ(got.lists, 2U);
  EXPECT_EQ(got.pairs, 5U);
  EXPECT_EQ(got.delta.max, 0);
  EXPECT_EQ(got.tau, 1);
  EXPECT_EQ(got.tau_b, 1);
  EXPECT_EQ(got.overlap, 1);
  EXPECT_EQ(got.top1, 1);
  EXPECT_EQ(got.swapped, 0);
  EXPECT_EQ(got.labelled, 0U);
  EXPECT_TRUE(std::isnan(got.ndcg_difference));
  EXPECT_TRUE(std::isnan(got.ndcg_interval.low));
}

TEST(Compare, FiguresOfASmallCase) {
  ComparisonOptions options;
  options.k = 2;
  options.noise_sd = 0.5;
  std::vector<ComparedList> lists = {List({0, 1, 2, 9}, {0, 2, 1, 9}), List({4, 0}, {0, 4})};
  lists[0].ndcg_a = 1;
  lists[0].ndcg_b = 0.5;
  const Comparison got = Compare(lists, options);
  // Logits 0 1 2 9 4 0: mean 8/3, variance (102 - 6·64/9) / 6 = 89/9.
  EXPECT_NEAR(got.sd_a, std::sqrt(89.0 / 9), 1e-12);
  EXPECT_NEAR(got.noise, 0.5 * got.sd_a, 1e-12);  // 1.57: hides 0-1 and 1-2 of the first list
  EXPECT_NEAR(got.delta.mean, (1 + 1 + 4 + 4) / 6.0, 1e-12);
  EXPECT_EQ(got.delta.max, 4);
  EXPECT_NEAR(got.delta.bias, 0, 1e-12);
  EXPECT_EQ(got.pairs_beyond, 5);  // 4 of the first, 1 of the second
  EXPECT_EQ(got.swapped, 1);
  EXPECT_EQ(got.tau, (1.0 + -1.0) / 2);
  EXPECT_EQ(got.tau_list_min, -1);
  EXPECT_NEAR(got.tau_b, (4.0 / 6 - 1) / 2, 1e-12);
  EXPECT_EQ(got.overlap, (0.5 + 1) / 2);  // {9, 2} and {9, 2 of document 1}; the pair has only two
  EXPECT_EQ(got.overlap_list_min, 0.5);
  EXPECT_EQ(got.top1, 0.5);
  EXPECT_EQ(got.labelled, 1U);
  EXPECT_EQ(got.ndcg_difference, -0.5);
  EXPECT_EQ(got.ndcg_interval.low, -0.5);
  EXPECT_EQ(got.worse, 1U);
  ASSERT_EQ(got.worst.size(), 2U);
  EXPECT_EQ(got.worst[0].index, 1U);
  EXPECT_EQ(got.worst[0].delta_mean, 4);
}

TEST(Compare, TiesKeepTheOrderOfTheList) {
  ComparisonOptions options;
  options.k = 1;
  EXPECT_EQ(Compare(std::vector{List({1, 1, 0}, {1, 0, 0})}, options).top1, 1);
  EXPECT_EQ(Compare(std::vector{List({1, 1, 0}, {0, 1, 0})}, options).top1, 0);
}

// A worse B must never look better because it is worse: the noise is A's.
TEST(Compare, NoiseDependsOnAAlone) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  std::vector<ComparedList> near(20);
  for (ComparedList& list : near) {
    for (int i = 0; i < 50; ++i) {
      list.a.push_back(3 * normal(random));
      list.b.push_back(list.a.back() + 0.02F * normal(random));
    }
  }
  std::vector<ComparedList> far = near;
  for (ComparedList& list : far) {
    for (float& logit : list.b) logit += 2 * normal(random);
  }
  const Comparison small = Compare(near, {});
  const Comparison large = Compare(far, {});
  EXPECT_EQ(small.noise, large.noise);
  EXPECT_EQ(small.pairs_beyond, large.pairs_beyond);
  EXPECT_GT(small.tau, 0.99);
  EXPECT_LT(large.tau, 0.9);
  EXPECT_EQ(large.worst.size(), kWorstLists);
  EXPECT_EQ(large.worst.front().tau, large.tau_list_min);
}

TEST(Compare, NothingToCompare) {
  const Comparison got = Compare({}, {});
  EXPECT_EQ(got.pairs, 0U);
  EXPECT_EQ(got.noise, 0);
  EXPECT_TRUE(std::isnan(got.tau));
  const Comparison single = Compare(std::vector{List({1}, {2}), List({}, {})}, {});
  EXPECT_EQ(single.delta.mean, 1);
  EXPECT_EQ(single.sd_a, 0);
  EXPECT_TRUE(std::isnan(single.overlap));
  EXPECT_TRUE(single.worst.empty());
}

TEST(Bootstrap, SameSeedSameBoundsAndTheMeanLiesBetween) {
  std::vector<double> values;
  for (int i = 0; i < 40; ++i) values.push_back(i % 7 == 0 ? -1 : 0.1 * i);
  BootstrapOptions options;
  options.rounds = 500;
  const Interval first = BootstrapMean(values, options);
  const Interval again = BootstrapMean(values, options);
  EXPECT_EQ(first.low, again.low);
  EXPECT_EQ(first.high, again.high);
  options.seed = 2;
  EXPECT_NE(BootstrapMean(values, options).low, first.low);
  double mean = 0;
  for (const double value : values) mean += value / 40;
  EXPECT_LT(first.low, mean);
  EXPECT_GT(first.high, mean);
}

}  // namespace
}  // namespace podium
