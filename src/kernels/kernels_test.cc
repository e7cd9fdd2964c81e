// Every table against the plain reference: odd sizes, tails, edge values, guarded memory.
#include "kernels/kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "kernels/layout.h"
#include "kernels/reference.h"
#include "kernels/select.h"

namespace podium::kernels {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

std::vector<std::string> Runnable() {
  std::vector<std::string> names;
  for (size_t i = 0; i < TableCount(); ++i) {
    if (TableAt(i).runnable) names.emplace_back(TableAt(i).name);
  }
  return names;
}

// Floats at a 64-byte boundary, with `guard` NaNs on both sides that must survive.
class Guarded {
 public:
  explicit Guarded(size_t count, float fill = 0)
      : storage_(count + 2 * kGuard + 16, kNaN), count_(count) {
    const auto address = reinterpret_cast<uintptr_t>(storage_.data());
    offset_ = kGuard + (64 - address % 64) % 64 / sizeof(float);
    for (size_t i = 0; i < count; ++i) data()[i] = fill;
  }
  float* data() { return storage_.data() + offset_; }
  bool Intact() const {
    for (size_t i = 0; i < storage_.size(); ++i) {
      if ((i < offset_ || i >= offset_ + count_) && !std::isnan(storage_[i])) return false;
    }
    return true;
  }

 private:
  static constexpr size_t kGuard = 64;
  std::vector<float> storage_;
  size_t count_;
  size_t offset_;
};

class KernelsTest : public testing::TestWithParam<std::string> {
 protected:
  const Table& table() const { return *FindTable(GetParam().c_str()); }
  std::vector<float> Random(size_t count, float scale = 1) {
    std::uniform_real_distribution<float> uniform(-scale, scale);
    std::vector<float> out(count);
    for (float& x : out) x = uniform(random_);
    return out;
  }
  std::mt19937 random_{20261130};
};

TEST_P(KernelsTest, TheForcedTableIsTheActiveOne) { EXPECT_EQ(table().name, GetParam()); }

uint16_t ToHalf(float x) {  // exact for the values used here: multiples of 1/64 below 2
  uint32_t bits;
  std::memcpy(&bits, &x, 4);
  if ((bits & 0x7fffffff) == 0) return static_cast<uint16_t>(bits >> 16);
  return static_cast<uint16_t>((bits >> 16 & 0x8000) | (((bits >> 23 & 255) - 112) << 10) |
                               (bits >> 13 & 1023));
}

struct ProductCase {
  int rows, k, n;
  Element element = Element::kF32;
  Activate activate = Activate::kNone;
  bool residual = false;
};

TEST_P(KernelsTest, ProductEqualsReference) {
  std::vector<ProductCase> cases;
  for (const int rows : {1, 2, 3, 4, 5, 6, 7, 11, 12, 13, 23, 25, 191, 193, 385})
    cases.push_back({rows, 65, 33});
  for (const int k : {1, 2, 7, 8, 24, 255, 256, 257, 511, 513, 1030}) cases.push_back({5, k, 40});
  for (const int n : {1, 7, 8, 15, 16, 17, 31, 32, 47, 48, 63, 65}) cases.push_back({13, 70, n});
  for (const Element element : {Element::kF16, Element::kBF16}) {
    cases.push_back({14, 300, 72, element});
    cases.push_back({3, 8, 1, element});
  }
  for (const Activate activate :
       {Activate::kGeluErf, Activate::kGeluTanh, Activate::kRelu, Activate::kTanh}) {
    cases.push_back({9, 24, 37, Element::kF32, activate, true});
  }
  cases.push_back({20, 700, 50, Element::kF16, Activate::kNone, true});
  for (const ProductCase& c : cases) {
    SCOPED_TRACE(testing::Message() << c.rows << " x " << c.k << " x " << c.n << " element "
                                    << int(c.element) << " activate " << int(c.activate));
    const std::vector<float> a = Random(size_t(c.rows) * c.k, 2);
    const std::vector<float> bias = Random(c.n);
    std::vector<double> w(size_t(c.n) * c.k);
    std::vector<float> w32(w.size());
    std::vector<uint16_t> w16(w.size());
    std::uniform_int_distribution<int> sixty_fourths(-127, 127);
    for (size_t i = 0; i < w.size(); ++i) {
      w32[i] = static_cast<float>(sixty_fourths(random_)) / 64;
      w[i] = w32[i];
      uint32_t bits;
      std::memcpy(&bits, &w32[i], 4);
      w16[i] = c.element == Element::kF16 ? ToHalf(w32[i]) : static_cast<uint16_t>(bits >> 16);
    }
    const auto* source =
        c.element == Element::kF32 ? static_cast<const void*>(w32.data()) : w16.data();
    Guarded packed(PackedBytes(table(), c.element, c.n, c.k) / 4);
    for (int row = 0; row < c.n; row += table().panel) {
      PackPanel(table(), c.element,
                static_cast<const char*>(source) + size_t(row) * c.k * ElementBytes(c.element),
                std::min(table().panel, c.n - row), c.k,
                reinterpret_cast<char*>(packed.data()) +
                    size_t(row / table().panel) * PanelBytes(table(), c.element, c.k));
    }
    EXPECT_TRUE(packed.Intact());

    const std::vector<float> residual =
        c.residual ? Random(size_t(c.rows) * c.n) : std::vector<float>();
    const std::vector<double> expected =
        reference::Product(a, c.rows, w, c.n, c.k, bias, c.activate, residual);
    Guarded out(size_t(c.rows) * c.n), scratch(table().product_scratch);
    if (c.residual) std::memcpy(out.data(), residual.data(), residual.size() * 4);
    ProductArgs args;
    args.a = a.data();
    args.a_stride = size_t(c.k);
    args.rows = c.rows;
    args.w = {packed.data(), c.element, c.n, c.k};
    args.bias = bias.data();
    args.residual = c.residual ? out.data() : nullptr;  // in place
    args.residual_stride = args.c_stride = size_t(c.n);
    args.c = out.data();
    args.activate = c.activate;
    args.scratch = scratch.data();
    table().product(args);
    EXPECT_TRUE(out.Intact());
    EXPECT_TRUE(scratch.Intact());
    // A chain of k roundings of partial sums bounded by Σ|a·w| ≤ 4k: Higham's k·u·Σ|a·w|, taken at
    // a tenth, plus the activation's error.
    const double tolerance = 0.1 * c.k * 6e-8 * 4 * c.k + 4e-6;
    for (size_t i = 0; i < expected.size(); ++i)
      ASSERT_NEAR(out.data()[i], expected[i], tolerance) << i;
  }
}

TEST_P(KernelsTest, ARowIsTheSameAloneAndAmongOthers) {
  const int k = 600, n = 50;
  const std::vector<float> a = Random(size_t(200) * k), w = Random(size_t(n) * k), bias = Random(n);
  Guarded packed(PackedBytes(table(), Element::kF32, n, k) / 4), scratch(table().product_scratch);
  for (int row = 0; row < n; row += table().panel) {
    PackPanel(table(), Element::kF32, w.data() + size_t(row) * k, std::min(table().panel, n - row),
              k, packed.data() + size_t(row) * k);
  }
  const auto run = [&](int first, int rows) {
    std::vector<float> out(size_t(rows) * n);
    ProductArgs args;
    args.a = a.data() + size_t(first) * k;
    args.a_stride = k;
    args.rows = rows;
    args.w = {packed.data(), Element::kF32, n, k};
    args.bias = bias.data();
    args.c = out.data();
    args.c_stride = n;
    args.activate = Activate::kGeluErf;
    args.scratch = scratch.data();
    table().product(args);
    return out;
  };
  const std::vector<float> all = run(0, 200);
  for (int row = 0; row < 200; row += 7) {
    const std::vector<float> alone = run(row, 1);
    ASSERT_EQ(std::memcmp(alone.data(), &all[size_t(row) * n], n * sizeof(float)), 0) << row;
  }
}

TEST_P(KernelsTest, AttentionEqualsReferenceAndIgnoresWhatLiesBeyondTheSequence) {
  for (const int d : {8, 24, 32, 40, 64, 128}) {
    for (const int length : {1, 2, 3, 5, 8, 15, 16, 17, 31, 32, 33, 50, 64, 100, 129}) {
      for (const int queries : {1, length}) {
        SCOPED_TRACE(testing::Message()
                     << "d " << d << " length " << length << " queries " << queries);
        const float scale = 1 / std::sqrt(float(d));
        const auto count = size_t(length) * d;
        const std::vector<float> q = Random(size_t(queries) * d, 4), k = Random(count, 4),
                                 v = Random(count, 4);
        const std::vector<double> expected =
            reference::Attention(q, k, v, queries, length, d, scale);
        // k and v in one buffer with a stride, NaN in every gap and after the end: a neighbour that
        // must not be seen.
        const size_t stride = size_t(2) * d + 5;
        std::vector<float> key_value(stride * (length + 40), kNaN);
        for (int row = 0; row < length; ++row) {
          std::memcpy(&key_value[row * stride], &k[size_t(row) * d], d * 4);
          std::memcpy(&key_value[row * stride + d], &v[size_t(row) * d], d * 4);
        }
        Guarded out(size_t(queries) * d), scratch(AttentionScratch(table(), length, d), kNaN);
        std::memcpy(out.data(), q.data(), q.size() * 4);
        AttentionArgs args;
        args.q = out.data();  // in place, as the engine does
        args.k = key_value.data();
        args.v = key_value.data() + d;
        args.q_stride = args.out_stride = size_t(d);
        args.kv_stride = stride;
        args.queries = queries;
        args.length = length;
        args.head_size = d;
        args.scale = scale;
        args.out = out.data();
        args.scratch = scratch.data();
        table().attention(args);
        EXPECT_TRUE(out.Intact());
        EXPECT_TRUE(scratch.Intact());
        // Scores up to 16·√d·… have relative error d·u; e^x turns an absolute error into a relative
        // one.
        for (size_t i = 0; i < expected.size(); ++i)
          ASSERT_NEAR(out.data()[i], expected[i], 1e-4) << i;
      }
    }
  }
}

TEST_P(KernelsTest, AttentionOfABrokenModelIsNaN) {
  const int d = 32, length = 20;
  for (const float bad : {kNaN, kInfinity}) {
    std::vector<float> q(size_t(length) * d, 1), k = q, v = q, out = q;
    k[3 * d] = bad;
    std::vector<float> scratch(AttentionScratch(table(), length, d) + 16);
    AttentionArgs args;
    args.q = q.data();
    args.k = k.data();
    args.v = v.data();
    args.q_stride = args.kv_stride = args.out_stride = d;
    args.queries = args.length = length;
    args.head_size = d;
    args.out = out.data();
    args.scratch =
        scratch.data() + (64 - reinterpret_cast<uintptr_t>(scratch.data()) % 64) % 64 / 4;
    table().attention(args);
    EXPECT_TRUE(std::isnan(out[0])) << bad;
  }
}

TEST_P(KernelsTest, LayerNormEqualsReference) {
  for (const int width : {1, 3, 8, 15, 16, 17, 72, 384, 1000}) {
    for (const float offset : {0.f, 100.f}) {
      std::vector<float> x = Random(width, 3);
      for (float& e : x) e += offset;
      const std::vector<float> gain = Random(width, 2), bias = Random(width);
      for (const float eps : {1e-12f, 1e-5f}) {
        const std::vector<double> expected = reference::LayerNorm(x, gain, bias, eps);
        Guarded out{static_cast<size_t>(width)};
        std::copy(x.begin(), x.end(), out.data());
        table().layer_norm({out.data(), static_cast<size_t>(width)}, 1, width, gain.data(),
                           bias.data(), eps);
        EXPECT_TRUE(out.Intact());
        // The mean of values near `offset` carries their rounding, divided by a spread of about 2.
        const double tolerance = 2e-6 + offset * 3e-7;
        for (int i = 0; i < width && width > 1; ++i)
          ASSERT_NEAR(out.data()[i], expected[i], tolerance) << width;
      }
    }
  }
}

TEST_P(KernelsTest, LayerNormOfPanelsIsThatOfRows) {
  for (const int width : {5, 31, 32, 33, 64, 100, 384, 1000}) {
    constexpr int kRows = 3;
    const std::vector<float> gain = Random(width, 2), bias = Random(width);
    std::vector<float> rows = Random(static_cast<size_t>(kRows) * width, 3);
    const size_t panel = kRows * kInt8Block + 8;
    Guarded panels((static_cast<size_t>(width) + 31) / kInt8Block * panel, 7);
    const auto at = [&](int i, int j) {
      return j / kInt8Block * panel + i * kInt8Block + j % kInt8Block;
    };
    for (int i = 0; i < kRows; ++i) {
      for (int j = 0; j < width; ++j) panels.data()[at(i, j)] = rows[i * width + j];
    }
    table().layer_norm({rows.data(), static_cast<size_t>(width)}, kRows, width, gain.data(),
                       bias.data(), 1e-5f);
    table().layer_norm({panels.data(), kInt8Block, panel}, kRows, width, gain.data(), bias.data(),
                       1e-5f);
    EXPECT_TRUE(panels.Intact());
    for (int i = 0; i < kRows; ++i) {
      for (int j = 0; j < width; ++j) {
        ASSERT_EQ(panels.data()[at(i, j)], rows[i * width + j]) << width << ": " << i << ", " << j;
        panels.data()[at(i, j)] = 7;
      }
    }
    for (size_t i = 0; i < (static_cast<size_t>(width) + 31) / kInt8Block * panel; ++i) {
      ASSERT_EQ(panels.data()[i], 7) << width;
    }
  }
}

TEST_P(KernelsTest, WidenIsExactForEvery16BitValue) {
  std::vector<uint16_t> all(65536);
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<uint16_t>(i);
  std::vector<float> out(all.size());
  for (const Element element : {Element::kF16, Element::kBF16}) {
    table().widen(all.data(), element, all.size(), out.data());
    for (size_t i = 0; i < all.size(); ++i) {
      const double expected = element == Element::kF16 ? reference::HalfToDouble(all[i])
                                                       : reference::BrainToDouble(all[i]);
      if (std::isnan(expected)) {
        ASSERT_TRUE(std::isnan(out[i])) << i;
      } else {
        ASSERT_EQ(out[i], expected) << i;
      }
    }
  }
}

TEST_P(KernelsTest, EmbedAddsInAllElementTypes) {
  for (const int width : {1, 5, 8, 16, 21, 72}) {
    const std::vector<float> b = Random(width), c = Random(width);
    std::vector<float> a32(width, 0.75f);
    std::vector<uint16_t> a16(width, ToHalf(0.75f)), abf(width, 0x3f40);
    for (const void* source :
         {static_cast<const void*>(a32.data()), static_cast<const void*>(a16.data()),
          static_cast<const void*>(abf.data())}) {
      const Element element = source == a32.data()   ? Element::kF32
                              : source == a16.data() ? Element::kF16
                                                     : Element::kBF16;
      for (const float* third : {static_cast<const float*>(nullptr), c.data()}) {
        Guarded out{static_cast<size_t>(width)};
        table().embed(source, element, b.data(), third, width,
                      {out.data(), static_cast<size_t>(width)});
        EXPECT_TRUE(out.Intact());
        for (int i = 0; i < width; ++i)
          ASSERT_NEAR(out.data()[i], 0.75 + b[i] + (third ? c[i] : 0), 3e-7);
      }
    }
  }
}

TEST_P(KernelsTest, FunctionsKeepTheirStatedErrors) {
  std::vector<float> x;
  for (double v = -100; v <= 100; v += 0.00097) x.push_back(static_cast<float>(v));
  for (const float edge : {0.f, -0.f, 1e-30f, -1e-30f, 3.4e38f, -3.4e38f, kInfinity, -kInfinity})
    x.push_back(edge);
  std::vector<float> y(x.size());
  table().activate(Activate::kTanh, x.data(), x.size(), y.data());
  for (size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(y[i], std::tanh(double{x[i]}), 3e-7) << x[i];
  for (const Activate activate : {Activate::kGeluErf, Activate::kGeluTanh}) {
    table().activate(activate, x.data(), x.size() - 4, y.data());
    for (size_t i = 0; i + 4 < x.size(); ++i) {
      const double scale = std::max(1.0, std::abs(double{x[i]}));
      ASSERT_NEAR(y[i], reference::Apply(activate, x[i]), 5e-7 * scale) << x[i];
    }
  }
  for (float& v : x) v = -std::abs(v);
  table().exp_negative(x.data(), x.size(), y.data());
  for (size_t i = 0; i < x.size(); ++i) {
    const double expected = x[i] < -87.3f ? 0 : std::exp(double{x[i]});
    ASSERT_NEAR(y[i], expected, 2e-7 * expected) << x[i];
  }
  const float nan = kNaN;
  for (const Activate activate : {Activate::kNone, Activate::kGeluErf, Activate::kGeluTanh,
                                  Activate::kRelu, Activate::kTanh}) {
    float out = 0;
    table().activate(activate, &nan, 1, &out);
    EXPECT_TRUE(std::isnan(out)) << int(activate);
  }
}

INSTANTIATE_TEST_SUITE_P(Tables, KernelsTest, testing::ValuesIn(Runnable()),
                         [](const auto& test) { return test.param; });

TEST(Select, ScalarRunsEverywhereAndTheBestIsTheFirstRunnable) {
  EXPECT_NE(FindTable("scalar"), nullptr);
  EXPECT_EQ(FindTable("avx1024"), nullptr);
  for (size_t i = 0; i < TableCount(); ++i) {
    if (TableAt(i).runnable) {
      EXPECT_EQ(BestTable(), TableAt(i).table);
      break;
    }
  }
}

}  // namespace
}  // namespace podium::kernels
