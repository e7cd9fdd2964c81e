// The AVX2 table with VNNI for sums of bytes: processors without AVX-512 that have it in 256 bits.
#include <immintrin.h>

#include "kernels/kernels.h"

namespace podium::kernels {
namespace {

// clang-format off
#include "kernels/avx2/vec.inl"
#include "kernels/avx2/pairs.inl"
#include "kernels/avx_vnni/sum_block.inl"
#include "kernels/generic/table.inl"
#include "kernels/generic/attention_pairs.inl"
// clang-format on

}  // namespace

extern const Table kAvxVnniTable;
const Table kAvxVnniTable = {
    "avx_vnni",  kPanel,   kTileRows, kProductScratch, Product, Attention,     AttentionPairs,
    Int8Product, Quantize, LayerNorm, Embed,           Widen,   ActivateArray, ExpNegativeArray,
};

}  // namespace podium::kernels
