#include "engine/native/packed_v1.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <vector>

#include "kernels/layout.h"

namespace podium {
namespace {

TEST(Version1, ColumnsAreThoseOfTheProductsInput) {
  EXPECT_EQ(Version1Columns("layers.12.query"), "layers.12.attention_columns");
  EXPECT_EQ(Version1Columns("layers.0.key"), "layers.0.attention_columns");
  EXPECT_EQ(Version1Columns("layers.0.value"), "layers.0.attention_columns");
  EXPECT_EQ(Version1Columns("layers.0.ffn_up"), "layers.0.ffn_columns");
  EXPECT_EQ(Version1Columns("layers.0.ffn_down"), "");
  EXPECT_EQ(Version1Columns("layers.0.attention_output"), "");
}

// Written byte by byte where layout.h's drawing has them.
TEST(Version1, WeightsAndOffsetAreThoseOfTheBytes) {
  constexpr int kColumns = 70, kRows = 31;
  std::mt19937 random(4);
  std::vector<int8_t> bytes(kernels::Int8PanelBytes(kColumns));
  std::vector<float> scale(kernels::kInt8Block), columns(kColumns);
  for (float& s : scale) s = static_cast<float>(1 + random() % 9) / 8;
  for (float& c : columns) c = static_cast<float>(1 + random() % 9) / 4;
  std::vector<float> expected(static_cast<size_t>(kRows) * kColumns);
  std::vector<float> sums(kRows);
  for (int row = 0; row < kRows; ++row) {
    for (int i = 0; i < kColumns; ++i) {
      const int byte = static_cast<int>(random() % 255) - 127;
      bytes[static_cast<size_t>(i / 4 * 128 + row * 4 + i % 4)] = static_cast<int8_t>(byte);
      sums[static_cast<size_t>(row)] += static_cast<float>(byte);
      expected[static_cast<size_t>(row * kColumns + i)] =
          static_cast<float>(byte) * scale[static_cast<size_t>(row)];
    }
  }
  const Version1Panel plain = {bytes.data(), scale.data(), nullptr};
  std::vector<float> got(expected.size());
  UnpackVersion1(plain, kRows, kColumns, got.data());
  EXPECT_EQ(got, expected);
  for (size_t i = 0; i < expected.size(); ++i) expected[i] *= columns[i % kColumns];
  UnpackVersion1({bytes.data(), scale.data(), columns.data()}, kRows, kColumns, got.data());
  EXPECT_EQ(got, expected);
  for (int row = 0; row < kRows; ++row) {
    const auto at = static_cast<size_t>(row);
    EXPECT_FLOAT_EQ(Version1BiasOffset(plain, row, kColumns), -0.171875f * scale[at] * sums[at]);
  }
}

}  // namespace
}  // namespace podium
