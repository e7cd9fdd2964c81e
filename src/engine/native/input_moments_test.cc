// Weights rounded for measured inputs are closer to the truth on such inputs than the nearest
// bytes.
#include "engine/native/input_moments.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "kernels/layout.h"
#include "kernels/select.h"

namespace podium {
namespace {

constexpr int kRows = 200;

class InputMomentsTest : public testing::Test {
 protected:
  // Tokens of few directions, as real ones: a mean, and columns that go together.
  std::vector<float> Inputs(int width) {
    constexpr int kDirections = 9;
    std::normal_distribution<float> normal;
    std::vector<float> directions(static_cast<size_t>(kDirections) * width),
        x(kRows * static_cast<size_t>(width));
    for (float& v : directions) v = normal(random_);
    for (int row = 0; row < kRows; ++row) {
      for (int d = 0; d < kDirections; ++d) {
        const float factor = d == 0 ? 3 : normal(random_);
        for (int i = 0; i < width; ++i) {
          x[static_cast<size_t>(row) * width + i] +=
              factor * directions[static_cast<size_t>(d) * width + i];
        }
      }
      for (int i = 0; i < width; ++i)
        x[static_cast<size_t>(row) * width + i] += 0.1f * normal(random_);
    }
    return x;
  }

  // Σ over rows of (x·(w − bytes))², of rotated columns.
  double Error(const std::vector<float>& x, int width, int group_columns, const float* feedback) {
    std::mt19937 random(11);
    std::normal_distribution<float> normal;
    std::vector<float> w(static_cast<size_t>(width) * 32);
    for (float& v : w) v = normal(random);
    std::vector<int8_t> panel(kernels::Int8PanelBytes(width));
    std::vector<float> scale(32);
    std::vector<int32_t> sums(32 * 8);
    kernels::PackInt8Panel(w.data(), 32, width, group_columns, panel.data(), scale.data(),
                           sums.data(), 32, feedback);
    double error = 0;
    std::vector<float> row(static_cast<size_t>(width));
    for (int r = 0; r < kRows; ++r) {
      std::copy_n(&x[static_cast<size_t>(r) * width], width, row.begin());
      for (int g = 0; g < width; g += group_columns) {
        kernels::RotateColumns(&row[static_cast<size_t>(g)], std::min(group_columns, width - g));
      }
      for (int j = 0; j < 32; ++j) {
        double sum = 0;
        for (int i = 0; i < width; ++i) {
          const double byte = panel[(i / 4 * 32 + j) * 4 + i % 4];
          sum += row[static_cast<size_t>(i)] *
                 (w[static_cast<size_t>(j) * width + i] - byte * scale[static_cast<size_t>(j)]);
        }
        error += sum * sum;
      }
    }
    return error;
  }

  std::mt19937 random_{3};
  Team team_{2};
};

TEST_F(InputMomentsTest, BytesAreBetterOnSuchInputsThanTheNearest) {
  for (const auto& [hidden, ffn] :
       {std::pair{384, 1536}, std::pair{1024, 2304}, std::pair{40, 100}}) {
    EncoderSpec spec;
    spec.layers = 2;
    spec.hidden = hidden;
    spec.ffn = ffn;
    InputMoments moments(spec, *kernels::BestFloatTable());
    const struct {
      LinearInput input;
      const char* name;
      int width;
    } kinds[] = {{LinearInput::kAttention, "layers.1.value", hidden},
                 {LinearInput::kAttentionOutput, "layers.1.attention_output", hidden},
                 {LinearInput::kFfnUp, "layers.1.ffn_up", hidden},
                 {LinearInput::kFfnDown, "layers.1.ffn_down", ffn}};
    std::vector<std::vector<float>> inputs;
    for (const auto& kind : kinds) {
      const std::vector<float>& x = inputs.emplace_back(Inputs(kind.width));
      const auto stride = static_cast<size_t>(kind.width);
      moments.StartBatch();
      moments.Add(1, kind.input, x.data(), stride, 0, 150);
      moments.Add(1, kind.input, &x[150 * stride], stride, 150, kRows - 150);
    }
    moments.Factorize(team_);
    for (size_t i = 0; i < std::size(kinds); ++i) {
      const auto& [input, name, width] = kinds[i];
      const int columns = input == LinearInput::kFfnDown
                              ? kernels::Int8GroupColumns(width)
                              : kernels::Int8Depth(width) * kernels::kInt8Depth;
      const double nearest = Error(inputs[i], width, columns, nullptr);
      const double together = Error(inputs[i], width, columns, moments.feedback(name));
      EXPECT_LT(together, 0.1 * nearest) << name << " of " << hidden;
    }
    // Nothing was measured in layer 0: the nearest.
    EXPECT_EQ(Error(inputs[0], hidden, hidden, moments.feedback("layers.0.query")),
              Error(inputs[0], hidden, hidden, nullptr));
  }
}

TEST_F(InputMomentsTest, InputsThatAreNoNumbersLeaveTheNearest) {
  EncoderSpec spec;
  spec.layers = 1;
  spec.hidden = 128;
  spec.ffn = 128;
  std::vector<float> x = Inputs(128);
  const double nearest = Error(x, 128, 128, nullptr);
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), 3e38f}) {
    std::vector<float> with = x;
    with[128 * 7 + 5] = bad;
    InputMoments moments(spec, *kernels::BestFloatTable());
    moments.Add(0, LinearInput::kFfnUp, with.data(), 128, 0, kRows);
    moments.Factorize(team_);
    EXPECT_EQ(Error(x, 128, 128, moments.feedback("layers.0.ffn_up")), nearest) << bad;
  }
}

}  // namespace
}  // namespace podium
