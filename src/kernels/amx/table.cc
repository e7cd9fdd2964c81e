// The AVX-512 table with AMX for sums of bytes.
#include <immintrin.h>

#include "kernels/kernels.h"

namespace podium::kernels {
namespace {

// clang-format off
#include "kernels/avx512/vec.inl"
#include "kernels/amx/tiles.inl"
#include "kernels/amx/sum_block.inl"
#include "kernels/amx/bf16.inl"
#include "kernels/generic/table.inl"
#include "kernels/amx/product.inl"
#include "kernels/amx/attention.inl"
// clang-format on

}  // namespace

extern const Table kAmxTable;
const Table kAmxTable = {
    "amx",     kPanel,        kTileRows,       kProductScratch,  Product,
    Attention, AttentionBf16, Int8ProductBf16, Quantize,         LayerNorm,
    Embed,     Widen,         ActivateArray,   ExpNegativeArray, Element::kBF16,
};

}  // namespace podium::kernels
