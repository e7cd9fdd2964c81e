// AVX-512 F/BW/DQ/VL/CD with FMA and F16C: 16 lanes.
#include <immintrin.h>

#include "kernels/kernels.h"

namespace podium::kernels {
namespace {

// clang-format off
#include "kernels/avx512/vec.inl"
#include "kernels/avx512/pairs.inl"
#include "kernels/avx512/sum_block.inl"
#include "kernels/generic/table.inl"
#include "kernels/generic/attention_pairs.inl"
// clang-format on

}  // namespace

extern const Table kAvx512Table;
const Table kAvx512Table = {
    "avx512",    kPanel,   kTileRows, kProductScratch, Product, Attention,     AttentionPairs,
    Int8Product, Quantize, LayerNorm, Embed,           Widen,   ActivateArray, ExpNegativeArray,
};

}  // namespace podium::kernels
