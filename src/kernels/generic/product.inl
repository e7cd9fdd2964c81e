// c = activate(a · wᵀ + bias) + residual over packed weights.
//
//   for chunk of kChunkRows rows              accumulators of chunk × panel live in scratch (L1/L2)
//     for panel of kPanel outputs
//       for block of k                        the block of weights is in L1, widened there once
//       when 16-bit
//         for tile of kTileRows rows          accumulators in registers: loaded, kBlock steps,
//         stored
//       epilogue over the chunk
//
// Blocks of k only spill and reload the accumulators: the sum stays one chain (kernels.h).

constexpr int kPanel = 2 * kLanes;

// What the next block of weights will need: while one block is multiplied, the next is fetched into
// L2, a little at each step.
struct Prefetch {
  const char* next = nullptr;
  int bytes_per_step = 0;
};

// acc[ROWS][kPanel] (+)= a[ROWS][k] · b[k][kPanel]; `fresh` starts the chains at zero.
template <int ROWS>
inline void Tile(const float* a, size_t a_stride, const float* b, int k, float* acc, bool fresh,
                 Prefetch prefetch) {
  Vec sum[ROWS][2];
#pragma GCC unroll 16
  for (int i = 0; i < ROWS; ++i) {
    sum[i][0] = fresh ? Zero() : Load(acc + i * kPanel);
    sum[i][1] = fresh ? Zero() : Load(acc + i * kPanel + kLanes);
  }
  // One pointer for three rows: a register for each row would not fit beside the loop's own.
  constexpr int kGroups = (ROWS + 2) / 3;
  const float* group[kGroups];
#pragma GCC unroll 16
  for (int g = 0; g < kGroups; ++g) group[g] = a + static_cast<size_t>(3 * g) * a_stride;
  for (int step = 0; step < k; ++step) {
    __builtin_prefetch(prefetch.next, 0, 2);
    prefetch.next += prefetch.bytes_per_step;
    const Vec b0 = Load(b);
    const Vec b1 = Load(b + kLanes);
#pragma GCC unroll 16
    for (int i = 0; i < ROWS; ++i) {
      const Vec x = Set1(group[i / 3][static_cast<size_t>(i % 3) * a_stride]);
      sum[i][0] = Fma(x, b0, sum[i][0]);
      sum[i][1] = Fma(x, b1, sum[i][1]);
    }
#pragma GCC unroll 16
    for (int g = 0; g < kGroups; ++g) ++group[g];
    b += kPanel;
  }
#pragma GCC unroll 16
  for (int i = 0; i < ROWS; ++i) {
    Store(acc + i * kPanel, sum[i][0]);
    Store(acc + i * kPanel + kLanes, sum[i][1]);
  }
}

// The last rows of a chunk: the same chains, fewer of them.
template <int ROWS>
inline void TailTile(int rows, const float* a, size_t a_stride, const float* b, int k, float* acc,
                     bool fresh, Prefetch prefetch) {
  if constexpr (ROWS > 0) {
    if (rows == ROWS) {
      Tile<ROWS>(a, a_stride, b, k, acc, fresh, prefetch);
    } else {
      TailTile<ROWS - 1>(rows, a, a_stride, b, k, acc, fresh, prefetch);
    }
  }
}

// acc[rows][kPanel] (+)= a · b over tiles, while `next_bytes` at `next` are fetched.
inline void Tiles(int rows, const float* a, size_t a_stride, const float* b, int k, float* acc,
                  bool fresh, const void* next, size_t next_bytes) {
  const int tiles = (rows + kTileRows - 1) / kTileRows;
  Prefetch prefetch;
  prefetch.next = static_cast<const char*>(next);
  prefetch.bytes_per_step = static_cast<int>(next_bytes / static_cast<size_t>(tiles * k));
  int row = 0;
  for (; row + kTileRows <= rows; row += kTileRows) {
    Tile<kTileRows>(a + static_cast<size_t>(row) * a_stride, a_stride, b, k, acc + row * kPanel,
                    fresh, prefetch);
    prefetch.next += static_cast<ptrdiff_t>(prefetch.bytes_per_step) * k;
  }
  TailTile<kTileRows - 1>(rows - row, a + static_cast<size_t>(row) * a_stride, a_stride, b, k,
                          acc + row * kPanel, fresh, prefetch);
}

inline void WidenInto(const void* in, Element element, size_t first, size_t count, float* out) {
  const uint16_t* from = static_cast<const uint16_t*>(in) + first;
  if (element == Element::kF16) {
    for (size_t i = 0; i < count; i += kLanes) Store(out + i, LoadF16(from + i));
  } else {
    for (size_t i = 0; i < count; i += kLanes) Store(out + i, LoadBF16(from + i));
  }
}

constexpr size_t kProductScratch = static_cast<size_t>(kBlockK + kChunkRows) * kPanel;

inline void Epilogue(const ProductArgs& args, const float* acc, int row_begin, int rows,
                     int column) {
  const int left = args.w.n - column;
  for (int half = 0; half < 2; ++half) {
    const int first = half * kLanes;
    const int lanes = left - first < kLanes ? left - first : kLanes;
    if (lanes <= 0) return;
    const Vec bias = LoadPartial(args.bias + column + first, lanes);
    for (int i = 0; i < rows; ++i) {
      const size_t row = static_cast<size_t>(row_begin + i);
      Vec y = Apply(args.activate, Add(Load(acc + i * kPanel + first), bias));
      if (args.residual != nullptr) {
        y = Add(y, LoadPartial(args.residual + row * args.residual_stride +
                                   static_cast<size_t>(column + first),
                               lanes));
      }
      StorePartial(args.c + row * args.c_stride + static_cast<size_t>(column + first), lanes, y);
    }
  }
}

void Product(const ProductArgs& args) {
  const int k = args.w.k;
  const int blocks = (k + kBlockK - 1) / kBlockK;
  const int block_k = blocks > 0 ? (k + blocks - 1) / blocks : 0;  // equal blocks
  float* widened = args.scratch;
  float* acc = args.scratch + static_cast<size_t>(kBlockK) * kPanel;
  for (int row = 0; row < args.rows; row += kChunkRows) {
    const int rows = args.rows - row < kChunkRows ? args.rows - row : kChunkRows;
    for (int column = 0; column < args.w.n; column += kPanel) {
      const size_t panel = static_cast<size_t>(column) * static_cast<size_t>(k);
      for (int begin = 0; begin < k; begin += block_k) {
        const int steps = k - begin < block_k ? k - begin : block_k;
        const size_t first = panel + static_cast<size_t>(begin) * kPanel;
        const auto count = static_cast<size_t>(steps) * kPanel;
        const size_t element_bytes = args.w.element == Element::kF32 ? 4 : 2;
        const float* b = widened;
        if (args.w.element == Element::kF32) {
          b = static_cast<const float*>(args.w.data) + first;
        } else {
          WidenInto(args.w.data, args.w.element, first, count, widened);
        }
        // Blocks lie one after the other, so the next one starts where this one ends. (Past the
        // last it is only a wasted hint.)
        Tiles(rows, args.a + static_cast<size_t>(row) * args.a_stride + begin, args.a_stride, b,
              steps, acc, begin == 0,
              static_cast<const char*>(args.w.data) + (first + count) * element_bytes,
              count * element_bytes);
      }
      Epilogue(args, acc, row, rows, column);
    }
  }
}
