// The same tests for every backend, each against the properties it declares.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <new>
#include <random>
#include <string>
#include <vector>

#include "base/concat.h"
#include "engine/factory.h"
#include "engine/fake/fake_engine.h"
#include "tests/support/tables.h"

namespace {
std::atomic<int64_t> allocations{0};
}

// Counts what the whole program allocates. Not inlined: g++ 12 would take the malloc and the delete
// for a mismatched pair.
[[gnu::noinline]] void* operator new(size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace podium {
namespace {

// A small encoder of random weights, in memory.
class RandomModel : public Model {
 public:
  explicit RandomModel(bool bert, int positions = 66) {
    folder_ = "(memory)";
    spec_.architecture =
        bert ? "BertForSequenceClassification" : "XLMRobertaForSequenceClassification";
    spec_.layers = 2;
    spec_.hidden = bert ? 64 : 48;  // whole panels of whole heads, or not
    spec_.heads = bert ? 4 : 3;
    spec_.ffn = 100;
    spec_.vocabulary = 211;
    spec_.token_types = bert ? 2 : 1;
    spec_.positions = positions;
    spec_.position_offset = bert ? 0 : 2;
    spec_.head = bert ? HeadKind::kPoolerTanhProject : HeadKind::kDenseTanhProject;
    weights_.word_embedding = Tensor(spec_.vocabulary, spec_.hidden, 0.5f);
    weights_.position_embedding = Tensor(spec_.positions, spec_.hidden, 0.5f);
    weights_.type_embedding = Tensor(spec_.token_types, spec_.hidden, 0.5f);
    weights_.embedding_norm = Norm();
    for (int i = 0; i < spec_.layers; ++i) {
      LayerView layer;
      layer.query = Linear(spec_.hidden, spec_.hidden);
      layer.key = Linear(spec_.hidden, spec_.hidden);
      layer.value = Linear(spec_.hidden, spec_.hidden);
      layer.attention_output = Linear(spec_.hidden, spec_.hidden);
      layer.ffn_up = Linear(spec_.ffn, spec_.hidden);
      layer.ffn_down = Linear(spec_.hidden, spec_.ffn);
      layer.attention_norm = Norm();
      layer.ffn_norm = Norm();
      weights_.layers.push_back(layer);
    }
    weights_.head_dense = Linear(spec_.hidden, spec_.hidden);
    weights_.head_project = Linear(1, spec_.hidden);
  }

 private:
  TensorView Tensor(int rows, int columns, float spread, float centre = 0) {
    std::normal_distribution<float> normal(centre, spread);
    auto& values = storage_.emplace_back(static_cast<size_t>(rows) * columns);
    for (float& value : values) value = normal(random_);
    parameters_ += values.size();
    return {values.data(), ElementType::kF32, rows, columns};
  }
  LinearView Linear(int outputs, int inputs) {
    const float spread = 1.5f / std::sqrt(static_cast<float>(inputs));
    return {Tensor(outputs, inputs, spread), Tensor(1, outputs, 0.3f)};
  }
  NormView Norm() { return {Tensor(1, spec_.hidden, 0.2f, 1), Tensor(1, spec_.hidden, 0.2f)}; }

  std::mt19937 random_{7};
  std::vector<std::vector<float>> storage_;
};

struct Backend {
  std::string name;
  std::function<std::unique_ptr<const Engine>(Team&)> make;
};

std::vector<Backend> Backends() {
  std::vector<Backend> backends = {
      {"fake", [](Team&) { return std::make_unique<const FakeEngine>(); }}};
  for (const RunnableTable& table : RunnableTables()) {
    for (const bool bert : {false, true}) {
      backends.push_back({Concat("native_", table.name(), bert ? "_bert" : "_xlmr"),
                          [table, bert](Team& team) -> std::unique_ptr<const Engine> {
                            EngineOptions options;
                            options.precision = table.precision;
                            options.isa = table.isa;
                            auto engine =
                                MakeEngine(std::make_shared<RandomModel>(bert), options, team);
                            EXPECT_TRUE(engine.ok()) << engine.status().ToString();
                            return engine.ok() ? *std::move(engine) : nullptr;
                          }});
    }
  }
  return backends;
}

// Sequences end to end, owning its arrays.
struct OwnedBatch {
  std::vector<int32_t> ids;
  std::vector<uint8_t> types;
  std::vector<int32_t> starts = {0};

  void Add(const std::vector<int32_t>& sequence, int token_types) {
    for (size_t i = 0; i < sequence.size(); ++i) {
      ids.push_back(sequence[i]);
      types.push_back(token_types > 1 && i > sequence.size() / 2 ? 1 : 0);
    }
    starts.push_back(static_cast<int32_t>(ids.size()));
  }
  Batch View() const { return {ids, types, starts, {}}; }
};

class EngineConformance : public testing::TestWithParam<Backend> {
 protected:
  void SetUp() override {
    engine_ = GetParam().make(team_);
    ASSERT_NE(engine_, nullptr);
    lane_ = NewLane(team_, {.batch_tokens_max = 400, .sequences_max = 40});
    ASSERT_NE(lane_, nullptr);
  }

  std::unique_ptr<Lane> NewLane(Team& team, const LaneLimits& limits) {
    auto lane = engine_->NewLane(team, limits);
    EXPECT_TRUE(lane.ok()) << lane.status().ToString();
    return lane.ok() ? *std::move(lane) : nullptr;
  }

  std::vector<std::vector<int32_t>> RandomSequences(int count, uint32_t seed) const {
    std::mt19937 random(seed);
    std::vector<std::vector<int32_t>> sequences(static_cast<size_t>(count));
    for (auto& sequence : sequences) {
      sequence.resize(1 + random() % static_cast<uint32_t>(engine_->info().length_max));
      for (int32_t& id : sequence) {
        id = static_cast<int32_t>(random() % static_cast<uint32_t>(engine_->info().vocabulary));
      }
    }
    return sequences;
  }

  OwnedBatch Join(const std::vector<std::vector<int32_t>>& sequences) const {
    OwnedBatch batch;
    for (const auto& sequence : sequences) batch.Add(sequence, engine_->info().token_types);
    return batch;
  }

  float ScoreAlone(Lane& lane, const std::vector<int32_t>& sequence) const {
    float logit = std::numeric_limits<float>::quiet_NaN();
    const OwnedBatch batch = Join({sequence});
    EXPECT_TRUE(lane.Score(batch.View(), std::span(&logit, 1), {}).ok());
    return logit;
  }

  StatusCode Refusal(const OwnedBatch& batch, size_t logits) const {
    std::vector<float> out(logits);
    const Status status = lane_->Score(batch.View(), out, {});
    EXPECT_TRUE(status.ok() || !status.message().empty());
    return status.code();
  }

  Team team_{2};
  std::unique_ptr<const Engine> engine_;
  std::unique_ptr<Lane> lane_;
};

TEST_P(EngineConformance, DeclaresWhatItIs) {
  const EngineInfo& info = engine_->info();
  EXPECT_FALSE(info.backend.empty());
  EXPECT_FALSE(info.precision.empty());
  EXPECT_GT(info.length_max, 0);
  EXPECT_GT(info.vocabulary, 0);
  EXPECT_GT(info.parameters, 0u);
  EXPECT_GT(info.weight_bytes, 0u);
}

TEST_P(EngineConformance, LimitsHoldAPairOfFullLength) {
  const auto lane = NewLane(team_, {.batch_tokens_max = 1, .sequences_max = 1});
  EXPECT_GE(lane->limits().batch_tokens_max, engine_->info().length_max);
  const std::vector<int32_t> longest(static_cast<size_t>(engine_->info().length_max), 5);
  EXPECT_TRUE(std::isfinite(ScoreAlone(*lane, longest)));
}

TEST_P(EngineConformance, ScoresAreFiniteAndDependOnTheIds) {
  const auto sequences = RandomSequences(20, 1);
  float least = std::numeric_limits<float>::infinity();
  float most = -least;
  for (const auto& sequence : sequences) {
    const float logit = ScoreAlone(*lane_, sequence);
    ASSERT_TRUE(std::isfinite(logit));
    least = std::min(least, logit);
    most = std::max(most, logit);
  }
  EXPECT_GT(most - least, 1e-3f);
}

// Alone, in any batch, in any order, with any number of threads.
TEST_P(EngineConformance, SameScoreInAnyCompany) {
  const float tolerance = engine_->info().deterministic ? 0.0f : 1e-4f;
  const auto sequences = RandomSequences(40, 2);
  std::vector<float> alone;
  for (const auto& sequence : sequences) alone.push_back(ScoreAlone(*lane_, sequence));
  std::mt19937 random(3);
  for (const int threads : {1, 2, 3}) {
    Team team(threads);
    const auto lane = NewLane(team, {.batch_tokens_max = 400, .sequences_max = 40});
    for (int round = 0; round < 30; ++round) {
      std::vector<size_t> chosen;
      OwnedBatch batch;
      while (chosen.size() < 1 + random() % 12) {
        const size_t i = random() % sequences.size();
        if (batch.ids.size() + sequences[i].size() > 400) break;
        chosen.push_back(i);
        batch.Add(sequences[i], engine_->info().token_types);
      }
      std::vector<float> logits(chosen.size());
      ASSERT_TRUE(lane->Score(batch.View(), logits, {}).ok());
      for (size_t i = 0; i < chosen.size(); ++i) {
        ASSERT_LE(std::fabs(logits[i] - alone[chosen[i]]), tolerance)
            << "sequence " << chosen[i] << ", " << threads << " threads";
      }
    }
  }
}

TEST_P(EngineConformance, NoTypesAreTypesOfZero) {
  for (const auto& sequence : RandomSequences(5, 4)) {
    OwnedBatch batch = Join({sequence});
    std::fill(batch.types.begin(), batch.types.end(), uint8_t{0});
    float with = 0;
    float without = 1;
    ASSERT_TRUE(lane_->Score(batch.View(), std::span(&with, 1), {}).ok());
    batch.types.clear();
    ASSERT_TRUE(lane_->Score(batch.View(), std::span(&without, 1), {}).ok());
    EXPECT_EQ(with, without);
  }
}

TEST_P(EngineConformance, SegmentsMatterWhereTheModelHasThem) {
  if (engine_->info().token_types < 2) GTEST_SKIP() << "one segment";
  OwnedBatch batch = Join({{3, 4, 5, 6, 7, 8}});
  float one = 0;
  float other = 0;
  ASSERT_TRUE(lane_->Score(batch.View(), std::span(&one, 1), {}).ok());
  batch.types[1] = 1;
  ASSERT_TRUE(lane_->Score(batch.View(), std::span(&other, 1), {}).ok());
  EXPECT_NE(one, other);
}

TEST_P(EngineConformance, RefusesWhatIsOutsideItsLimitsAndGoesOn) {
  const EngineInfo& info = engine_->info();
  const std::vector<int32_t> good = {0, 5, 2};
  const float want = ScoreAlone(*lane_, good);
  const auto full = static_cast<size_t>(info.length_max);

  EXPECT_EQ(Refusal(Join({std::vector<int32_t>(full + 1, 5)}), 1), StatusCode::kInvalidArgument);
  EXPECT_EQ(Refusal(Join({good, {}}), 2), StatusCode::kInvalidArgument);
  EXPECT_EQ(Refusal(Join({{0, info.vocabulary, 2}}), 1), StatusCode::kInvalidArgument);
  EXPECT_EQ(Refusal(Join({{0, -1, 2}}), 1), StatusCode::kInvalidArgument);
  EXPECT_EQ(Refusal(Join(std::vector(41, good)), 41), StatusCode::kInvalidArgument);
  EXPECT_EQ(
      Refusal(Join(std::vector(401 / full + 1, std::vector<int32_t>(full, 5))), 401 / full + 1),
      StatusCode::kInvalidArgument);
  OwnedBatch types = Join({good});
  types.types[0] = static_cast<uint8_t>(std::max(1, info.token_types));
  EXPECT_EQ(Refusal(types, 1), StatusCode::kInvalidArgument);
  EXPECT_EQ(Refusal(Join({good, good}), 1), StatusCode::kInvalidArgument);  // room for one logit

  EXPECT_EQ(ScoreAlone(*lane_, good), want);
}

TEST_P(EngineConformance, ALowerLengthLimitIsKept) {
  const int half = engine_->info().length_max / 2;
  const auto lane = NewLane(team_, {.length_max = half, .batch_tokens_max = 1});
  EXPECT_EQ(lane->limits().batch_tokens_max, half);
  const std::vector<int32_t> longest(static_cast<size_t>(half), 5);
  EXPECT_EQ(ScoreAlone(*lane, longest), ScoreAlone(*lane_, longest));
  float logit = 0;
  const OwnedBatch longer = Join({std::vector<int32_t>(static_cast<size_t>(half) + 1, 5)});
  EXPECT_EQ(lane->Score(longer.View(), std::span(&logit, 1), {}).code(),
            StatusCode::kInvalidArgument);
}

TEST_P(EngineConformance, AnEmptyBatchIsRefused) {
  EXPECT_EQ(Refusal(OwnedBatch(), 0), StatusCode::kInvalidArgument);
  EXPECT_EQ(lane_->Score(Batch(), {}, {}).code(), StatusCode::kInvalidArgument);
}

TEST_P(EngineConformance, CancelAndDeadlineEndACall) {
  const std::vector<int32_t> good = {0, 5, 2};
  const float want = ScoreAlone(*lane_, good);
  const OwnedBatch batch = Join({good});
  float logit = 0;
  const std::atomic<bool> cancelled{true};
  Interrupt interrupt;
  interrupt.cancel = &cancelled;
  EXPECT_EQ(lane_->Score(batch.View(), std::span(&logit, 1), interrupt).code(),
            StatusCode::kCancelled);
  Interrupt late;
  late.deadline = std::chrono::steady_clock::now();
  EXPECT_EQ(lane_->Score(batch.View(), std::span(&logit, 1), late).code(),
            StatusCode::kDeadlineExceeded);
  EXPECT_EQ(ScoreAlone(*lane_, good), want);
}

TEST_P(EngineConformance, ScoreAllocatesNothing) {
  const auto sequences = RandomSequences(8, 5);
  OwnedBatch batch;
  for (const auto& sequence : sequences) {
    if (batch.ids.size() + sequence.size() <= 400) {
      batch.Add(sequence, engine_->info().token_types);
    }
  }
  std::vector<float> logits(batch.starts.size() - 1);
  ASSERT_TRUE(lane_->Score(batch.View(), logits, {}).ok());
  const int64_t before = allocations;
  bool ok = true;
  for (int round = 0; round < 5; ++round) ok &= lane_->Score(batch.View(), logits, {}).ok();
  EXPECT_EQ(allocations - before, 0);
  EXPECT_TRUE(ok);
}

TEST(LongInputs, WorkInMemoryThatGrowsAsTheirLength) {
  constexpr int kLength = 8192;
  Team team(2);
  for (const std::string precision : {"int8", "fp32"}) {
    SCOPED_TRACE(precision);
    auto engine =
        MakeEngine(std::make_shared<RandomModel>(true, kLength), {.precision = precision}, team);
    ASSERT_TRUE(engine.ok()) << engine.status().ToString();
    const auto lane_of = [&](int length) {
      auto lane = (*engine)->NewLane(
          team, {.length_max = length, .batch_tokens_max = length, .sequences_max = 1});
      EXPECT_TRUE(lane.ok()) << lane.status().ToString();
      return std::move(*lane);
    };
    const auto bytes = [&](int length) { return lane_of(length)->arena_bytes(); };
    const size_t growth = bytes(kLength / 2) - bytes(kLength / 4);
    EXPECT_EQ(bytes(kLength) - bytes(kLength / 2), 2 * growth);

    OwnedBatch batch;
    std::mt19937 random(11);
    std::vector<int32_t> ids(kLength);
    for (int32_t& id : ids) id = static_cast<int32_t>(3 + random() % 200);
    batch.Add(ids, 2);
    float logit = 0;
    const Status status = lane_of(kLength)->Score(batch.View(), {&logit, 1}, {});
    ASSERT_TRUE(status.ok()) << status.ToString();
    EXPECT_TRUE(std::isfinite(logit));
    // What is last counts: nothing was cut.
    batch.ids.back() = batch.ids.back() == 3 ? 4 : 3;
    float other = 0;
    ASSERT_TRUE(lane_of(kLength)->Score(batch.View(), {&other, 1}, {}).ok());
    EXPECT_NE(logit, other);
  }
}

INSTANTIATE_TEST_SUITE_P(All, EngineConformance, testing::ValuesIn(Backends()),
                         [](const auto& param) { return param.param.name; });

}  // namespace
}  // namespace podium
