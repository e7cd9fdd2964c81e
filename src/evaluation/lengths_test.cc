#include "evaluation/lengths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace podium {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(LengthsToTry, RisingWithinTheModelUpToTheFirstThatCutsNothing) {
  const std::vector<int> asked = {256, 64, 128, 64, 1024};
  EXPECT_THAT(LengthsToTry(asked, 512, 5000), ElementsAre(64, 128, 256, 512));
  EXPECT_THAT(LengthsToTry(asked, 512, 200), ElementsAre(64, 128, 256));
  EXPECT_THAT(LengthsToTry(asked, 512, 256), ElementsAre(64, 128, 256));
  EXPECT_THAT(LengthsToTry(asked, 512, 3), ElementsAre(64));
  EXPECT_THAT(LengthsToTry({}, 512, 3), ElementsAre(512));
}

TEST(LengthRows, CountWhatIsCut) {
  const std::vector<PairLength> pairs = {{4, 6}, {5, 10}, {10, 30}, {0, 0}};  // 14 19 44 4 with 4
  const std::vector<int> lengths = {14, 20, 44};
  const auto rows = LengthRows(pairs, 4, lengths, [](int length) { return length; });
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].cut_pairs, 2);
  EXPECT_EQ(rows[0].covered, 0.5);
  EXPECT_EQ(rows[0].lost_tokens, 5 + 30);
  EXPECT_EQ(rows[0].lost_share, 35.0 / 65);
  EXPECT_EQ(rows[0].pair_tokens, (14 + 14 + 14 + 4) / 4.0);
  EXPECT_EQ(rows[1].lost_tokens, 24);
  EXPECT_EQ(rows[2].covered, 1);
  EXPECT_EQ(rows[2].lost_share, 0);
  EXPECT_EQ(rows[2].pair_tokens, (14 + 19 + 44 + 4) / 4.0);
}

TEST(LengthRows, AQueryMayHaveItsOwnLimit) {
  const std::vector<PairLength> pairs = {{4, 6}, {15, 3}, {16, 3}, {18, 20}};
  const std::vector<int> lengths = {20, 24};
  const auto rows = LengthRows(pairs, 0, lengths, [](int length) { return length * 3 / 4; });
  EXPECT_EQ(rows[0].cut_pairs, 2);  // 16 + 3 would fit
  EXPECT_EQ(rows[0].lost_tokens, 1 + (3 + 15));
  EXPECT_EQ(rows[1].cut_pairs, 1);
  EXPECT_EQ(rows[1].lost_tokens, 14);
}

std::string Reasons(const LengthAdvice& advice) {
  std::string out;
  for (const std::string& reason : advice.reasons) out += reason + "\n";
  return out;
}

std::vector<LengthRow> Rows(std::vector<double> covered) {
  std::vector<LengthRow> rows;
  int length = 64;
  for (const double share : covered) {
    LengthRow row;
    row.max_length = length;
    row.covered = share;
    row.cut_pairs = static_cast<int64_t>((1 - share) * 1000);
    row.lost_share = (1 - share) / 2;
    row.cost = LengthCost{.ms_per_pair = length / 8.0, .tokens_per_s = 8000};
    rows.push_back(row);
    length *= 2;
  }
  return rows;
}

TEST(AdviseLength, TheShortestThatCoversEnough) {
  const SortedValues queries({3, 5, 9});
  const auto rows = Rows({0.2, 0.9, 0.993, 1});
  const LengthAdvice advice = AdviseLength(rows, 0.99, 4, queries);
  EXPECT_EQ(advice.max_length, 256);
  const std::string reasons = Reasons(advice);
  EXPECT_THAT(reasons, HasSubstr("256 leaves 99.3 % of the pairs uncut and loses 0.4 %"));
  EXPECT_THAT(reasons, HasSubstr("Going down to 128 would be 2.00 times as fast (16.0 ms a pair "
                                 "against 32.0 ms), but cut 10 % of the pairs"));
  EXPECT_THAT(reasons, HasSubstr("Going up to 512 would take 64.0 ms a pair, 2.00 times as much"));
  EXPECT_EQ(AdviseLength(rows, 0.9, 4, queries).max_length, 128);
  EXPECT_EQ(AdviseLength(rows, 1, 4, queries).max_length, 512);
  EXPECT_EQ(AdviseLength(rows, 0, 4, queries).max_length, 64);
}

TEST(AdviseLength, SaysToSplitWhereTheModelIsTooShort) {
  const auto rows = Rows({0.2, 0.4});
  const LengthAdvice advice = AdviseLength(rows, 0.99, 4, SortedValues({10, 10}));
  EXPECT_EQ(advice.max_length, 128);
  EXPECT_THAT(Reasons(advice), HasSubstr("passages of at most 114 tokens"));
  const LengthAdvice hopeless = AdviseLength(rows, 0.99, 4, SortedValues({200, 200}));
  EXPECT_THAT(Reasons(hopeless), HasSubstr("The queries alone fill the limit"));
}

TEST(AdviseLength, WithoutCostsItSpeaksOfLengthsOnly) {
  auto rows = Rows({0.5, 1});
  for (LengthRow& row : rows) row.cost.reset();
  const LengthAdvice advice = AdviseLength(rows, 0.99, 4, SortedValues({1}));
  EXPECT_EQ(advice.max_length, 128);
  EXPECT_THAT(Reasons(advice), HasSubstr("128 cuts none of the pairs."));
  EXPECT_EQ(Reasons(advice).find(" ms"), std::string::npos);
}

TEST(SampleByLength, StandsForAll) {
  std::vector<PairLength> pairs;
  double mean = 0;
  for (int i = 0; i < 1000; ++i) {
    pairs.push_back({3, (i * 7919) % 1000});
    mean += pairs.back().document / 1000.0;
  }
  const auto sample = SampleByLength(pairs, 20);
  EXPECT_EQ(std::set<size_t>(sample.begin(), sample.end()).size(), 20U);
  double sampled = 0;
  for (const size_t i : sample) sampled += pairs[i].document / 20.0;
  EXPECT_NEAR(sampled, mean, 1);
  EXPECT_EQ(SampleByLength(pairs, 5000).size(), 1000U);
  EXPECT_TRUE(SampleByLength({}, 3).empty());
}

}  // namespace
}  // namespace podium
