#include "app/rank_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace podium {
namespace {

using testing::HasSubstr;

class RankOutput : public testing::Test {
 protected:
  const std::vector<std::string_view> documents_ = {"a\tb\\n\n", "番茄\xFF", "third"};
  const std::vector<RankedDocument> ranking_ = {
      {1, {.logit = 2.5f, .tokens = 9, .truncated = false}},
      {0, {.logit = -11.0234375f, .tokens = 9, .truncated = true}}};
  RankingView View(ScoreKind scores) const {
    return {"q", "m", "fp32", "avx2", documents_, ranking_, scores};
  }
};

TEST_F(RankOutput, JsonHasExactlyTheseMembers) {
  EXPECT_EQ(
      RankingJson(View(ScoreKind::kRaw)),
      R"({"query":"q","model":"m","precision":"fp32","isa":"avx2","results":[)"
      R"({"index":1,"score":2.5,"document":"番茄�","tokens":9,"truncated":false},)"
      R"({"index":0,"score":-11.0234375,"document":"a\tb\\n\n","tokens":9,"truncated":true}]})"
      "\n");
}

TEST_F(RankOutput, SmallScoresKeepTheirDigits) {
  EXPECT_THAT(ResultJsonLine(View(ScoreKind::kSigmoid), ranking_[1]),
              HasSubstr("\"score\":1.63145401"));
}

TEST_F(RankOutput, TsvTextSteersNoTerminal) {
  std::string out;
  AppendTsvText("\x1b[31m \x7f \u009b \u00a0é", out);
  EXPECT_EQ(out, "\\x1b[31m \\x7f \\x9b \u00a0é");
}

TEST_F(RankOutput, TsvIsOneLineAResult) {
  EXPECT_EQ(ResultTsvLine(View(ScoreKind::kRaw), ranking_[1]),
            "0\t-11.0234375\t9\t1\ta\\tb\\\\n\\n\n");
  EXPECT_EQ(ResultTsvLine(View(ScoreKind::kRaw), ranking_[0]), "1\t2.5\t9\t0\t番茄�\n");
}

TEST_F(RankOutput, Table) {
  EXPECT_EQ(RankingTable(View(ScoreKind::kSigmoid), 60, false),
            "#    score              index  tokens       document\n"
            "1   0.9241  █████████▎      1       9       番茄�\n"
            "2  1.6e-05                  0       9  cut  a b\\n\n");
  EXPECT_THAT(RankingTable(View(ScoreKind::kRaw), 60, false), HasSubstr("-11.023"));
}

}  // namespace
}  // namespace podium
