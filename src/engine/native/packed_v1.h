// Version 1 of packed files: weights in bytes that were not rotated. They are turned into floats
// again and packed as a folder's are, which rounds them twice; nothing else of it is left.
#ifndef PODIUM_ENGINE_NATIVE_PACKED_V1_H_
#define PODIUM_ENGINE_NATIVE_PACKED_V1_H_

#include <cstdint>
#include <string>

namespace podium {

/// 32 outputs of a product as version 1 holds them.
struct Version1Panel {
  const int8_t* bytes = nullptr;   // as kernels/layout.h has a panel; null: of another version
  const float* scale = nullptr;    // [32]
  const float* columns = nullptr;  // [k] or null: what the weights were divided by
};

/// The section of `columns` for a product, "layers.0.attention_columns" for "layers.0.query"; ""
/// for one without.
std::string Version1Columns(const std::string& product);

/// Weights [rows ≤ 32, k].
void UnpackVersion1(const Version1Panel& panel, int rows, int k, float* out);

/// The FFN's middle was bytes from GELU's least value on: what that put into the bias of ffn_down's
/// output `row`.
float Version1BiasOffset(const Version1Panel& panel, int row, int k);

}  // namespace podium

#endif  // PODIUM_ENGINE_NATIVE_PACKED_V1_H_
