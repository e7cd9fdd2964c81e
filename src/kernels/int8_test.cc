// Bytes in every table: sums exact, the same integers in all, tails, extremes, guarded memory.
// Over 400 lines because one fixture makes the cases that every function in bytes is tested with.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "kernels/int8_tables.h"
#include "kernels/kernels.h"
#include "kernels/layout.h"
#include "kernels/reference.h"
#include "kernels/select.h"

namespace podium::kernels {

namespace {

// A product of given bytes, written with and without the layout.
struct Case {
  int rows, k, n;
  std::vector<int> a, w;  // [rows, k] in 0…255, [n, k] in −127…127
};

class Int8Test : public testing::TestWithParam<const Table*> {
 protected:
  const Table& table() const { return *GetParam(); }
  Case RandomCase(int rows, int k, int n, bool extreme = false) {
    Case c{rows, k, n, {}, {}};
    std::uniform_int_distribution<int> byte(0, 255), weight(-127, 127);
    for (int i = 0; i < rows * k; ++i) c.a.push_back(extreme ? 255 : byte(random_));
    for (int i = 0; i < n * k; ++i) {
      c.w.push_back(extreme ? (i / k % 2 == 0 ? 127 : -127) : weight(random_));
    }
    return c;
  }
  // Runs a case with the scales, bias and epilogue given by `fill`.
  template <typename Fill>
  void Run(const Case& c, Fill&& fill) {
    const int depth = Int8Depth(c.k);
    Aligned<uint8_t> a(Int8BlockBytes(c.rows, depth), 99);
    for (int i = 0; i < c.rows; ++i) {
      for (int k = 0; k < c.k; ++k) a[ByteAt(i, k, depth)] = static_cast<uint8_t>(c.a[i * c.k + k]);
    }
    const size_t padded = Int8RowsPadded(c.n);
    Aligned<int8_t> w(padded / 32 * Int8PanelBytes(c.k));
    for (int j = 0; j < c.n; ++j) {
      for (int k = 0; k < c.k; ++k) {
        w[j / 32 * Int8PanelBytes(c.k) + (k / 4 * 32 + j % 32) * 4 + k % 4] =
            static_cast<int8_t>(c.w[j * c.k + k]);
      }
    }
    Aligned<int32_t> scratch(kInt8Scratch);
    Int8ProductArgs args;
    args.a = a.data();
    args.rows = c.rows;
    args.depth = depth;
    args.w = w.data();
    args.w_stride = Int8PanelBytes(c.k);
    args.n = c.n;
    args.scratch = scratch.data();
    fill(args);
    EXPECT_TRUE(scratch.Intact());
  }
  std::vector<int64_t> Sums(const Case& c) {
    std::vector<int64_t> sums(static_cast<size_t>(c.rows) * c.n);
    for (int i = 0; i < c.rows; ++i) {
      for (int j = 0; j < c.n; ++j) {
        for (int k = 0; k < c.k; ++k) sums[i * c.n + j] += c.a[i * c.k + k] * c.w[j * c.k + k];
      }
    }
    return sums;
  }
  std::mt19937 random_{20261130};
};

TEST_P(Int8Test, SumsAreExactForEveryShapeAndAtTheExtremes) {
  std::vector<Case> cases;
  for (const int rows : {1, 2, 15, 16, 17, 31, 32, 33, 65})
    cases.push_back(RandomCase(rows, 70, 33));
  for (const int k : {1, 3, 4, 5, 63, 64, 65, 128, 384, 1024})
    cases.push_back(RandomCase(3, k, 34));
  for (const int n : {1, 7, 8, 16, 17, 31, 32, 33, 63, 96}) cases.push_back(RandomCase(5, 100, n));
  cases.push_back(RandomCase(34, 1024, 40, true));  // 1024 · 255 · 127, positive and negative
  for (const Case& c : cases) {
    SCOPED_TRACE(testing::Message() << c.rows << " x " << c.k << " x " << c.n);
    const std::vector<int64_t> sums = Sums(c);
    const size_t padded = Int8RowsPadded(c.n);
    Aligned<float> ones(std::max<size_t>(padded, c.rows), 1), zeros(padded, 0);
    Aligned<int32_t> start(padded);
    for (int j = 0; j < c.n; ++j) start[j] = 1000 * j - 7;
    const size_t stride = static_cast<size_t>(c.n) + 3;
    Aligned<float> out(stride * c.rows, -5);
    Run(c, [&](Int8ProductArgs& args) {
      args.a_scale = args.w_scale = ones.data();
      args.start = start.data();
      args.bias = zeros.data();
      args.c = out.data();
      args.c_stride = stride;
      table().int8_product(args);
    });
    EXPECT_TRUE(out.Intact());
    for (int i = 0; i < c.rows; ++i) {
      for (int j = 0; j < c.n; ++j) {
        ASSERT_EQ(out[i * stride + j], static_cast<float>(sums[i * c.n + j] + start[j]))
            << i << ", " << j;
      }
      for (size_t j = c.n; j < stride; ++j) ASSERT_EQ(out[i * stride + j], -5) << i << ", " << j;
    }
  }
}

TEST_P(Int8Test, ScalesBiasResidualAndActivationEqualTheReference) {
  const Case c = RandomCase(37, 96, 70);
  const std::vector<int64_t> sums = Sums(c);
  const size_t padded = Int8RowsPadded(c.n);
  std::uniform_real_distribution<float> uniform(-1, 1);
  Aligned<float> w_scale(padded), bias(padded), a_scale(c.rows), residual(c.rows * padded);
  Aligned<int32_t> start(padded);
  for (int j = 0; j < c.n; ++j) {
    w_scale[j] = (1.5f + uniform(random_)) * 1e-4f;
    bias[j] = uniform(random_);
    start[j] = static_cast<int>(uniform(random_) * 100000);
  }
  for (int i = 0; i < c.rows; ++i) a_scale[i] = (1.5f + uniform(random_)) * 0.05f;
  for (size_t i = 0; i < c.rows * padded; ++i) residual[i] = uniform(random_) * 4;
  const auto linear = [&](int i, int j) {
    return double(sums[i * c.n + j] + start[j]) * a_scale[i] * w_scale[j] + bias[j];
  };
  Run(c, [&](Int8ProductArgs& args) {
    args.a_scale = a_scale.data();
    args.w_scale = w_scale.data();
    args.start = start.data();
    args.bias = bias.data();
    args.c_stride = padded;
    Aligned<float> out(c.rows * padded);
    std::memcpy(out.data(), residual.data(), c.rows * padded * sizeof(float));
    args.residual = out.data();  // in place
    args.c = out.data();
    table().int8_product(args);
    for (int i = 0; i < c.rows; ++i) {
      for (int j = 0; j < c.n; ++j) {
        const double expected = linear(i, j) + residual[i * padded + j];
        ASSERT_NEAR(out[i * padded + j], expected, 4e-6 * (1 + std::abs(expected)));
      }
    }
    // The same in panels, to the last bit, and nothing else is touched.
    args.c_stride = kInt8Block;
    args.c_panel = static_cast<size_t>(c.rows) * kInt8Block + 16;
    Aligned<float> panels(padded / kInt8Block * args.c_panel, kNaN);
    const auto in_panels = [&](int i, int j) {
      return j / kInt8Block * args.c_panel + i * kInt8Block + j % kInt8Block;
    };
    for (int i = 0; i < c.rows; ++i) {
      for (int j = 0; j < c.n; ++j) panels[in_panels(i, j)] = residual[i * padded + j];
    }
    args.residual = panels.data();
    args.c = panels.data();
    table().int8_product(args);
    EXPECT_TRUE(panels.Intact());
    for (int i = 0; i < c.rows; ++i) {
      for (int j = 0; j < c.n; ++j) {
        ASSERT_EQ(panels[in_panels(i, j)], out[i * padded + j]) << i << ", " << j;
        panels[in_panels(i, j)] = kNaN;
      }
    }
    for (size_t i = 0; i < padded / kInt8Block * args.c_panel; ++i) {
      ASSERT_TRUE(std::isnan(panels[i])) << i;
    }
    args.c_stride = padded;
    args.c_panel = kInt8Block;
    args.residual = nullptr;
    args.c_element = Element::kF16;
    for (const Activate activate :
         {Activate::kNone, Activate::kGeluErf, Activate::kGeluTanh, Activate::kRelu}) {
      Aligned<uint16_t> half(c.rows * padded);
      args.c = half.data();
      args.activate = activate;
      table().int8_product(args);
      EXPECT_TRUE(half.Intact());
      for (int i = 0; i < c.rows; ++i) {
        for (int j = 0; j < c.n; ++j) {
          const double expected = reference::Apply(activate, linear(i, j));
          // Half a unit of a half's last place, and the short GELU's own error.
          ASSERT_NEAR(reference::HalfToDouble(half[i * padded + j]), expected,
                      std::abs(expected) / 2048 + std::abs(linear(i, j)) * 6e-5 + 4.5e-5)
              << int(activate) << " " << i << ", " << j;
        }
      }
    }
  });
}

TEST_P(Int8Test, ValuesBeyondAHalfAreFiniteAndNaNIsSeen) {
  const Case c = RandomCase(2, 64, 32);
  Aligned<float> w_scale(32, 1), bias(32, 0), a_scale(2);
  Aligned<int32_t> start(32);
  Aligned<uint16_t> half(64);
  a_scale[0] = 1e6f;
  a_scale[1] = kNaN;
  Run(c, [&](Int8ProductArgs& args) {
    args.a_scale = a_scale.data();
    args.w_scale = w_scale.data();
    args.start = start.data();
    args.bias = bias.data();
    args.c = half.data();
    args.c_element = Element::kF16;
    args.c_stride = 32;
    table().int8_product(args);
  });
  for (int j = 0; j < 32; ++j) {
    EXPECT_TRUE(std::isfinite(reference::HalfToDouble(half[j]))) << j;
    EXPECT_TRUE(std::isnan(reference::HalfToDouble(half[32 + j]))) << j;
  }
}

TEST_P(Int8Test, ShortAttentionIsCloseAndIgnoresWhatLiesBeyondTheSequence) {
  std::uniform_real_distribution<float> uniform(-1, 1);
  for (const int d : {8, 24, 32, 40, 64, 128}) {
    for (const int length : {1, 2, 15, 16, 17, 31, 32, 33, 64, 100, 129, 700}) {
      SCOPED_TRACE(testing::Message() << "d " << d << " length " << length);
      const size_t stride = static_cast<size_t>(2) * d + 5;
      std::vector<float> key_value(stride * (length + 40), kNaN), k, v, q;
      for (int row = 0; row < length; ++row) {
        for (int i = 0; i < 2 * d; ++i) {
          const float x = uniform(random_) * 2;
          key_value[row * stride + i] = x;
          (i < d ? k : v).push_back(x);
        }
        for (int i = 0; i < d; ++i) q.push_back(uniform(random_) * 2);
      }
      const float scale = 1 / std::sqrt(static_cast<float>(d));
      const std::vector<double> expected = reference::Attention(q, k, v, length, length, d, scale);
      const auto run = [&](int first, int queries) {
        Aligned<float> out(static_cast<size_t>(queries) * d),
            scratch(AttentionScratch(table(), length, d), kNaN);
        std::memcpy(out.data(), &q[static_cast<size_t>(first) * d], sizeof(float) * queries * d);
        AttentionArgs args;
        args.q = out.data();  // in place, as the engine does
        args.k = key_value.data();
        args.v = key_value.data() + d;
        args.q_stride = args.out_stride = static_cast<size_t>(d);
        args.kv_stride = stride;
        args.queries = queries;
        args.length = length;
        args.head_size = d;
        args.scale = scale;
        args.out = out.data();
        args.scratch = scratch.data();
        table().attention_short(args);
        EXPECT_TRUE(out.Intact());
        EXPECT_TRUE(scratch.Intact());
        return std::vector<float>(out.data(), out.data() + static_cast<size_t>(queries) * d);
      };
      const std::vector<float> all = run(0, length);
      // q, k, v and p are each off by 2^-9 of themselves at most, or in fixed point by 2^-13 of
      // the largest; scores are below 4 √d.
      const double tolerance = table().short_element == Element::kBF16 ? 0.03 : 0.003;
      for (size_t i = 0; i < expected.size(); ++i) {
        ASSERT_NEAR(all[i], expected[i], tolerance) << i;
      }
      for (int row = 0; row < length; row += 7) {
        const std::vector<float> alone = run(row, 1);
        ASSERT_EQ(std::memcmp(alone.data(), &all[static_cast<size_t>(row) * d], sizeof(float) * d),
                  0)
            << row;
      }
    }
  }
}

// All probabilities alike: their sum is as large as it gets, and every value is the largest.
class EqualKeysTest : public testing::TestWithParam<std::tuple<const Table*, int>> {};

// The longer a row of equal keys, the fewer bits has each of its probabilities.
TEST_P(EqualKeysTest, ShortAttentionIsTheirMean) {
  constexpr int kD = 16;
  const auto [table, length] = GetParam();
  std::vector<float> q(kD, 1), k(length * kD, 1), v(length * kD);
  for (int row = 0; row < length; ++row) {
    for (int i = 0; i < kD; ++i) v[row * kD + i] = i % 2 == 0 ? 8 : (row % 3 == 0 ? -1 : 1);
  }
  Aligned<float> out(kD), scratch(AttentionScratch(*table, length, kD));
  AttentionArgs args;
  args.q = q.data();
  args.k = k.data();
  args.v = v.data();
  args.q_stride = args.kv_stride = args.out_stride = kD;
  args.queries = 1;
  args.length = length;
  args.head_size = kD;
  args.out = out.data();
  args.scratch = scratch.data();
  table->attention_short(args);
  for (int i = 0; i < kD; ++i) {
    EXPECT_NEAR(out[i], i % 2 == 0 ? 8 : 1.0 / 3, i % 2 == 0 ? 0.03 : 0.004) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Tables, EqualKeysTest,
                         testing::Combine(testing::ValuesIn(Int8Tables()),
                                          testing::Values(3001, 5000, 7864, 8192)),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param)->name) + "_" +
                                  std::to_string(std::get<1>(test.param));
                         });

TEST_P(Int8Test, ShortAttentionInHalvesIsThatInFloatsRounded) {
  if (table().short_element != Element::kBF16) GTEST_SKIP() << "floats only";
  std::uniform_real_distribution<float> uniform(-1, 1);
  for (const int d : {24, 64}) {
    for (const int length : {1, 33, 70}) {
      const size_t count = static_cast<size_t>(length) * d;
      std::vector<uint16_t> x(3 * count);
      for (uint16_t& bits : x) {
        const float value = uniform(random_) * 4;
        uint32_t word;
        std::memcpy(&word, &value, 4);
        bits = static_cast<uint16_t>(word >> 16);
      }
      x[2 * count] = 0x7f7f;  // 3.4e38, beyond a half
      Aligned<float> scratch(AttentionScratch(table(), length, d)), floats(count);
      Aligned<uint16_t> halves(count);
      AttentionArgs args;
      args.q = x.data();
      args.k = &x[count];
      args.v = &x[2 * count];
      args.element = Element::kBF16;
      args.q_stride = args.kv_stride = args.out_stride = static_cast<size_t>(d);
      args.queries = args.length = length;
      args.head_size = d;
      args.scale = 0.1f;
      args.scratch = scratch.data();
      args.out = floats.data();
      table().attention_short(args);
      args.out = halves.data();
      args.out_element = Element::kF16;
      table().attention_short(args);
      EXPECT_TRUE(halves.Intact());
      for (size_t i = 0; i < count; ++i) {
        const double expected = std::clamp(floats[i], -65504.0f, 65504.0f);
        ASSERT_NEAR(reference::HalfToDouble(halves[i]), expected, std::abs(expected) / 2048 + 3e-8)
            << i;
      }
    }
  }
}

TEST_P(Int8Test, ShortAttentionOfABrokenModelIsNaN) {
  constexpr int kD = 32, kLength = 20;
  for (const float bad : {kNaN, kInfinity}) {
    std::vector<float> q(kLength * kD, 1), k = q, v = q, out = q;
    k[3 * kD] = bad;
    Aligned<float> scratch(AttentionScratch(table(), kLength, kD));
    AttentionArgs args;
    args.q = q.data();
    args.k = k.data();
    args.v = v.data();
    args.q_stride = args.kv_stride = args.out_stride = kD;
    args.queries = args.length = kLength;
    args.head_size = kD;
    args.out = out.data();
    args.scratch = scratch.data();
    table().attention_short(args);
    EXPECT_TRUE(std::isnan(out[0])) << bad;
  }
}

INSTANTIATE_TEST_SUITE_P(Tables, Int8Test, testing::ValuesIn(Int8Tables()),
                         [](const auto& test) { return std::string(test.param->name); });

TEST(Int8Pack, AWeightThatIsNoneLeavesItsOutputWithoutAScale) {
  for (const float bad : {kNaN, kInfinity, -kInfinity}) {
    std::vector<float> w(2 * 200, 1);
    w[170] = bad;
    std::vector<int8_t> panel(Int8PanelBytes(200));
    float scale[32];
    int32_t sums[32];
    PackInt8Panel(w.data(), 2, 200, 256, panel.data(), scale, sums, 32);
    EXPECT_TRUE(std::isnan(scale[0])) << bad;
    EXPECT_EQ(sums[0], 0);
    EXPECT_TRUE(std::isfinite(scale[1]));
  }
}

TEST(Int8Pack, WeightsAreTheNearestBytesInTheirPlaces) {
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  for (const int k : {1, 64, 65, 384, 1536, 4096}) {
    for (const int rows : {1, 31, 32}) {
      std::vector<float> w(static_cast<size_t>(rows) * k);
      for (float& v : w) v = normal(random);
      if (rows > 1) std::fill_n(w.begin() + k, k, 0.f);  // a dead output
      std::vector<int8_t> panel(Int8PanelBytes(k), 55);
      const int columns = Int8GroupColumns(k), groups = (k + columns - 1) / columns;
      EXPECT_LE(columns, kInt8GroupMax);
      EXPECT_EQ(columns % kInt8Depth, 0);
      std::vector<float> scale(32, -1);
      std::vector<int32_t> sums(static_cast<size_t>(groups) * 40, -1);
      const std::vector<float> before = w;
      PackInt8Panel(w.data(), rows, k, columns, panel.data(), scale.data(), sums.data(), 40);
      EXPECT_NE(w, before);  // it holds what became bytes: quantize_test.cc has its products
      for (int j = 0; j < 32; ++j) {
        std::vector<int> expected(groups);
        for (int i = 0; i < Int8Depth(k) * 64; ++i) {
          const int byte = panel[(i / 4 * 32 + j) * 4 + i % 4];
          expected[i / columns] += byte;
          const float value = j < rows && i < k ? w[static_cast<size_t>(j) * k + i] : 0;
          ASSERT_NEAR(byte * double{scale[j]}, value, scale[j] * 0.5001) << j << ", " << i;
        }
        for (int g = 0; g < groups; ++g) ASSERT_EQ(sums[g * 40 + j], expected[g]);
      }
    }
  }
}

}  // namespace
}  // namespace podium::kernels
