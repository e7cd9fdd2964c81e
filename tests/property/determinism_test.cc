// A pair's score is bit for bit the same alone, in any batch, in any order, beside any neighbour,
// with any number of threads: for every kernel table, on hot checkpoints, from a random seed.
//
// tests/property/ holds what must be true for all inputs. PODIUM_TEST_SEED=N repeats a run.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/team.h"
#include "engine/factory.h"
#include "model/model.h"
#include "tests/golden/golden_file.h"
#include "tests/golden/synthetic_model.h"
#include "tests/support/tables.h"

namespace podium {
namespace {

using golden::CaseBatch;
using golden::GoldenCase;
using golden::Recipe;
using golden::SyntheticModel;

uint64_t Seed() {
  static const uint64_t seed = [] {
    const char* given = std::getenv("PODIUM_TEST_SEED");
    const uint64_t chosen =
        given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device()() & 0xFFFFFFFFu;
    std::cout << "PODIUM_TEST_SEED=" << chosen << std::endl;
    return chosen;
  }();
  return seed;
}

// Ids that bring extreme values, in a model that has them.
constexpr int32_t kNanId = 2;
constexpr int32_t kInfinityId = 3;
constexpr int32_t kHugeId = 4;
constexpr int32_t kTinyId = 5;
constexpr int32_t kFirstPlainId = 6;

// A model whose first word embeddings are NaN, infinite, huge and subnormal.
class ExtremeModel : public Model {
 public:
  explicit ExtremeModel(std::shared_ptr<const Model> base) : base_(std::move(base)) {
    folder_ = base_->folder();
    spec_ = base_->spec();
    weights_ = base_->weights();
    parameters_ = base_->parameters();
    const TensorView& words = base_->weights().word_embedding;
    const auto* from = static_cast<const float*>(words.data);
    words_.assign(from, from + words.elements());
    const std::pair<int32_t, float> rows[] = {{kNanId, std::numeric_limits<float>::quiet_NaN()},
                                              {kInfinityId, std::numeric_limits<float>::infinity()},
                                              {kHugeId, std::numeric_limits<float>::max()},
                                              {kTinyId, std::numeric_limits<float>::denorm_min()}};
    for (const auto& [id, value] : rows) {
      // Every other element: a constant row would be normalised away.
      for (int64_t j = 0; j < words.columns; j += 2) {
        words_[static_cast<size_t>(id * words.columns + j)] = value;
      }
    }
    weights_.word_embedding.data = words_.data();
  }

 private:
  std::shared_ptr<const Model> base_;
  std::vector<float> words_;
};

struct Shape {
  const char* name;
  Recipe recipe;
};

const Shape kShapes[] = {
    {"odd",
     {.kind = "xlm-roberta",
      .layers = 2,
      .hidden = 72,
      .heads = 3,
      .ffn = 200,
      .vocabulary = 300,
      .positions = 258,
      .seed = 21}},
    {"bert",
     {.kind = "bert",
      .layers = 2,
      .hidden = 384,
      .heads = 12,
      .ffn = 1536,
      .vocabulary = 300,
      .positions = 200,
      .token_types = 2,
      .eps = 1e-12,
      .seed = 22}},
    {"base",
     {.kind = "xlm-roberta",
      .layers = 1,
      .hidden = 768,
      .heads = 12,
      .ffn = 3072,
      .vocabulary = 200,
      .positions = 258,
      .seed = 23}},
    {"base_f16",
     {.kind = "xlm-roberta",
      .layers = 1,
      .hidden = 768,
      .heads = 12,
      .ffn = 3072,
      .vocabulary = 200,
      .positions = 130,
      .seed = 24,
      .storage = "F16"}},
};

// Sanitizers make the arithmetic 10 to 100 times as slow; what they look for shows in few sequences
// of small models.
std::vector<Shape> Shapes() {
  const size_t count = PODIUM_SANITIZED != 0 ? 2 : std::size(kShapes);
  return {kShapes, kShapes + count};
}
bool FewAndShort(const RunnableTable& table, const Model& model) {
  return PODIUM_SANITIZED != 0 || (table.isa == "scalar" && model.spec().hidden > 100);
}

class DeterminismTest : public testing::TestWithParam<Shape> {
 protected:
  void SetUp() override {
    files_ = std::make_unique<SyntheticModel>(GetParam().recipe);
    auto model = OpenModel(files_->folder());
    ASSERT_TRUE(model.ok()) << model.status().ToString();
    model_ = *model;
  }

  GoldenCase Draw(std::mt19937_64& random, int length_max) {
    const auto below = [&](int bound) {
      return static_cast<int>(random() % static_cast<uint64_t>(bound));
    };
    GoldenCase one;
    // Short ones as often as long ones.
    const int length = 1 + below(1 + below(length_max));
    for (int i = 0; i < length; ++i) {
      one.ids.push_back(kFirstPlainId + below(model_->spec().vocabulary - kFirstPlainId));
      if (model_->spec().token_types > 1) {
        one.types.push_back(static_cast<uint8_t>(below(model_->spec().token_types)));
      }
    }
    return one;
  }

  std::unique_ptr<SyntheticModel> files_;
  std::shared_ptr<const Model> model_;
};

std::unique_ptr<Engine> EngineOf(std::shared_ptr<const Model> model, const RunnableTable& table,
                                 Team& team) {
  EngineOptions options;
  options.precision = table.precision;
  options.isa = table.isa;
  auto engine = MakeEngine(std::move(model), options, team);
  EXPECT_TRUE(engine.ok()) << engine.status().ToString();
  if (!engine.ok()) return nullptr;
  EXPECT_EQ((*engine)->info().isa, table.isa);
  EXPECT_EQ((*engine)->info().precision, table.precision);
  EXPECT_TRUE((*engine)->info().deterministic);
  return std::move(engine).value();
}

// The bits of each case's score, computed in the given order, as many a batch as fit.
std::vector<uint32_t> ScoreBits(const Engine& engine, Team& team, int batch_tokens_max,
                                const std::vector<GoldenCase>& cases,
                                const std::vector<size_t>& order, size_t sequences_max) {
  auto lane = engine.NewLane(team, {.batch_tokens_max = batch_tokens_max, .sequences_max = 64});
  EXPECT_TRUE(lane.ok()) << lane.status().ToString();
  std::vector<uint32_t> bits(cases.size());
  for (size_t begin = 0; begin < order.size();) {
    CaseBatch batch;
    size_t end = begin;
    size_t tokens = 0;
    while (end < order.size() && end - begin < sequences_max) {
      tokens += cases[order[end]].ids.size();
      if (tokens > static_cast<size_t>((*lane)->limits().batch_tokens_max)) break;
      batch.Add(cases[order[end++]]);
    }
    std::vector<float> logits(end - begin);
    const Status status = (*lane)->Score(batch.batch(), logits, Interrupt());
    EXPECT_TRUE(status.ok()) << status.ToString();
    for (size_t i = begin; i < end; ++i)
      bits[order[i]] = std::bit_cast<uint32_t>(logits[i - begin]);
    begin = end;
  }
  return bits;
}

TEST_P(DeterminismTest, SameBitsInAnyCompanyOrderAndThreadCount) {
  std::mt19937_64 random(Seed());
  for (const RunnableTable& table : RunnableTables()) {
    SCOPED_TRACE("PODIUM_TEST_SEED=" + std::to_string(Seed()) + " " + table.name());
    const bool few = FewAndShort(table, *model_);
    Team one_thread(1);
    const std::unique_ptr<Engine> engine = EngineOf(model_, table, one_thread);
    ASSERT_NE(engine, nullptr);
    std::vector<GoldenCase> cases;
    for (int i = 0; i < (few ? 5 : 24); ++i) {
      cases.push_back(Draw(random, few ? 40 : model_->spec().length_max()));
    }
    std::vector<size_t> order(cases.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    const std::vector<uint32_t> alone = ScoreBits(*engine, one_thread, 1, cases, order, 1);
    for (const int threads : {1, 2, 3}) {
      Team team(threads);
      for (const int batch_tokens_max : few ? std::vector{64} : std::vector{1, 300, 777, 4096}) {
        std::shuffle(order.begin(), order.end(), random);
        SCOPED_TRACE(std::to_string(threads) + " threads, " + std::to_string(batch_tokens_max));
        EXPECT_EQ(ScoreBits(*engine, team, batch_tokens_max, cases, order, 64), alone);
      }
    }
  }
}

TEST_P(DeterminismTest, ANeighbourOfExtremeValuesChangesNothing) {
  if (GetParam().recipe.storage != "F32") GTEST_SKIP() << "the extreme rows are fp32";
  std::mt19937_64 random(Seed() + 1);
  const auto extreme_model = std::make_shared<ExtremeModel>(model_);
  for (const RunnableTable& table : RunnableTables()) {
    SCOPED_TRACE("PODIUM_TEST_SEED=" + std::to_string(Seed()) + " " + table.name());
    const bool few = FewAndShort(table, *model_);
    Team team(2);
    const std::unique_ptr<Engine> engine = EngineOf(extreme_model, table, team);
    ASSERT_NE(engine, nullptr);
    auto lane = engine->NewLane(team, LaneLimits());
    ASSERT_TRUE(lane.ok()) << lane.status().ToString();
    for (int trial = 0; trial < (few ? 1 : 8); ++trial) {
      const GoldenCase victim = Draw(random, 60);
      CaseBatch alone;
      alone.Add(victim);
      float expected = 0;
      ASSERT_TRUE((*lane)->Score(alone.batch(), {&expected, 1}, Interrupt()).ok());
      for (const int32_t id : {kNanId, kInfinityId, kHugeId, kTinyId}) {
        GoldenCase neighbour = Draw(random, 60);
        std::fill(neighbour.ids.begin(), neighbour.ids.end(), id);
        CaseBatch batch;
        batch.Add(neighbour);
        batch.Add(victim);
        batch.Add(neighbour);
        std::vector<float> logits(3);
        // What the engine says of the neighbour itself is not asked here.
        const Status status = (*lane)->Score(batch.batch(), logits, Interrupt());
        ASSERT_TRUE(status.ok()) << status.ToString();
        EXPECT_EQ(std::bit_cast<uint32_t>(logits[1]), std::bit_cast<uint32_t>(expected))
            << "beside id " << id;
      }
      // What they left in the lane's memory must not be seen either.
      float again = 0;
      ASSERT_TRUE((*lane)->Score(alone.batch(), {&again, 1}, Interrupt()).ok());
      EXPECT_EQ(std::bit_cast<uint32_t>(again), std::bit_cast<uint32_t>(expected));
    }
  }
}

// An interrupt or a refused batch leaves nothing behind.
TEST_P(DeterminismTest, SameBitsAfterAnInterruptAndAfterARefusal) {
  std::mt19937_64 random(Seed() + 2);
  for (const RunnableTable& table : RunnableTables()) {
    SCOPED_TRACE("PODIUM_TEST_SEED=" + std::to_string(Seed()) + " " + table.name());
    Team team(2);
    const std::unique_ptr<Engine> engine = EngineOf(model_, table, team);
    ASSERT_NE(engine, nullptr);
    auto lane = engine->NewLane(team, LaneLimits());
    ASSERT_TRUE(lane.ok()) << lane.status().ToString();
    CaseBatch good;
    for (int i = 0; i < 3; ++i) good.Add(Draw(random, 40));
    std::vector<float> expected(3);
    ASSERT_TRUE((*lane)->Score(good.batch(), expected, Interrupt()).ok());
    const auto expect_unchanged = [&] {
      std::vector<float> logits(3);
      ASSERT_TRUE((*lane)->Score(good.batch(), logits, Interrupt()).ok());
      EXPECT_EQ(logits, expected);
    };

    std::vector<float> logits(3);
    std::atomic<bool> cancel = true;
    EXPECT_EQ((*lane)->Score(good.batch(), logits, {.cancel = &cancel}).code(),
              StatusCode::kCancelled);
    expect_unchanged();
    const auto past = std::chrono::steady_clock::now() - std::chrono::seconds(1);
    EXPECT_EQ((*lane)->Score(good.batch(), logits, {.deadline = past}).code(),
              StatusCode::kDeadlineExceeded);
    expect_unchanged();

    GoldenCase wrong_id = Draw(random, 20);
    wrong_id.ids.back() = model_->spec().vocabulary;
    GoldenCase negative_id = Draw(random, 20);
    negative_id.ids.front() = -1;
    GoldenCase wrong_type = Draw(random, 20);
    wrong_type.types.assign(wrong_type.ids.size(), 0);
    wrong_type.types.back() = static_cast<uint8_t>(model_->spec().token_types);
    GoldenCase too_long;
    too_long.ids.assign(static_cast<size_t>(model_->spec().length_max()) + 1, kFirstPlainId);
    for (const GoldenCase& bad : {wrong_id, negative_id, wrong_type, too_long, GoldenCase()}) {
      CaseBatch batch;
      batch.Add(bad);
      float logit = 0;
      const Status status = (*lane)->Score(batch.batch(), {&logit, 1}, Interrupt());
      EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << status.ToString();
      expect_unchanged();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, DeterminismTest, testing::ValuesIn(Shapes()),
                         [](const auto& param) { return std::string(param.param.name); });

// The deadline is looked at between layers: a call ends long before its last layer. On a busy
// machine a single measurement says little, so the best of some counts.
TEST(InterruptTest, ADeadlineEndsACallWithinALayer) {
  const SyntheticModel files({.kind = "xlm-roberta",
                              .layers = 24,
                              .hidden = 256,
                              .heads = 4,
                              .ffn = 1024,
                              .vocabulary = 100,
                              .positions = 258,
                              .seed = 25});
  auto model = OpenModel(files.folder());
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  Team team(1);
  const std::unique_ptr<Engine> engine = EngineOf(*model, RunnableTables().front(), team);
  ASSERT_NE(engine, nullptr);
  auto lane = engine->NewLane(team, {.batch_tokens_max = 2048, .sequences_max = 8});
  ASSERT_TRUE(lane.ok()) << lane.status().ToString();
  CaseBatch batch;
  GoldenCase one;
  one.ids.assign(256, kFirstPlainId);
  for (int i = 0; i < 8; ++i) batch.Add(one);
  std::vector<float> logits(8);

  using Clock = std::chrono::steady_clock;
  double best = 1;
  for (int attempt = 0; attempt < 10 && best > 0.5; ++attempt) {
    const auto begin = Clock::now();
    ASSERT_TRUE((*lane)->Score(batch.batch(), logits, Interrupt()).ok());
    const auto whole = Clock::now() - begin;
    const auto second = Clock::now();
    const Status status = (*lane)->Score(batch.batch(), logits, {.deadline = second + whole / 4});
    const auto interrupted = Clock::now() - second;
    EXPECT_EQ(status.code(), StatusCode::kDeadlineExceeded) << status.ToString();
    best = std::min(
        best, std::chrono::duration<double>(interrupted) / std::chrono::duration<double>(whole));
  }
  EXPECT_LE(best, 0.5) << "of the whole call's time, with a deadline at a quarter";
}

}  // namespace
}  // namespace podium
