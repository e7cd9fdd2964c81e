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

}  // namespace podium::kernels
