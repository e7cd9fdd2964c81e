// Floats to bytes in every table: the nearest, the same in all, and rows that have no scale.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <string>
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

// A row as Quantize rotates it, by the definition of its matrix.
std::vector<double> Rotated(const std::vector<float>& x) {
  std::vector<double> out(x.size());
  const int width = static_cast<int>(x.size());
  for (int at = 0, block = 0; at < width; at += block) {
    block = RotationBlock(width - at);
    for (int i = 0; i < block; ++i) {
      for (int j = 0; j < block; ++j) {
        const int sign = __builtin_parity(static_cast<unsigned>(i & j)) != 0 ? -1 : 1;
        out[at + i] += sign * std::sqrt(128.0 / block) * x[at + j];
      }
    }
  }
  return out;
}

struct Bytes {
  std::vector<int> bytes;  // [rows, 64 · depth]
  std::vector<float> scale;
  bool operator==(const Bytes&) const = default;
};

Bytes Quantized(const Table& table, const void* x, Element element, int rows, int width,
                size_t stride, int first, size_t panel = kInt8Block) {
  const int depth = Int8Depth(width);
  Aligned<uint8_t> out(Int8BlockBytes(first + rows, depth), 200);
  Aligned<float> scale(rows), scratch(static_cast<size_t>(depth) * kInt8Depth);
  QuantizeArgs args;
  args.x = x;
  args.element = element;
  args.x_stride = stride;
  args.x_panel = panel;
  args.rows = rows;
  args.width = width;
  args.out = out.data();
  args.depth = depth;
  args.first_row = first;
  args.scale = scale.data();
  args.scratch = scratch.data();
  table.quantize(args);
  EXPECT_TRUE(out.Intact());
  EXPECT_TRUE(scale.Intact());
  EXPECT_TRUE(scratch.Intact());
  for (int row = 0; row < first; ++row) {
    for (int j = 0; j < depth * kInt8Depth; ++j) {
      EXPECT_EQ(out[ByteAt(row, j, depth)], 200) << "a row before is touched";
    }
  }
  Bytes result;
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < depth * kInt8Depth; ++j) {
      result.bytes.push_back(out[ByteAt(first + i, j, depth)]);
    }
    result.scale.push_back(scale[i]);
  }
  return result;
}

// A power of two, all sizes of blocks, and columns that are not mixed.
constexpr int kWidths[] = {1, 5, 16, 33, 63, 64, 65, 112, 128, 250, 333, 384, 1000, 1024};

TEST_P(QuantizeTest, RotatedRowsAreTheNearestBytesInTheirPlaces) {
  std::normal_distribution<float> normal;
  std::map<double, uint16_t> halves;
  for (int bits = 0; bits < 65536; ++bits) {
    const double value = reference::HalfToDouble(static_cast<uint16_t>(bits));
    if (std::isfinite(value)) halves[value] = static_cast<uint16_t>(bits);
  }
  for (const int width : kWidths) {
    for (const Element element : {Element::kF32, Element::kF16}) {
      SCOPED_TRACE(testing::Message() << width << " element " << int(element));
      constexpr int kRows = 3, kFirst = 30;  // across a block's end
      const int padded = Int8Depth(width) * kInt8Depth;
      const size_t stride = static_cast<size_t>(width) + 7;
      std::vector<float> x(stride * kRows, kNaN);
      std::vector<uint16_t> half(stride * kRows, 0x7e00);
      for (int i = 0; i < kRows; ++i) {
        for (int j = 0; j < width; ++j) {
          const float value = normal(random_) * static_cast<float>(i + 1);
          x[i * stride + j] = std::round(std::clamp(value, -7.f, 7.f) * 256) / 256;
          half[i * stride + j] = halves.at(x[i * stride + j]);  // a half holds it
        }
      }
      const void* source =
          element == Element::kF32 ? static_cast<const void*>(x.data()) : half.data();
      const Bytes got = Quantized(table(), source, element, kRows, width, stride, kFirst);
      for (int i = 0; i < kRows; ++i) {
        const std::vector<double> expected = Rotated({&x[i * stride], &x[i * stride] + width});
        double top = 0;
        for (const double value : expected) top = std::max(top, std::abs(value));
        ASSERT_NEAR(got.scale[i], top / 127, top * 1e-6);
        for (int j = 0; j < padded; ++j) {
          const int byte = got.bytes[i * padded + j];
          ASSERT_GE(byte, 1);
          ASSERT_NEAR((byte - 128) * double{got.scale[i]}, j < width ? expected[j] : 0,
                      got.scale[i] * 0.501)
              << i << ", " << j;
        }
      }
    }
  }
}

TEST_P(QuantizeTest, PanelsBecomeTheBytesOfRows) {
  std::normal_distribution<float> normal;
  for (const int width : kWidths) {
    constexpr int kRows = 9;
    std::vector<float> x(static_cast<size_t>(kRows) * width);
    for (float& v : x) v = normal(random_);
    const size_t panel = kRows * kInt8Block + 5;
    std::vector<float> panels(Int8RowsPadded(width) / kInt8Block * panel, kNaN);
    for (int i = 0; i < kRows; ++i) {
      for (int j = 0; j < width; ++j) {
        panels[j / kInt8Block * panel + i * kInt8Block + j % kInt8Block] = x[i * width + j];
      }
    }
    EXPECT_EQ(Quantized(table(), panels.data(), Element::kF32, kRows, width, kInt8Block, 3, panel),
              Quantized(table(), x.data(), Element::kF32, kRows, width, width, 3))
        << width;
  }
}

TEST_P(QuantizeTest, EveryTableMakesTheSameBytes) {
  std::normal_distribution<float> normal;
  for (const int width : kWidths) {
    constexpr int kRows = 20;
    std::vector<float> x(static_cast<size_t>(kRows) * width);
    for (float& v : x) v = normal(random_) * std::exp(4 * normal(random_));
    const auto run = [&](const Table& which) {
      return Quantized(which, x.data(), Element::kF32, kRows, width, width, 0);
    };
    EXPECT_EQ(run(table()), run(*FindTable("scalar"))) << width;
  }
}

// What a rotation is for: the product of rotated rows is that of the rows.
TEST_P(QuantizeTest, ProductsWithRotatedWeightsAreTheProducts) {
  std::normal_distribution<float> normal;
  for (const int width : kWidths) {
    std::vector<float> x(width), w(width);
    double product = 0, sizes = 0;
    for (int j = 0; j < width; ++j) {
      x[j] = normal(random_);
      w[j] = normal(random_);
      product += double{x[j]} * w[j];
    }
    const Bytes a = Quantized(table(), x.data(), Element::kF32, 1, width, width, 0);
    std::vector<int8_t> panel(Int8PanelBytes(width));
    float scale[kInt8Block];
    int32_t sums[kInt8Block];
    const int columns = Int8Depth(width) * kInt8Depth;
    PackInt8Panel(w.data(), 1, width, columns, panel.data(), scale, sums, kInt8Block);
    double got = 0;
    for (int j = 0; j < columns; ++j) {
      got += double{a.scale[0]} * (a.bytes[j] - 128) * scale[0] * panel[j / 4 * 128 + j % 4];
      sizes += std::pow(a.scale[0] * 127.0 * scale[0] * 127, 2);
    }
    EXPECT_NEAR(got, product, std::sqrt(sizes) / 60) << width;
  }
}

// Feedback of exact factors: with two columns of which one always follows the other, the second
// takes back what rounding the first left.
TEST(Int8PackTogether, ColumnsThatGoTogetherMakeUpForEachOther) {
  constexpr int kWidth = 15;  // no rotation
  std::vector<float> feedback(kWidth * kWidth);
  for (int i = 0; i + 1 < kWidth; i += 2) feedback[i * kWidth + i + 1] = 1;
  std::mt19937 random(5);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> w(32 * kWidth);
  for (float& v : w) v = uniform(random);
  w[3] = 4;  // held at 127, whatever is left for it
  w[2] = 4;
  const std::vector<float> all = w;
  std::vector<int8_t> panel(Int8PanelBytes(kWidth));
  float scale[32];
  int32_t sums[32];
  PackInt8Panel(w.data(), 32, kWidth, 64, panel.data(), scale, sums, 32, feedback.data());
  for (int j = 0; j < 32; ++j) {
    int sum = 0;
    const auto byte = [&](int i) { return panel[(i / 4 * 32 + j) * 4 + i % 4]; };
    for (int i = 0; i < kWidth; ++i) {
      sum += byte(i);
      ASSERT_LE(std::abs(byte(i)), 127);
      if (i % 2 == 0 && i + 1 < kWidth) {
        const float pair = w[j * kWidth + i] + w[j * kWidth + i + 1];
        EXPECT_NEAR(scale[j] * (byte(i) + byte(i + 1)), pair, scale[j] * 0.501) << j << ", " << i;
      }
    }
    EXPECT_EQ(sums[j], sum);
  }
  // And without any that matters, each is the nearest.
  std::vector<int8_t> nearest(panel.size()), zeros(panel.size());
  std::vector<float> again = all;
  w = all;
  std::fill(feedback.begin(), feedback.end(), 0.f);
  PackInt8Panel(w.data(), 32, kWidth, 64, nearest.data(), scale, sums, 32);
  PackInt8Panel(again.data(), 32, kWidth, 64, zeros.data(), scale, sums, 32, feedback.data());
  EXPECT_EQ(nearest, zeros);
}

TEST(Int8PackTogether, AWeightThatIsNoneLeavesItsOutputWithoutAScale) {
  for (const float bad : {kNaN, kInfinity}) {
    std::vector<float> w(2 * 200, 1);
    w[170] = bad;
    const std::vector<float> feedback(200 * 200, 0.1f);
    std::vector<int8_t> panel(Int8PanelBytes(200));
    float scale[32];
    int32_t sums[32];
    PackInt8Panel(w.data(), 2, 200, 256, panel.data(), scale, sums, 32, feedback.data());
    EXPECT_TRUE(std::isnan(scale[0])) << bad;
    EXPECT_EQ(sums[0], 0);
    EXPECT_TRUE(std::isfinite(scale[1]));
  }
}

TEST_P(QuantizeTest, RowsThatHaveNoScale) {
  const auto quantize = [&](std::vector<float> x) {
    return Quantized(table(), x.data(), Element::kF32, 1, static_cast<int>(x.size()), x.size(), 0);
  };
  for (const size_t width : {3, 20, 200}) {
    for (const float bad : {kNaN, -kNaN, kInfinity, -kInfinity}) {
      std::vector<float> row(width, 1);
      row[width - 2] = bad;
      EXPECT_FALSE(std::isfinite(quantize(row).scale[0])) << width;
    }
  }
  const Bytes nothing = quantize({0, 0, 0, -0.f, 1e-42f});
  EXPECT_LT(nothing.scale[0], 1e-40f);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(nothing.bytes[i], 128);
}

INSTANTIATE_TEST_SUITE_P(Tables, QuantizeTest, testing::ValuesIn(Int8Tables()),
                         [](const auto& test) { return std::string(test.param->name); });

}  // namespace
}  // namespace podium::kernels
