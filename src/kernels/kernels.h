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
/// [0, length). Rows of q, k, v and out are `stride`, `stride`, `stride` and `out_stride` elements
/// apart.
struct AttentionArgs {
  const float* q = nullptr;
  const float* k = nullptr;
  const float* v = nullptr;
  size_t q_stride = 0;
  size_t kv_stride = 0;
  int queries = 0;
  int length = 0;
  int head_size = 0;  // a multiple of 8, at most kHeadSizeMax
  float scale = 1;
  float* out = nullptr;
  size_t out_stride = 0;
  float* scratch =
      nullptr;  // AttentionScratch(length, head_size) floats, one per thread, aligned to 64 bytes
};

constexpr int kHeadSizeMax = 256;

struct Table {
  const char* name;  // "scalar", "avx2", "avx512"

  int panel;               // columns of a packed weight panel
  int tile_rows;           // rows a product computes at once: row blocks are best a multiple of it
  size_t product_scratch;  // floats

  void (*product)(const ProductArgs&);
  void (*attention)(const AttentionArgs&);

  /// out = (x − mean) / sqrt(variance + eps) · gain + bias over each row of `width`; out may be x.
  void (*layer_norm)(const float* x, size_t x_stride, int rows, int width, const float* gain,
                     const float* bias, float eps, float* out, size_t out_stride);
  /// out[j] = a[j] + b[j] + c[j]; a from a row of `element`, b and c fp32 (c may be null).
  void (*embed)(const void* a, Element element, const float* b, const float* c, int width,
                float* out);
  /// out[i] = float(in[i])
  void (*widen)(const void* in, Element element, size_t count, float* out);
  /// y[i] = activate(x[i]); for tests and heads.
  void (*activate)(Activate activate, const float* x, size_t count, float* y);
  /// y[i] = exp(x[i]), x ≤ 0; for tests.
  void (*exp_negative)(const float* x, size_t count, float* y);
};

/// Floats of AttentionArgs::scratch for sequences up to `length_max`.
size_t AttentionScratch(const Table& table, int length_max, int head_size);

}  // namespace podium::kernels

#endif  // PODIUM_KERNELS_KERNELS_H_
