// AVX2 with FMA and F16C: 8 lanes.
#include <immintrin.h>

#include "kernels/kernels.h"

namespace podium::kernels {
namespace {

// clang-format off
#include "kernels/avx2/vec.inl"
#include "kernels/avx2/pairs.inl"
#include "kernels/avx2/sum_block.inl"
#include "kernels/generic/table.inl"
#include "kernels/generic/attention_pairs.inl"
// clang-format on

}  // namespace

extern const Table kAvx2Table;
const Table kAvx2Table = {
    "avx2",      kPanel,   kTileRows, kProductScratch, Product, Attention,     AttentionPairs,
    Int8Product, Quantize, LayerNorm, Embed,           Widen,   ActivateArray, ExpNegativeArray,
};

}  // namespace podium::kernels
