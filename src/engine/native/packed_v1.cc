#include "engine/native/packed_v1.h"

#include <cstddef>

#include "kernels/kernels.h"

namespace podium {
namespace {

constexpr float kLeastGelu = -0.171875f;  // what a byte of 0 meant

int ByteAt(const Version1Panel& panel, int row, int column) {
  return panel
      .bytes[(static_cast<size_t>(column / 4) * kernels::kInt8Block + static_cast<size_t>(row)) *
                 4 +
             static_cast<size_t>(column % 4)];
}

}  // namespace

std::string Version1Columns(const std::string& product) {
  const std::string layer = product.substr(0, product.rfind('.') + 1);
  const std::string part = product.substr(layer.size());
  if (part == "query" || part == "key" || part == "value") return layer + "attention_columns";
  if (part == "ffn_up") return layer + "ffn_columns";
  return "";
}

void UnpackVersion1(const Version1Panel& panel, int rows, int k, float* out) {
  for (int row = 0; row < rows; ++row) {
    for (int i = 0; i < k; ++i) {
      const float weight = panel.scale[row] * static_cast<float>(ByteAt(panel, row, i));
      *out++ = panel.columns == nullptr ? weight : weight * panel.columns[i];
    }
  }
}

float Version1BiasOffset(const Version1Panel& panel, int row, int k) {
  int64_t sum = 0;
  for (int i = 0; i < k; ++i) sum += ByteAt(panel, row, i);
  return kLeastGelu * panel.scale[row] * static_cast<float>(sum);
}

}  // namespace podium
