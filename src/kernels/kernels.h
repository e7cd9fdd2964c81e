// The table of functions that do arithmetic on arrays, each with its contract. One table per ISA,
// chosen once at start.
//
// kernels/ includes nothing of ours and allocates nothing. A table's folder is the only code built
// with that ISA's flags. Every function is pure: it reads its inputs, writes its outputs, and may
// be called by many threads on disjoint outputs.
//
// Sums: output element (i, j) of a product is the chain acc = 0; acc = fma(a[i][k], b[k][j], acc)
// for k = 0, 1, …; no blocking, tail, thread or neighbour changes it. (The scalar table rounds the
// product first: it has no FMA instruction to use.)
#ifndef PODIUM_KERNELS_KERNELS_H_
#define PODIUM_KERNELS_KERNELS_H_

#include <cstddef>
#include <cstdint>

namespace podium::kernels {

enum class Element : uint8_t { kF32, kF16, kBF16 };

/// What a product's result goes through, in this order: + bias, activation, + residual.
enum class Activate : uint8_t { kNone, kGeluErf, kGeluTanh, kRelu, kTanh };

/// Weights [n, k] packed for a table: see layout.h.
struct PackedWeights {
  const void* data = nullptr;  // aligned to 64 bytes
  Element element = Element::kF32;
  int n = 0;  // outputs
  int k = 0;  // inputs
};

/// c[i, j] = activate(Σ_k a[i, k] · w[j, k] + bias[j]) + residual[i, j], for i < rows, j < w.n.
struct ProductArgs {
  const float* a = nullptr;  // [rows, k], rows `a_stride` elements apart
  size_t a_stride = 0;
  int rows = 0;
  PackedWeights w;
  const float* bias = nullptr;      // [n]
  const float* residual = nullptr;  // [rows, n] or null; may be c itself
  size_t residual_stride = 0;
  float* c = nullptr;
  size_t c_stride = 0;
  Activate activate = Activate::kNone;
  float* scratch = nullptr;  // product_scratch floats, one per thread, aligned to 64 bytes
};

/// One head of one sequence: out = softmax(scale · q kᵀ) v for query rows [0, queries) over keys
/// [0, length). Rows of q, k, v and out are `q_stride`, `kv_stride`, `kv_stride` and `out_stride`
/// elements apart.
struct AttentionArgs {
  const void* q = nullptr;
  const void* k = nullptr;
  const void* v = nullptr;
  Element element = Element::kF32;  // of all three; or the table's short_element
  size_t q_stride = 0;
  size_t kv_stride = 0;
  int queries = 0;
  int length = 0;
  int head_size = 0;  // a multiple of 8, at most kHeadSizeMax
  float scale = 1;
  void* out = nullptr;
  Element out_element = Element::kF32;  // or kF16, of attention_short with its element
  size_t out_stride = 0;
  float* scratch =
      nullptr;  // AttentionScratch(length, head_size) floats, one per thread, aligned to 64 bytes
};

constexpr int kHeadSizeMax = 256;

// int8. An activation row, or a group of its columns, is bytes u and a scale; a weight row is
// signed bytes and a scale; the sum Σ u·w is exact in 32 bits, whatever the table, up to
// kInt8ColumnsMax columns (· 255 · 127 < 2^31). Bytes lie in blocks that every table reads as they
// are: see layout.h.
constexpr int kInt8Block = 32;       // rows of an activation block, columns of a weight panel
constexpr int kInt8Depth = 64;       // columns of a block: one AMX step
constexpr int kInt8GroupMax = 1024;  // columns of a group: its weight panel is 32 KiB, in L1
constexpr int kInt8ColumnsMax = 65536;
constexpr size_t kInt8Scratch = 2048;  // int32s
constexpr int kRotationBlock = 128;    // columns of a rotation's largest block: see layout.h
// sqrt(128 / 2^i): what an activation's block of 2^i columns is multiplied by.
constexpr float kRotationScale[] = {11.3137085f, 8, 5.65685425f, 4, 2.82842712f, 2, 1.41421356f, 1};

/// Rows of floats, or panels of 32 columns of them: element (i, j) is data[i · stride + j / 32 ·
/// panel + j % 32]. A block of a product, 32 × 32, is 4 KiB in a panel and 32 pieces of 128 bytes
/// in rows.
struct FloatRows {
  float* data = nullptr;
  size_t stride = 0;
  size_t panel = kInt8Block;  // rows

  FloatRows From(int row) const {
    return {data + static_cast<size_t>(row) * stride, stride, panel};
  }
};

/// c[i, j] = activate((start[j] + Σ_k a[i, k] · w[j, k]) · a_scale[i] · w_scale[j] + bias[j]) +
/// residual[i, j], for i < rows, j < n, over one group of columns. A product over several groups
/// calls this once for each, with c as the residual of all but the first.
struct Int8ProductArgs {
  const uint8_t* a = nullptr;      // blocks [rows / 32][depth][32][64]
  const float* a_scale = nullptr;  // [rows]
  int rows = 0;
  int depth = 0;              // 64-column steps, of each group
  const int8_t* w = nullptr;  // panels [n / 32], each [depth][16][32][4]
  size_t w_stride = 0;        // bytes between panels
  int n = 0;
  const float* w_scale = nullptr;  // [n rounded up to 32], as are start and bias
  const int32_t* start = nullptr;  // −128 · Σ_k w[j, k]: a byte of 128 means 0
  const float* bias = nullptr;
  const float* residual = nullptr;  // [rows, n] or null, laid out as c; may be c itself
  const void* next = nullptr;       // what is read next and best fetched into L2; or null
  void* c = nullptr;
  // 16 bits are written to full panels, and have no residual; kBF16 where it is the table's
  // short_element, without activation.
  Element c_element = Element::kF32;
  size_t c_stride = 0;
  size_t c_panel = kInt8Block;          // of floats, as FloatRows'
  Activate activate = Activate::kNone;  // of kF16 only
  int32_t* scratch = nullptr;           // kInt8Scratch, one per thread, aligned to 64 bytes
};

/// Rows of floats → rotated (layout.h) → blocks of bytes and one scale a row: rotated x ≈ (u − 128)
/// · scale with scale = max|rotated x| / 127. A row with a NaN or an infinity has a scale that is
/// none.
struct QuantizeArgs {
  const void* x = nullptr;
  Element element = Element::kF32;  // or kF16
  size_t x_stride = 0;
  size_t x_panel = kInt8Block;  // of kF32, as FloatRows'
  int rows = 0;
  int width = 0;
  uint8_t* out = nullptr;    // blocks [.][depth][32][64]
  int depth = 0;             // width / 64, rounded up
  int first_row = 0;         // of `out`
  float* scale = nullptr;    // [rows]
  float* scratch = nullptr;  // [64 · depth], one per thread, aligned to 64 bytes
};

struct Table {
  const char* name;  // "scalar", "avx2", "avx512"

  int panel;               // columns of a packed weight panel
  int tile_rows;           // rows a product computes at once: row blocks are best a multiple of it
  size_t product_scratch;  // floats

  void (*product)(const ProductArgs&);
  void (*attention)(const AttentionArgs&);
  /// The same for an encoder in bytes: q, k and v are rounded to short_element where they are not
  /// of it yet, or, where that is fp32, to 11.5 bits or more of 16-bit fixed point if the table has
  /// an instruction for it.
  void (*attention_short)(const AttentionArgs&);

  void (*int8_product)(const Int8ProductArgs&);
  void (*quantize)(const QuantizeArgs&);

  /// x = (x − mean) / sqrt(variance + eps) · gain + bias over each row of `width`.
  void (*layer_norm)(FloatRows x, int rows, int width, const float* gain, const float* bias,
                     float eps);
  /// The first row of out: out[j] = a[j] + b[j] + c[j]; a from a row of `element`, b and c fp32 (c
  /// may be null).
  void (*embed)(const void* a, Element element, const float* b, const float* c, int width,
                FloatRows out);
  /// out[i] = float(in[i])
  void (*widen)(const void* in, Element element, size_t count, float* out);
  /// y[i] = activate(x[i]); for tests and heads.
  void (*activate)(Activate activate, const float* x, size_t count, float* y);
  /// y[i] = exp(x[i]), x ≤ 0; for tests.
  void (*exp_negative)(const float* x, size_t count, float* y);

  /// What attention_short calculates with; int8_product writes it too.
  Element short_element = Element::kF32;
};

/// Floats of AttentionArgs::scratch for sequences up to `length_max`.
size_t AttentionScratch(const Table& table, int length_max, int head_size);

}  // namespace podium::kernels

#endif  // PODIUM_KERNELS_KERNELS_H_
