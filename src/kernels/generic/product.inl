// c = activate(a · wᵀ + bias) + residual over packed weights.
//
//   for chunk of kChunkRows rows              accumulators of chunk × panel live in scratch (L1/L2)
//     for panel of kPanel outputs
//       for block of k                        the block of weights is in L1, widened there once when 16-bit
//         for tile of kTileRows rows          accumulators in registers: loaded, kBlock steps, stored
//       epilogue over the chunk
//
// Blocks of k only spill and reload the accumulators: the sum stays one chain (kernels.h).

constexpr int kPanel = 2 * kLanes;

// acc[ROWS][kPanel] (+)= a[ROWS][k] · b[k][kPanel]; `fresh` starts the chains at zero.
template <int ROWS>
inline void Tile(const float* a, size_t a_stride, const float* b, int k, float* acc, bool fresh) {
  Vec sum[ROWS][2];
#pragma GCC unroll 16
  for (int i = 0; i < ROWS; ++i) {
    sum[i][0] = fresh ? Zero() : Load(acc + i * kPanel);
    sum[i][1] = fresh ? Zero() : Load(acc + i * kPanel + kLanes);
  }
  for (int step = 0; step < k; ++step) {
    const Vec b0 = Load(b);
    const Vec b1 = Load(b + kLanes);
#pragma GCC unroll 16
    for (int i = 0; i < ROWS; ++i) {
      const Vec x = Set1(a[static_cast<size_t>(i) * a_stride + static_cast<size_t>(step)]);
      sum[i][0] = Fma(x, b0, sum[i][0]);
      sum[i][1] = Fma(x, b1, sum[i][1]);
    }
    b += kPanel;
  }
#pragma GCC unroll 16
  for (int i = 0; i < ROWS; ++i) {
    Store(acc + i * kPanel, sum[i][0]);
    Store(acc + i * kPanel + kLanes, sum[i][1]);
  }
}

using TileFunction = void (*)(const float*, size_t, const float*, int, float*, bool);

// The last rows of a chunk: the same chains with fewer of them.
template <int ROWS>
inline void TailTile(int rows, const float* a, size_t a_stride, const float* b, int k, float* acc,
                     bool fresh) {
  if constexpr (ROWS > 0) {
    if (rows == ROWS) {
      Tile<ROWS>(a, a_stride, b, k, acc, fresh);
    } else {
      TailTile<ROWS - 1>(rows, a, a_stride, b, k, acc, fresh);
    }
  }
}

// acc[rows][kPanel] (+)= a · b over tiles.
inline void Tiles(int rows, const float* a, size_t a_stride, const float* b, int k, float* acc,
                  bool fresh) {
  int row = 0;
  for (; row + kTileRows <= rows; row += kTileRows) {
    Tile<kTileRows>(a + static_cast<size_t>(row) * a_stride, a_stride, b, k, acc + row * kPanel,
                    fresh);
  }
  TailTile<kTileRows - 1>(rows - row, a + static_cast<size_t>(row) * a_stride, a_stride, b, k,
                          acc + row * kPanel, fresh);
}

inline void WidenInto(const void* in, Element element, size_t first, size_t count, float* out) {
  if (element == Element::kF16) {
    const uint16_t* from = static_cast<const uint16_t*>(in) + first;
    for (size_t i = 0; i < count; i += kLanes) Store(out + i, LoadF16(from + i));
  } else {
    const uint16_t* from = static_cast<const uint16_t*>(in) + first;
    for (size_t i = 0; i < count; i += kLanes) Store(out + i, LoadBF16(from + i));
  }
}

constexpr size_t kProductScratch = static_cast<size_t>(kBlockK + kChunkRows) * kPanel;

inline void Epilogue(const ProductArgs& args, const float* acc, int row_begin, int rows, int column) {
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
        const float* b = widened;
        if (args.w.element == Element::kF32) {
          b = static_cast<const float*>(args.w.data) + first;
        } else {
          WidenInto(args.w.data, args.w.element, first, static_cast<size_t>(steps) * kPanel,
                    widened);
        }
        Tiles(rows, args.a + static_cast<size_t>(row) * args.a_stride + begin, args.a_stride, b,
              steps, acc, begin == 0);
      }
      Epilogue(args, acc, row, rows, column);
    }
  }
}
