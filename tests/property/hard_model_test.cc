// Models made hard on purpose for bytes: columns far larger than others, gains a hundredfold, a
// residual beyond what 16 bits hold. Scores stay finite and bounded, and where bytes lose the order
// of magnitude, a part that is left in float saves it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "base/team.h"
#include "engine/calibrate.h"
#include "engine/factory.h"
#include "kernels/select.h"
#include "model/model.h"
#include "tests/golden/golden_file.h"
#include "tests/golden/synthetic_model.h"
#include "tests/support/tables.h"

namespace podium {
namespace {

using golden::CaseBatch;
using golden::GoldenCase;
using golden::SyntheticModel;

const golden::Recipe kRecipe = {.kind = "xlm-roberta",
                                .layers = 3,
                                .hidden = 128,
                                .heads = 4,
                                .ffn = 512,
                                .vocabulary = 300,
                                .positions = 130,
                                .seed = 41};

// A model with tensors of its own in the place of some.
class HardModel : public Model {
 public:
  explicit HardModel(std::shared_ptr<const Model> base) : base_(std::move(base)) {
    folder_ = base_->folder();
    spec_ = base_->spec();
    weights_ = base_->weights();
    parameters_ = base_->parameters();
  }

  WeightsView& weights() { return weights_; }

  // Multiplies elements whose row and column the filter takes.
  template <typename Filter>
  void Scale(TensorView& view, float factor, Filter&& filter) {
    const auto* from = static_cast<const float*>(view.data);
    auto& copy =
        copies_.emplace_back(std::make_unique<std::vector<float>>(from, from + view.elements()));
    for (int64_t row = 0; row < view.rows; ++row) {
      for (int64_t column = 0; column < view.columns; ++column) {
        if (filter(row, column))
          (*copy)[static_cast<size_t>(row * view.columns + column)] *= factor;
      }
    }
    view.data = copy->data();
  }

 private:
  std::shared_ptr<const Model> base_;
  std::vector<std::unique_ptr<std::vector<float>>> copies_;
};

class HardModelTest : public testing::Test {
 protected:
  void SetUp() override {
    auto model = OpenModel(files_.folder());
    ASSERT_TRUE(model.ok()) << model.status().ToString();
    model_ = std::make_shared<HardModel>(*model);
    std::mt19937 random(3);
    for (int i = 0; i < 24; ++i) {
      GoldenCase one;
      const int length = 8 + static_cast<int>(random() % 60);
      for (int t = 0; t < length; ++t) one.ids.push_back(static_cast<int32_t>(6 + random() % 290));
      batch_.Add(one);
    }
  }

  // Mean |Δlogit| to fp32, in standard deviations, with these groups in float.
  Calibration Run(double target, double share) {
    const Batch batch = batch_.batch();
    const auto calibration =
        Calibrate(model_, {&batch, 1}, {.target_sd = target, .float_share = share}, team_, {},
                  [](int, int) {});
    EXPECT_TRUE(calibration.ok()) << calibration.status().ToString();
    return calibration.ok() ? *calibration : Calibration();
  }

  void ExpectFinite(const std::vector<std::string>& in_float) {
    for (const RunnableTable& table : RunnableTables()) {
      if (table.precision != "int8") continue;
      const auto engine =
          MakeEngine(model_, {.precision = "int8", .isa = table.isa, .in_float = in_float}, team_);
      ASSERT_TRUE(engine.ok()) << engine.status().ToString();
      const auto lane = (*engine)->NewLane(team_, {});
      std::vector<float> logits(24);
      ASSERT_TRUE((*lane)->Score(batch_.batch(), logits, Interrupt()).ok());
      for (const float logit : logits) EXPECT_TRUE(std::isfinite(logit)) << table.name();
    }
  }

  SyntheticModel files_{kRecipe};
  std::shared_ptr<HardModel> model_;
  CaseBatch batch_;
  Team team_{2};
};

// One output of the up product is a thousand times the others: its GELU sets the step of its group
// of columns, though a rotation spreads it over some.
TEST_F(HardModelTest, AnOutlierInTheFfnIsSavedByThatFfnInFloat) {
  LayerView& layer = model_->weights().layers[1];
  model_->Scale(layer.ffn_up.weight, 1000, [](int64_t row, int64_t) { return row == 77; });
  model_->Scale(layer.ffn_down.weight, 0.001f,
                [](int64_t, int64_t column) { return column == 77; });
  const Calibration all = Run(0, 1);
  const Calibration one = Run(0.03, 0.34);
  ExpectFinite({});
  EXPECT_GT(all.before, 0.05) << "not hard enough to show anything";
  ASSERT_FALSE(all.effects.empty());
  EXPECT_EQ(all.effects.front().name, "layers.1.ffn");
  ASSERT_FALSE(one.in_float.empty());
  EXPECT_EQ(one.in_float.front(), "layers.1.ffn");
  EXPECT_LT(one.after, one.before / 2);
  ExpectFinite(one.in_float);
}

// Columns a hundred times the others are spread over their block.
TEST_F(HardModelTest, GainsAHundredfoldAreBounded) {
  LayerView& layer = model_->weights().layers[0];
  model_->Scale(layer.ffn_norm.gain, 100, [](int64_t, int64_t column) { return column % 37 == 5; });
  model_->Scale(layer.ffn_norm.bias, 100, [](int64_t, int64_t column) { return column % 37 == 5; });
  ExpectFinite({});
  const Calibration calibration = Run(0, 1);
  EXPECT_LT(calibration.before, 0.12);
  EXPECT_LE(calibration.before, calibration.nearest);
  EXPECT_LT(calibration.after, calibration.before);
}

TEST_F(HardModelTest, AResidualBeyondSixteenBitsIsFinite) {
  for (LayerView& layer : model_->weights().layers) {
    model_->Scale(layer.attention_output.weight, 1e5f,
                  [](int64_t row, int64_t) { return row == 9; });
    model_->Scale(layer.ffn_down.weight, 1e6f, [](int64_t row, int64_t) { return row == 9; });
    model_->Scale(layer.ffn_up.weight, 3e4f, [](int64_t row, int64_t) { return row == 300; });
  }
  ExpectFinite({});
  ExpectFinite({"layers.*.ffn"});
  ExpectFinite({"layers.*.ffn", "layers.*.attention"});
}

}  // namespace
}  // namespace podium
