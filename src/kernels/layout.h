// How weights lie in memory so that a product reads them front to back.
//
//   weight [n, k] row-major (outputs × inputs)         packed: panels of P outputs, k-major inside
//
//        k →                                            panel 0                       panel 1
//    n   w00 w01 w02 …                                  w00 w10 … w(P-1)0             wP0 …
//    ↓   w10 w11 w12 …                          →       w01 w11 … w(P-1)1             …
//        w20 w21 …                                      …  k rows of P elements
//
// P is Table::panel (two vectors). The last panel is filled up with zeros. Elements keep their type
// (fp32, fp16, bf16); 16-bit weights are widened, exactly, block by block when a product reads
// them, so they cost half the memory and bandwidth.
#ifndef PODIUM_KERNELS_LAYOUT_H_
#define PODIUM_KERNELS_LAYOUT_H_

#include <cstddef>

#include "kernels/kernels.h"

namespace podium::kernels {

inline size_t ElementBytes(Element element) { return element == Element::kF32 ? 4 : 2; }
inline int PanelCount(const Table& table, int n) { return (n + table.panel - 1) / table.panel; }
/// Bytes of one packed panel; a multiple of 16.
inline size_t PanelBytes(const Table& table, Element element, int k) {
  return static_cast<size_t>(table.panel) * static_cast<size_t>(k) * ElementBytes(element);
}
inline size_t PackedBytes(const Table& table, Element element, int n, int k) {
  return static_cast<size_t>(PanelCount(table, n)) * PanelBytes(table, element, k);
}

/// Elements between the rows of an activation matrix `width` wide: a multiple of 16 that is no
/// multiple of 256 (1 KiB), since rows a power of two apart fall into the same few sets of the L1
/// cache (measured: 4096-wide rows cost a fifth of a product's speed).
inline size_t RowStride(int width) {
  const size_t rounded = (static_cast<size_t>(width) + 15) / 16 * 16;
  return rounded % 256 == 0 ? rounded + 16 : rounded;
}

/// Packs one panel: `rows` (≤ table.panel) rows of k elements, each row contiguous at row(i) =
/// first + i · k; the rest is zero. Source elements need no alignment.
void PackPanel(const Table& table, Element element, const void* first, int rows, int k,
               void* panel);

// int8 weights: panels of 32 outputs, and in a panel 4 inputs of each output side by side, which is
// what vpdpbusd multiplies with 4 bytes of an activation row, and what an AMX tile of weights
// holds:
//
//   panel   k/4 rows of [w(0)k..k+3  w(1)k..k+3  …  w(31)k..k+3]      128 bytes a row
//
// int8 activations: blocks of 32 rows × 64 columns, each 2 KiB and read front to back by AMX (two
// tiles); the blocks of 32 rows follow each other along k. Rows and columns are filled up to 32 and
// 64; weights there are zero.

inline int Int8Depth(int k) { return (k + kInt8Depth - 1) / kInt8Depth; }
/// k columns in equal groups of whole 64s, none above kInt8GroupMax.
inline int Int8GroupColumns(int k) {
  const int groups = (k + kInt8GroupMax - 1) / kInt8GroupMax;
  return Int8Depth((k + groups - 1) / groups) * kInt8Depth;
}
inline size_t Int8RowsPadded(int rows) {
  return static_cast<size_t>((rows + kInt8Block - 1) / kInt8Block) * kInt8Block;
}
/// Bytes of activations [rows, 64 · depth].
inline size_t Int8BlockBytes(int rows, int depth) {
  return Int8RowsPadded(rows) * static_cast<size_t>(depth) * kInt8Depth;
}
inline size_t Int8PanelBytes(int k) {
  return static_cast<size_t>(Int8Depth(k)) * kInt8Depth * kInt8Block;
}

// Rotation. A byte's step is set by the largest column of a row, and transformers have columns far
// larger than the rest. So activations and weights are multiplied by the same orthogonal matrix
// first, which leaves their product as it is and spreads every column over a block of 128: blocks
// of a Hadamard matrix (Sylvester's, H[i][j] = ±1 by the parity of i & j), up to its scale. Columns
// that fill no block of 128 are blocks of 64, 32 and 16, the last fewer than 16 stay as they are;
// an activation's block of b columns is multiplied by sqrt(128 / b), so that all columns have the
// same scale, and a weight's by that and 1 / 128.
/// Columns of the block at the front of `columns` that are left; 1: they are not mixed.
inline int RotationBlock(int columns) {
  int block = kRotationBlock;
  while (block > columns) block /= 2;
  return block >= 16 ? block : 1;
}

/// Rotates a group's columns of a weight row, in place. An activation row rotated by it is what it
/// becomes on its way to bytes divided by 128.
void RotateColumns(float* row, int columns);

/// Columns whose rounding may make up for each other, at most.
constexpr int kRoundingBlock = 512;

/// Calls body(first, width) for the blocks of columns that are rounded together: a group of columns
/// in even pieces of whole rotation blocks.
template <typename Body>
void ForRoundingBlocks(int k, int group_columns, Body&& body) {
  for (int group = 0; group < k; group += group_columns) {
    const int columns = group_columns < k - group ? group_columns : k - group;
    const int pieces = (columns + kRoundingBlock - 1) / kRoundingBlock;
    const int rotations = (columns + kRotationBlock - 1) / kRotationBlock;
    const int width = (rotations + pieces - 1) / pieces * kRotationBlock;
    for (int at = 0; at < columns; at += width) {
      body(group + at, width < columns - at ? width : columns - at);
    }
  }
}

/// Rotates weight rows [rows ≤ 32, k], each group of columns by itself, and rounds them to bytes:
/// scale[j] = max|rotated w[j]| / 127, and sums[group][j] the sum of a group of columns' bytes,
/// groups `sums_stride` elements apart. All 32 entries are written. `w` is overwritten.
///
/// Without `feedback` to the nearest byte. It says what an error of one column is worth in another:
/// for each block of ForRoundingBlocks in turn [width, width], where row i's entries right of the
/// diagonal take what columns i + 1 … left to column i, which is rounded after them.
void PackInt8Panel(float* w, int rows, int k, int group_columns, int8_t* panel, float* scale,
                   int32_t* sums, size_t sums_stride, const float* feedback = nullptr);

}  // namespace podium::kernels

#endif  // PODIUM_KERNELS_LAYOUT_H_
