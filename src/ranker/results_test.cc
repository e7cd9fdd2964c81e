#include "ranker/results.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "base/concat.h"

namespace podium {
namespace {

std::string Order(const std::vector<float>& logits, int top_n) {
  std::vector<Score> scores;
  for (const float logit : logits) scores.push_back({.logit = logit});
  std::string out;
  for (const RankedDocument& hit : BestFirst(scores, top_n)) {
    EXPECT_EQ(hit.score.logit, logits[hit.index]);
    out += Concat(out.empty() ? "" : " ", hit.index);
  }
  return out;
}

TEST(BestFirst, FallingLogitsTiesInInputOrder) {
  EXPECT_EQ(Order({}, -1), "");
  EXPECT_EQ(Order({-3, 2, 5}, -1), "2 1 0");
  EXPECT_EQ(Order({1, 1, 2, 1}, -1), "2 0 1 3");
  EXPECT_EQ(Order({0.0f, -0.0f, 0.0f}, -1), "0 1 2");
  EXPECT_EQ(Order({1, 1, 2, 1}, 3), "2 0 1");
}

TEST(BestFirst, TopN) {
  for (const int top_n : {0, 1, 2, 3, 4, 100, -1, -7}) {
    const size_t want = top_n < 0 ? 3 : std::min<size_t>(3, static_cast<size_t>(top_n));
    std::vector<Score> scores(3);
    EXPECT_EQ(BestFirst(scores, top_n).size(), want) << top_n;
  }
}

// Values of the published pairs; 1.63e-05 must not be rounded away.
TEST(Sigmoid, KeepsSmallScoresApart) {
  EXPECT_NEAR(Sigmoid(0.447488f), 0.610042, 1e-6);
  EXPECT_NEAR(Sigmoid(6.182112f), 0.99793820, 1e-8);
  EXPECT_NEAR(Sigmoid(-11.0234375f), 1.6314540139585704e-05, 1e-12);
  EXPECT_EQ(Sigmoid(0), 0.5);
  EXPECT_LT(Sigmoid(20.0f), Sigmoid(20.5f));  // equal in float
  EXPECT_GT(Sigmoid(-100.0f), 0);
  EXPECT_LE(Sigmoid(1e30f), 1);
}

}  // namespace
}  // namespace podium
