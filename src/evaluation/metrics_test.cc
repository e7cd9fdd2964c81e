// Values by hand; equality with trec_eval is in tests/evaluation.
#include "evaluation/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "evaluation/evaluation.h"

namespace podium {
namespace {

using ::testing::HasSubstr;

double Value(const char* name, const GradedRanking& ranking) {
  const auto metrics = ParseMetrics(name);
  EXPECT_TRUE(metrics.ok()) << metrics.status().message();
  return Evaluate(metrics->front(), ranking);
}

TEST(Metrics, ByHand) {
  const GradedRanking ranking{{0, 2, 0, 1}, {3, 2, 1, 0}};
  const double log3 = std::log2(3);
  const double log5 = std::log2(5);
  EXPECT_DOUBLE_EQ(Value("ndcg", ranking), (2 / log3 + 1 / log5) / (3 + 2 / log3 + 1.0 / 2));
  EXPECT_DOUBLE_EQ(Value("ndcg_exp", ranking), (3 / log3 + 1 / log5) / (7 + 3 / log3 + 1.0 / 2));
  EXPECT_DOUBLE_EQ(Value("ndcg@2", ranking), (2 / log3) / (3 + 2 / log3));
  EXPECT_EQ(Value("ndcg@1", ranking), 0);
  EXPECT_EQ(Value("mrr", ranking), 0.5);
  EXPECT_EQ(Value("mrr@1", ranking), 0);
  EXPECT_DOUBLE_EQ(Value("map", ranking), (1.0 / 2 + 2.0 / 4) / 3);
  EXPECT_DOUBLE_EQ(Value("recall@2", ranking), 1.0 / 3);
  EXPECT_DOUBLE_EQ(Value("recall", ranking), 2.0 / 3);
  EXPECT_EQ(Value("p@10", ranking), 0.2);
}

TEST(Metrics, NothingRankedOrNothingRelevant) {
  for (const char* name : {"ndcg", "ndcg_exp@3", "mrr", "map@2", "recall", "p@1"}) {
    EXPECT_EQ(Value(name, {{}, {1}}), 0) << name;
    EXPECT_EQ(Value(name, {{0, 0}, {0, -1}}), 0) << name;
    EXPECT_EQ(Value(name, {{}, {}}), 0) << name;
  }
  EXPECT_EQ(Value("ndcg_exp", {{kGradeMax, kGradeMax}, {kGradeMax, kGradeMax}}), 1);
}

TEST(Metrics, Names) {
  const auto metrics = ParseMetrics("nDCG@10, RR@10,AP,R@100,P@5,precision@1,NDCG_exp");
  ASSERT_TRUE(metrics.ok());
  std::string names;
  for (const Metric& metric : *metrics) names += metric.Name() + " ";
  EXPECT_EQ(names, "ndcg@10 mrr@10 map recall@100 p@5 p@1 ndcg_exp ");
  for (const char* bad : {"", "ndcg,", "bpref", "ndcg@", "ndcg@0", "ndcg@-1", "ndcg@1x",
                          "ndcg@9999999999", "p", "@10"}) {
    EXPECT_FALSE(ParseMetrics(bad).ok()) << bad;
  }
  EXPECT_THAT(ParseMetrics("bpref").status().message(), HasSubstr("\"bpref\"; allowed: ndcg,"));
}

TEST(EvaluateRun, MissingAndUnjudgedQueries) {
  Judgements judgements;
  ASSERT_TRUE(judgements.Add("a", "d", 1).ok());
  ASSERT_TRUE(judgements.Add("b", "d", 1).ok());
  ASSERT_TRUE(judgements.Add("c", "d", 0).ok());
  TrecRun run;
  run.Add("a", {{"d", 1}});
  run.Add("c", {{"d", 1}});
  run.Add("x", {{"d", 1}});
  const std::vector<Metric> metrics = *ParseMetrics("map,p@1");
  const Evaluation zero = EvaluateRun(judgements, run, metrics, MissingQueries::kZero);
  EXPECT_DOUBLE_EQ(zero.means[0], 1.0 / 3);
  EXPECT_EQ(zero.queries.size(), 3u);
  EXPECT_EQ(zero.missing, 1u);
  EXPECT_EQ(zero.unjudged, 1u);
  EXPECT_EQ(zero.without_relevant, 1u);
  const Evaluation skip = EvaluateRun(judgements, run, metrics, MissingQueries::kSkip);
  EXPECT_DOUBLE_EQ(skip.means[0], 0.5);
  EXPECT_EQ(skip.queries.size(), 2u);
  EXPECT_TRUE(std::isnan(EvaluateRun({}, run, metrics, MissingQueries::kZero).means[0]));
}

}  // namespace
}  // namespace podium
