// The AMX table's sums over plain tiles and plain vectors: for tests.
#include <cstring>

#include "kernels/kernels.h"

namespace podium::kernels {
namespace {

// clang-format off
#include "kernels/scalar/vec.inl"
#include "kernels/amx/tiles_plain.inl"
#include "kernels/amx/sum_block.inl"
#include "kernels/amx/bf16_plain.inl"
#include "kernels/generic/table.inl"
#include "kernels/amx/product.inl"
#include "kernels/amx/attention.inl"
// clang-format on

}  // namespace

extern const Table kAmxTwinTable;
const Table kAmxTwinTable = {
    "amx_twin", kPanel,        kTileRows,       kProductScratch,  Product,
    Attention,  AttentionBf16, Int8ProductBf16, Quantize,         LayerNorm,
    Embed,      Widen,         ActivateArray,   ExpNegativeArray, Element::kBF16,
};

}  // namespace podium::kernels
