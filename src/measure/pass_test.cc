#include "measure/pass.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "engine/fake/fake_engine.h"
#include "kernels/select.h"
#include "measure/peak.h"

namespace podium::measure {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::SizeIs;

TEST(ParseWorkload, LengthsPairsAndTheMix) {
  EXPECT_THAT(ParseWorkload("128")->lengths, AllOf(SizeIs(50), Each(128)));
  EXPECT_THAT(ParseWorkload("512")->lengths, AllOf(SizeIs(8), Each(512)));
  EXPECT_THAT(ParseWorkload("10x30")->lengths, AllOf(SizeIs(10), Each(30)));
  EXPECT_THAT(ParseWorkload("short")->lengths,
              AllOf(SizeIs(10), Each(AllOf(testing::Ge(30), testing::Le(50)))));
  const std::vector<int> mix = ParseWorkload("var")->lengths;
  EXPECT_THAT(mix, AllOf(SizeIs(50), Each(AllOf(testing::Ge(24), testing::Le(512)))));
  EXPECT_EQ(mix, ParseWorkload("var")->lengths);
  for (const char* wrong : {"", "0", "-3", "x", "3x", "x3", "12.5", "0x8", "4097x8", "9999999999",
                            "2000000", "3x4x5", " 3"}) {
    const auto workload = ParseWorkload(wrong);
    ASSERT_FALSE(workload.ok()) << wrong;
    EXPECT_THAT(workload.status().message(), HasSubstr("PAIRSxLENGTH"));
  }
}

// BERT-base at 128 tokens: 12 layers of 2·(4·768² + 2·768·3072) + 4·768·128 a token.
TEST(NominalOperations, CountsProductsAndAttention) {
  EncoderSpec spec;
  spec.layers = 12;
  spec.hidden = 768;
  spec.ffn = 3072;
  const std::vector<int> one = {128};
  EXPECT_DOUBLE_EQ(NominalOperations(spec, one),
                   128.0 * 12 * (2.0 * (4 * 768 * 768 + 2 * 768 * 3072) + 4.0 * 768 * 128));
  EXPECT_DOUBLE_EQ(NominalOperations(spec, std::vector<int>{128, 128}),
                   2 * NominalOperations(spec, one));
}

TEST(MakeBatches, EverySequenceOnceWithinTheBudget) {
  const std::vector<int> lengths = ParseWorkload("var")->lengths;
  const BatchBudget budget{.tokens_max = 600, .sequences_max = 4, .attention_cost = 0.001};
  std::vector<int> made;
  for (const MadeBatch& batch : MakeBatches(1000, lengths, budget)) {
    EXPECT_LE(batch.view().size(), 4);
    double cost = 0;
    for (size_t i = 0; i + 1 < batch.starts.size(); ++i) {
      made.push_back(batch.starts[i + 1] - batch.starts[i]);
      cost += budget.Cost(made.back());
    }
    EXPECT_TRUE(cost <= 600 || batch.view().size() == 1);
    EXPECT_EQ(batch.view().tokens(), batch.starts.back());
    for (const int32_t id : batch.ids) EXPECT_TRUE(id >= 0 && id < 1000);
  }
  EXPECT_EQ(made, lengths);
}

TEST(TimePass, OneWarmUpThenWholeRounds) {
  FakeEngine engine;
  Team team(1);
  const auto lane = engine.NewLane(team, {});
  ASSERT_TRUE(lane.ok());
  const auto batches = MakeBatches(1000, std::vector<int>(6, 10), {.tokens_max = 20});
  ASSERT_EQ(batches.size(), 3u);
  int between = 0;
  const auto times = TimePass(**lane, batches, 0, {}, [&] { ++between; });
  ASSERT_TRUE(times.ok());
  EXPECT_EQ(between, 1);
  EXPECT_THAT(times->rounds, SizeIs(1));
  EXPECT_THAT(times->batches, SizeIs(3));
  EXPECT_EQ(engine.counts().calls, 4);
  EXPECT_EQ(engine.counts().sequences, 2 + 6);
  EXPECT_NEAR(std::accumulate(times->batches.begin(), times->batches.end(), 0.0), times->best(),
              1e-9);
}

TEST(TimePass, AnErrorAndCancellingEndIt) {
  FakeEngineOptions options;
  options.fail_call = 3;
  Team team(1);
  FakeEngine failing(options);
  const auto lane = failing.NewLane(team, {});
  const auto batches = MakeBatches(1000, std::vector<int>(6, 10), {.tokens_max = 20});
  EXPECT_EQ(TimePass(**lane, batches, 1, {}, [] {}).status().code(), StatusCode::kInternal);

  FakeEngine engine;
  const auto other = engine.NewLane(team, {});
  const std::atomic<bool> cancel{true};
  const Interrupt interrupt{.cancel = &cancel};
  EXPECT_EQ(TimePass(**other, batches, 1, interrupt, [] {}).status().code(),
            StatusCode::kCancelled);
}

// Shows nothing of a number's truth, but that each table that has an instruction has a rate here.
TEST(Peak, EveryRunnableTableWithAnInstructionHasOne) {
  Team team(2);
  for (size_t i = 0; i < kernels::TableCount(); ++i) {
    const kernels::TableEntry entry = kernels::TableAt(i);
    for (const Unit unit : {Unit::kFp32, Unit::kInt8}) {
      const bool has = *PeakInstruction(entry.name, unit) != '\0';
      EXPECT_EQ(has, std::string(entry.name) != "scalar" && entry.table != nullptr);
      if (!entry.runnable) continue;
      EXPECT_EQ(Peak(entry.name, unit, 0.001) > 1e9, has) << entry.name;
      EXPECT_EQ(TeamPeak(entry.name, unit, 0.001, team) > 1e9, has) << entry.name;
    }
  }
}

}  // namespace
}  // namespace podium::measure
