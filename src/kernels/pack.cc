#include <cmath>
#include <cstdint>
#include <cstring>

#include "kernels/layout.h"

namespace podium::kernels {
namespace {

template <typename T>
void PackTyped(int panel_width, const unsigned char* first, int rows, int k, T* panel) {
  // Blocks of k keep both the rows read and the panel written in L1.
  constexpr int kBlock = 64;
  const size_t row_bytes = static_cast<size_t>(k) * sizeof(T);
  for (int begin = 0; begin < k; begin += kBlock) {
    const int end = begin + kBlock < k ? begin + kBlock : k;
    for (int row = 0; row < panel_width; ++row) {
      T* out = panel + static_cast<size_t>(begin) * panel_width + row;
      if (row >= rows) {
        for (int i = begin; i < end; ++i, out += panel_width) *out = T{0};
        continue;
      }
      T block[kBlock];
      std::memcpy(block, first + row * row_bytes + static_cast<size_t>(begin) * sizeof(T),
                  static_cast<size_t>(end - begin) * sizeof(T));
      for (int i = 0; i < end - begin; ++i, out += panel_width) *out = block[i];
    }
  }
}

void RotateBlock(float* x, int block) {
  for (int distance = 1; distance < block; distance *= 2) {
    for (int i = 0; i < block; i += 2 * distance) {
      for (int j = i; j < i + distance; ++j) {
        const float a = x[j], b = x[j + distance];
        x[j] = a + b;
        x[j + distance] = a - b;
      }
    }
  }
  const float scale = kRotationScale[__builtin_ctz(static_cast<unsigned>(block))] / kRotationBlock;
  for (int i = 0; i < block; ++i) x[i] *= scale;
}

// Rounds a block's columns from the last to the first, `rows` ≤ 32 outputs side by side:
// round(i, j, carried) returns the error that it leaves, in the unit of `carried`, what the columns
// behind it left for this one.
template <typename Round>
void RoundTogether(const float* feedback, int width, int rows, Round&& round) {
  float error[kRoundingBlock][kInt8Block] = {};
  for (int i = width - 1; i >= 0; --i) {
    float carried[kInt8Block] = {};
    const float* factor = feedback + static_cast<size_t>(i) * width;
    for (int other = i + 1; other < width; ++other) {
      for (int j = 0; j < kInt8Block; ++j) carried[j] += factor[other] * error[other][j];
    }
    for (int j = 0; j < rows; ++j) error[i][j] = round(i, j, carried[j]);
  }
}

}  // namespace

void PackPanel(const Table& table, Element element, const void* first, int rows, int k,
               void* panel) {
  const auto* source = static_cast<const unsigned char*>(first);
  if (element == Element::kF32) {
    PackTyped(table.panel, source, rows, k, static_cast<uint32_t*>(panel));
  } else {
    PackTyped(table.panel, source, rows, k, static_cast<uint16_t*>(panel));
  }
}

void RotateColumns(float* row, int columns) {
  for (int i = 0, block = 0; i < columns; i += block) {
    block = RotationBlock(columns - i);
    RotateBlock(row + i, block);
  }
}

void PackInt8Panel(float* w, int rows, int k, int group_columns, int8_t* panel, float* scale,
                   int32_t* sums, size_t sums_stride, const float* feedback) {
  std::memset(panel, 0, Int8PanelBytes(k));
  float inverse[kInt8Block] = {};
  for (int j = 0; j < kInt8Block; ++j) {
    for (int g = 0; g * group_columns < k; ++g) sums[static_cast<size_t>(g) * sums_stride + j] = 0;
    scale[j] = 0;
    if (j >= rows) continue;
    float* row = w + static_cast<size_t>(j) * k;
    for (int group = 0; group < k; group += group_columns) {
      RotateColumns(row + group, group_columns < k - group ? group_columns : k - group);
    }
    float top = 0, nothing = 0;
    for (int i = 0; i < k; ++i) {
      top = std::fmax(top, std::fabs(row[i]));
      nothing += row[i] * 0;
    }
    scale[j] = top / 127;
    if (nothing != 0) {  // a weight is none: nor is any score
      scale[j] = nothing;
    } else if (scale[j] >= 1e-35f) {
      inverse[j] = 1 / scale[j];
    }
  }
  // A weight in steps of its output's scale; 0 where that is none.
  const auto in_steps = [&](int i, int j) {
    return inverse[j] == 0 ? 0 : w[static_cast<size_t>(j) * k + i] * inverse[j];
  };
  const auto put = [&](int i, int j, float steps) {
    const int byte = static_cast<int>(std::nearbyint(steps));
    panel[(static_cast<size_t>(i / 4) * kInt8Block + j) * 4 + i % 4] = static_cast<int8_t>(byte);
    sums[static_cast<size_t>(i / group_columns) * sums_stride + j] += byte;
    return static_cast<float>(byte);
  };
  if (feedback != nullptr) {
    ForRoundingBlocks(k, group_columns, [&](int first, int width) {
      RoundTogether(feedback, width, rows, [&](int i, int j, float carried) {
        const float steps = in_steps(first + i, j);
        return steps - put(first + i, j, std::fmin(127.0f, std::fmax(-127.0f, steps + carried)));
      });
      feedback += static_cast<size_t>(width) * width;
    });
    return;
  }
  for (int j = 0; j < rows; ++j) {
    for (int i = 0; i < k; ++i) put(i, j, in_steps(i, j));
  }
}

}  // namespace podium::kernels
