// The AVX-512 table with VNNI for sums of bytes.
#include <immintrin.h>

#include "kernels/kernels.h"

namespace podium::kernels {
namespace {

// clang-format off
#include "kernels/avx512/vec.inl"
#include "kernels/avx512/pairs.inl"
#include "kernels/avx512_vnni/sum_block.inl"
#include "kernels/generic/table.inl"
#include "kernels/generic/attention_pairs.inl"
// clang-format on

}  // namespace

extern const Table kAvx512VnniTable;
const Table kAvx512VnniTable = {
    "avx512_vnni", kPanel,   kTileRows, kProductScratch, Product, Attention,     AttentionPairs,
    Int8Product,   Quantize, LayerNorm, Embed,           Widen,   ActivateArray, ExpNegativeArray,
};

}  // namespace podium::kernels
