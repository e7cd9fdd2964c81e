// The table that runs everywhere: plain C++ over 4 lanes, which compilers turn into SSE2 or NEON.
#include "kernels/kernels.h"

namespace podium::kernels {
namespace {

// clang-format off
#include "kernels/scalar/vec.inl"
#include "kernels/scalar/sum_block.inl"
#include "kernels/generic/table.inl"
// clang-format on

}  // namespace

extern const Table kScalarTable;
const Table kScalarTable = {
    "scalar",    kPanel,   kTileRows, kProductScratch, Product, Attention,     Attention,
    Int8Product, Quantize, LayerNorm, Embed,           Widen,   ActivateArray, ExpNegativeArray,
};

}  // namespace podium::kernels
