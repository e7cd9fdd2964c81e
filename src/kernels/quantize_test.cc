// Floats to bytes in every table: the nearest, the same in all, and rows that have no scale.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "kernels/int8_tables.h"
#include "kernels/kernels.h"
#include "kernels/layout.h"
#include "kernels/reference.h"
#include "kernels/select.h"

namespace podium::kernels {
namespace {

class QuantizeTest : public testing::TestWithParam<const Table*> {
 protected:
  const Table& table() const { return *GetParam(); }
  std::mt19937 random_{20261130};
};

TEST_P(QuantizeTest, QuantizedRowsAreTheNearestBytesInTheirPlaces) {
  std::normal_distribution<float> normal;
  std::map<double, uint16_t> halves;
  for (int bits = 0; bits < 65536; ++bits) {
    const double value = reference::HalfToDouble(static_cast<uint16_t>(bits));
    if (std::isfinite(value)) halves[value] = static_cast<uint16_t>(bits);
  }
  for (const int width : {1, 5, 16, 33, 63, 64, 65, 384, 1000}) {
    for (const bool one_sided : {false, true}) {
      for (const Element element : {Element::kF32, Element::kF16}) {
        SCOPED_TRACE(testing::Message()
                     << width << " one-sided " << one_sided << " element " << int(element));
        constexpr int kRows = 3, kFirst = 30;  // across a block's end
        const int depth = Int8Depth(width);
        const size_t stride = static_cast<size_t>(width) + 7;
        std::vector<float> x(stride * kRows, kNaN);
        std::vector<uint16_t> half(stride * kRows, 0x7e00);
        for (int i = 0; i < kRows; ++i) {
          for (int j = 0; j < width; ++j) {
            float value = normal(random_) * static_cast<float>(i + 1);
            if (one_sided) value = std::max(value, kOneSidedLow);
            value = std::round(std::clamp(value, -7.f, 7.f) * 256) / 256;  // a half holds it
            x[i * stride + j] = value;
            half[i * stride + j] = halves.at(value);
          }
        }
        Aligned<uint8_t> out(Int8BlockBytes(kFirst + kRows, depth), 200);
        Aligned<float> scale(kRows);
        QuantizeArgs args;
        args.x = element == Element::kF32 ? static_cast<const void*>(x.data()) : half.data();
        args.element = element;
        args.x_stride = stride;
        args.rows = kRows;
        args.width = width;
        args.one_sided = one_sided;
        args.out = out.data();
        args.depth = depth;
        args.first_row = kFirst;
        args.scale = scale.data();
        table().quantize(args);
        EXPECT_TRUE(out.Intact());
        EXPECT_TRUE(scale.Intact());
        for (int i = 0; i < kRows; ++i) {
          float top = 0;
          for (int j = 0; j < width; ++j) top = std::max(top, std::abs(x[i * stride + j]));
          const float low = one_sided ? kOneSidedLow : 0;
          const float expected = one_sided ? (top - low) / 255 : top / 127;
          ASSERT_FLOAT_EQ(scale[i], expected);
          for (int j = 0; j < width; ++j) {
            const int byte = out[ByteAt(kFirst + i, j, depth)];
            const double value =
                one_sided ? byte * double{scale[i]} + low : (byte - 128) * double{scale[i]};
            ASSERT_NEAR(value, x[i * stride + j], scale[i] * 0.5001) << i << ", " << j;
            if (!one_sided) {
              ASSERT_GE(byte, 1);
            }
          }
        }
        for (size_t i = 0; i < Int8BlockBytes(kFirst, depth) / 32 * 30 && depth == 1; ++i) {
          ASSERT_EQ(out[i], 200) << i;  // rows before are untouched
        }
      }
    }
  }
}

TEST_P(QuantizeTest, EveryTableMakesTheSameBytes) {
  std::normal_distribution<float> normal;
  constexpr int kRows = 20, kWidth = 333;
  std::vector<float> x(kRows * kWidth);
  for (float& v : x) v = normal(random_) * std::exp(4 * normal(random_));
  const auto run = [&](const Table& which, bool one_sided) {
    std::vector<uint8_t> out(Int8BlockBytes(kRows, Int8Depth(kWidth)));
    std::vector<float> scale(kRows);
    QuantizeArgs args;
    args.x = x.data();
    args.x_stride = kWidth;
    args.rows = kRows;
    args.width = kWidth;
    args.one_sided = one_sided;
    args.out = out.data();
    args.depth = Int8Depth(kWidth);
    args.scale = scale.data();
    which.quantize(args);
    std::vector<uint8_t> used;
    for (int i = 0; i < kRows; ++i) {
      for (int j = 0; j < kWidth; ++j) used.push_back(out[ByteAt(i, j, Int8Depth(kWidth))]);
    }
    return std::pair(used, scale);
  };
  EXPECT_EQ(run(table(), false), run(*FindTable("scalar"), false));
  for (float& v : x) v = std::max(v, kOneSidedLow);
  EXPECT_EQ(run(table(), true), run(*FindTable("scalar"), true));
}

TEST_P(QuantizeTest, ColumnsAreScaledFirst) {
  std::normal_distribution<float> normal;
  constexpr int kWidth = 77;
  std::vector<float> x(kWidth), columns(kWidth), product(kWidth);
  for (int i = 0; i < kWidth; ++i) {
    x[i] = normal(random_);
    columns[i] = std::exp(normal(random_));
    product[i] = x[i] * columns[i];
  }
  const auto run = [&](const std::vector<float>& row, const float* column_scale) {
    std::vector<uint8_t> out(Int8BlockBytes(1, Int8Depth(kWidth)));
    float scale = 0;
    QuantizeArgs args;
    args.x = row.data();
    args.rows = 1;
    args.width = kWidth;
    args.column_scale = column_scale;
    args.out = out.data();
    args.depth = Int8Depth(kWidth);
    args.scale = &scale;
    table().quantize(args);
    std::vector<int> bytes;
    for (int i = 0; i < kWidth; ++i) bytes.push_back(out[ByteAt(0, i, args.depth)]);
    return std::pair(bytes, scale);
  };
  EXPECT_EQ(run(x, columns.data()), run(product, nullptr));
}

TEST_P(QuantizeTest, RowsThatHaveNoScale) {
  const auto quantize = [&](std::vector<float> x, bool one_sided) {
    std::vector<uint8_t> out(2048);
    float scale = -1;
    QuantizeArgs args;
    args.x = x.data();
    args.x_stride = x.size();
    args.rows = 1;
    args.width = static_cast<int>(x.size());
    args.one_sided = one_sided;
    args.out = out.data();
    args.depth = 1;
    args.scale = &scale;
    table().quantize(args);
    return std::pair(scale, out);
  };
  for (const bool one_sided : {false, true}) {
    for (const float sign : {1.f, -1.f}) {
      EXPECT_TRUE(std::isnan(quantize({1, sign * kNaN, 2}, one_sided).first));
      EXPECT_FALSE(std::isfinite(quantize({1, sign * kInfinity, 2}, one_sided).first));
    }
  }
  const auto [scale, bytes] = quantize({0, 0, 0, -0.f, 1e-42f}, false);
  EXPECT_LT(scale, 1e-40f);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(bytes[i], 128);
}

INSTANTIATE_TEST_SUITE_P(Tables, QuantizeTest, testing::ValuesIn(Int8Tables()),
                         [](const auto& test) { return std::string(test.param->name); });

}  // namespace
}  // namespace podium::kernels
