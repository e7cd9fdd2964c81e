// 32 × 32 sums of bytes without VNNI, exact: vpmaddubsw would saturate (255 · 127 · 2 > 32767), so
// bytes 0 and 2 and bytes 1 and 3 of each 4 are widened to 16 bits and go through vpmaddwd. A
// product and its sum are two instructions for 16 multiply-adds on three ports of 256 bits: 24 a
// cycle, where fp32 has 16; of 512 bits there are two ports, and it is as many as fp32's. So that
// nothing else stands in the loop, weights and activations are widened a piece of columns at a
// time, both into L1.
struct SumScope {};

// Registers for kSumRows × 2 sums, 2 vectors of weights, a row's pair and its product.
constexpr int kSumRows = kLanes == 16 ? 8 : 4;

// How often SumBlock calls between().
inline int SumSteps(int) { return kInt8Block / kSumRows; }

// Steps of 64 columns in a piece: 128 columns are 8 KiB of weights and 8 KiB of activations, in the
// smallest L1 there is.
constexpr int kPieceSteps = 2;
constexpr int kPieceFours = kPieceSteps * kInt8Depth / 4;
constexpr int kVectorBytes = 4 * kLanes;

struct WidePiece {
  // Of each 4 columns and panel: 32 outputs' weights 0 and 2, then 1 and 3.
  alignas(64) int16_t weights[kPieceFours][2][2 * kInt8Block];
  // Of each row: activations 0 and 2 of all fours, then 1 and 3.
  alignas(64) int16_t rows[kInt8Block][2][2 * kPieceFours];
};

inline void WidenPiece(const uint8_t* a, const int8_t* w, int steps, WidePiece& piece) {
  for (int four = 0; four < steps * kInt8Depth / 4; ++four) {
    for (int at = 0; at < 4 * kInt8Block; at += kVectorBytes) {
      const Ints bytes = LoadInts(w + four * (4 * kInt8Block) + at);
      StoreInts(&piece.weights[four][0][at / 2], EvenSigned(bytes));
      StoreInts(&piece.weights[four][1][at / 2], OddSigned(bytes));
    }
  }
  for (int step = 0; step < steps; ++step) {
    for (int row = 0; row < kInt8Block; ++row) {
      const uint8_t* from = a + (step * kInt8Block + row) * kInt8Depth;
      for (int k = 0; k < kInt8Depth; k += kVectorBytes) {
        const Ints bytes = LoadInts(from + k);
        const int at = (step * kInt8Depth + k) / 2;
        StoreInts(&piece.rows[row][0][at], EvenUnsigned(bytes));
        StoreInts(&piece.rows[row][1][at], OddUnsigned(bytes));
      }
    }
  }
}

// kSumRows rows by two vectors; adds to what is in `sums` unless it is the first piece.
inline void SumPiece(const WidePiece& piece, int row, int column, int fours, bool first,
                     int32_t* sums) {
  Ints sum[kSumRows][2];
#pragma GCC unroll 8
  for (int i = 0; i < kSumRows; ++i) {
#pragma GCC unroll 2
    for (int v = 0; v < 2; ++v) {
      sum[i][v] = first ? ZeroInts() : LoadInts(sums + i * kInt8Block + v * kLanes);
    }
  }
  for (int four = 0; four < fours; ++four) {
#pragma GCC unroll 2
    for (int half = 0; half < 2; ++half) {
      Ints w[2];
#pragma GCC unroll 2
      for (int v = 0; v < 2; ++v) {
        w[v] = LoadInts(&piece.weights[four][half][2 * (column + v * kLanes)]);
      }
#pragma GCC unroll 8
      for (int i = 0; i < kSumRows; ++i) {
        int32_t two;
        __builtin_memcpy(&two, &piece.rows[row + i][half][2 * four], 4);
        const Ints pair = Set1Int(two);
#pragma GCC unroll 2
        for (int v = 0; v < 2; ++v) sum[i][v] = DotPairs(sum[i][v], pair, w[v]);
      }
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < kSumRows; ++i) {
#pragma GCC unroll 2
    for (int v = 0; v < 2; ++v) StoreInts(sums + i * kInt8Block + v * kLanes, sum[i][v]);
  }
}

template <typename Between>
inline void SumBlock(const uint8_t* a, const int8_t* w, int depth, int32_t* sums,
                     Between&& between) {
  WidePiece piece;
  for (int at = 0; at < depth; at += kPieceSteps) {
    const int steps = depth - at < kPieceSteps ? depth - at : kPieceSteps;
    WidenPiece(a + at * (kInt8Block * kInt8Depth), w + at * (kInt8Depth * kInt8Block), steps,
               piece);
    for (int row = 0; row < kInt8Block; row += kSumRows) {
      if (at == 0) between();
      for (int column = 0; column < kInt8Block; column += 2 * kLanes) {
        SumPiece(piece, row, column, steps * kInt8Depth / 4, at == 0,
                 sums + row * kInt8Block + column);
      }
    }
  }
}
