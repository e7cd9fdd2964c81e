// Rankings evaluated as trec_eval evaluates them (data/metrics.json, written by
// tools/export_metrics.py).
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "base/file.h"
#include "evaluation/evaluation.h"
#include "json/json.h"

namespace podium {
namespace {

constexpr double kTolerance = 1e-9;

LineReader Lines(json::Value object, const char* member) {
  return LineReader::OfText(object.Find(member)->AsString().value(), member, LineReader::Limits());
}

TEST(MetricsGolden, EqualTrecEval) {
  const std::string path = std::string(PODIUM_SOURCE_DIR) + "/tests/evaluation/data/metrics.json";
  const auto text = ReadFile(path, size_t{8} << 20);
  ASSERT_TRUE(text.ok()) << text.status().ToString();
  const auto golden = json::Document::Parse(*text, path);
  ASSERT_TRUE(golden.ok()) << golden.status().ToString();
  int values = 0;
  golden->root().Find("cases")->ForEachElement([&](json::Value wanted) {
    const std::string name(wanted.Find("name")->AsString().value());
    const auto judgements = ReadJudgements(Lines(wanted, "qrels"));
    EXPECT_TRUE(judgements.ok()) << name << judgements.status().ToString();
    const auto run = ReadRun(Lines(wanted, "run"), nullptr);
    EXPECT_TRUE(run.ok()) << name << run.status().ToString();
    const auto check = [&](std::string_view metric_name, auto value_of, json::Value want,
                           const std::string& what) {
      const auto metrics = ParseMetrics(metric_name);
      ASSERT_TRUE(metrics.ok()) << metric_name;
      EXPECT_EQ(metrics->front().Name(), metric_name);
      EXPECT_NEAR(value_of(*metrics), want.AsDouble().value(), kTolerance)
          << name << ", " << what << ", " << metric_name;
      ++values;
    };
    size_t queries = 0;
    wanted.Find("queries")->ForEachMember([&](std::string_view query, json::Value metrics) {
      ++queries;
      const GradedRanking ranking = Grade(*judgements->Find(query), run->Find(query)->entries);
      metrics.ForEachMember([&](std::string_view metric, json::Value want) {
        check(
            metric, [&](const auto& m) { return Evaluate(m[0], ranking); }, want,
            std::string(query));
        return true;
      });
      return true;
    });
    wanted.Find("means")->ForEachMember([&](std::string_view metric, json::Value want) {
      const auto mean = [&](const std::vector<Metric>& m) {
        const Evaluation evaluation = EvaluateRun(*judgements, *run, m, MissingQueries::kZero);
        EXPECT_EQ(evaluation.queries.size(), judgements->queries().size());
        EXPECT_EQ(evaluation.missing, judgements->queries().size() - queries);
        return evaluation.means[0];
      };
      check(metric, mean, want, "mean");
      return true;
    });
    return true;
  });
  EXPECT_GT(values, 1000);
}

}  // namespace
}  // namespace podium
