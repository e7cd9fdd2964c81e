// The body of every table: vec.inl and sum_block.inl of the including folder first, then the
// functions over it. All of it has internal linkage, so no function built with one ISA's flags can
// stand in for another's.
// clang-format off
#include "kernels/generic/math.inl"
#include "kernels/generic/product.inl"
#include "kernels/generic/attention.inl"
#include "kernels/generic/rows.inl"
#include "kernels/generic/int8.inl"
// clang-format on
