// The AVX-512 table with AMX for sums of bytes.
#include <immintrin.h>

#include "kernels/kernels.h"

namespace podium::kernels {
namespace {

// clang-format off
#include "kernels/avx512/vec.inl"
#include "kernels/amx/tiles.inl"
#include "kernels/amx/sum_block.inl"
#include "kernels/generic/table.inl"
#include "kernels/amx/bf16.inl"
#include "kernels/amx/attention.inl"
// clang-format on

}  // namespace

extern const Table kAmxTable;
const Table kAmxTable = {
    "amx",       kPanel,   kTileRows, kProductScratch, Product, Attention,     AttentionBf16,
    Int8Product, Quantize, LayerNorm, Embed,           Widen,   ActivateArray, ExpNegativeArray,
};

}  // namespace podium::kernels
