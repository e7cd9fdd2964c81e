// The goldens can fail: the plain encoder gives every one of them, and each planted mistake misses
// one by ten times more than the engines' tolerance.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "model/model.h"
#include "tests/golden/golden_file.h"
#include "tests/golden/plain_encoder.h"
#include "tests/golden/synthetic_model.h"

namespace podium::golden {
namespace {

// Both sides are double and differ in the order of sums only.
constexpr double kExact = 1e-9;

// Multiply-adds of one case beyond which the plain encoder would take more than some seconds.
constexpr double kWorkMax = 2.5e9;

double WorkOf(const EncoderSpec& spec, const GoldenCase& one) {
  const auto tokens = static_cast<double>(one.ids.size());
  const double products = spec.hidden * (4.0 * spec.hidden + 2.0 * spec.ffn);
  return spec.layers * tokens * (products + 2 * tokens * spec.hidden);
}

struct Opened {
  explicit Opened(const std::string& name)
      : golden(ReadGolden(name)), files(golden.recipe), model(OpenModel(files.folder())) {}
  Golden golden;
  SyntheticModel files;
  Result<std::shared_ptr<const Model>> model;
};

class PlainEncoderGolden : public testing::TestWithParam<const char*> {};

TEST_P(PlainEncoderGolden, GivesTransformersLogits) {
  const Opened opened(GetParam());
  ASSERT_EQ(opened.files.fingerprint(), opened.golden.fingerprint) << "generator differs";
  ASSERT_TRUE(opened.model.ok()) << opened.model.status().ToString();
  const Model& model = **opened.model;
  PlainEncoder encoder(model.spec(), model.weights());
  int checked = 0;
  for (const GoldenCase& one : opened.golden.cases) {
    if (WorkOf(model.spec(), one) > kWorkMax) continue;
    CaseBatch batch;
    batch.Add(one);
    EXPECT_NEAR(encoder.Score(batch.batch())[0], one.logit, kExact) << one.ids.size() << " tokens";
    ++checked;
  }
  EXPECT_GE(checked, 2);
  // Hot: a softmax far from uniform.
  EXPECT_GT(encoder.attention_deviation(), 2);
  EXPECT_LT(encoder.attention_deviation(), 4.5);
}

INSTANTIATE_TEST_SUITE_P(All, PlainEncoderGolden, testing::ValuesIn(kGoldenNames),
                         [](const auto& param) { return std::string(param.param); });

struct Planted {
  Mistake mistake;
  const char* name;
};
constexpr Planted kPlanted[] = {
    {Mistake::kGeluTanh, "gelu_tanh"},
    {Mistake::kGeluErf, "gelu_erf"},
    {Mistake::kPositionMinusOne, "position_minus_one"},
    {Mistake::kPositionsFromTwo, "positions_from_two"},
    {Mistake::kPaddingCounted, "padding_counted"},
    {Mistake::kWrongEps, "wrong_eps"},
    {Mistake::kTypesZero, "types_zero"},
    {Mistake::kTypesDropped, "types_dropped"},
    {Mistake::kNeighbourVisible, "neighbour_visible"},
    {Mistake::kPoolerDropped, "pooler_dropped"},
    {Mistake::kPoolerNoTanh, "pooler_no_tanh"},
    {Mistake::kLastTokenPooled, "last_token_pooled"},
    {Mistake::kScaleMissing, "scale_missing"},
    {Mistake::kScaleOfHidden, "scale_of_hidden"},
    {Mistake::kPreNorm, "pre_norm"},
    {Mistake::kResidualDropped, "residual_dropped"},
    {Mistake::kBiasDropped, "bias_dropped"},
    {Mistake::kHeadsMixed, "heads_mixed"},
    {Mistake::kLastKeyHidden, "last_key_hidden"},
    {Mistake::kFirstLabel, "first_label"},
    {Mistake::kLabelsSwapped, "labels_swapped"},
};

// Largest distance from the goldens of up to 65 tokens, the sequences scored together as one batch.
double Distance(const Opened& opened, Mistake mistake) {
  std::vector<const GoldenCase*> cases;
  CaseBatch batch;
  for (const GoldenCase& one : opened.golden.cases) {
    if (one.ids.size() > 65) continue;
    cases.push_back(&one);
    batch.Add(one);
  }
  const Model& model = **opened.model;
  PlainEncoder encoder(model.spec(), model.weights(), mistake);
  const std::vector<double> logits = encoder.Score(batch.batch());
  double distance = 0;
  for (size_t i = 0; i < logits.size(); ++i) {
    distance = std::max(distance, std::abs(logits[i] - cases[i]->logit));
  }
  return distance;
}

TEST(MutationTest, EveryPlantedMistakeMissesAGoldenByTenTolerances) {
  // Cheapest first; the tanh form of GELU needs some layers to grow.
  const Opened opened[] = {Opened("tiny"),           Opened("tiny_bert"),     Opened("tiny_pad"),
                           Opened("camembert_relu"), Opened("bert_tanh_two"), Opened("minilm")};
  for (const Opened& one : opened) {
    ASSERT_TRUE(one.model.ok()) << one.model.status().ToString();
    EXPECT_LT(Distance(one, Mistake::kNone), kExact);
  }
  for (const Planted& planted : kPlanted) {
    double distance = 0;
    for (const Opened& one : opened) {
      if (distance < 1e-3) distance = std::max(distance, Distance(one, planted.mistake));
    }
    EXPECT_GT(distance, 1e-3) << planted.name;
    RecordProperty(planted.name, std::to_string(distance));
  }
}

}  // namespace
}  // namespace podium::golden
