// 32 × 32 sums of bytes without VNNI, exact: vpmaddubsw would saturate (255 · 127 · 2 > 32767), so
// bytes 0 and 2 and bytes 1 and 3 of each 4 are widened to 16 bits and go through vpmaddwd. A
// product and its sum are two instructions for 16 multiply-adds on three ports: 24 a cycle, where
// fp32 has 16. So that nothing else stands in the loop, weights and activations are widened a piece
// of columns at a time, both into L1.
struct SumScope {};

// How often SumBlock calls between().
inline int SumSteps(int) { return kInt8Block / 4; }

// Steps of 64 columns in a piece: 128 columns are 8 KiB of weights and 8 KiB of activations, in the
// smallest L1 there is.
constexpr int kPieceSteps = 2;
constexpr int kPieceFours = kPieceSteps * kInt8Depth / 4;

struct WidePiece {
  // Of each 4 columns and panel: 32 outputs' weights 0 and 2, then 1 and 3.
  alignas(64) int16_t weights[kPieceFours][2][2 * kInt8Block];
  // Of each row: activations 0 and 2 of all fours, then 1 and 3.
  alignas(64) int16_t rows[kInt8Block][2][2 * kPieceFours];
};

inline void WidenPiece(const uint8_t* a, const int8_t* w, int steps, WidePiece& piece) {
  for (int four = 0; four < steps * kInt8Depth / 4; ++four) {
    for (int v = 0; v < 4; ++v) {
      const __m256i bytes = LoadInts(w + (four * 4 + v) * 32);
      StoreInts(&piece.weights[four][0][v * 16], _mm256_srai_epi16(_mm256_slli_epi16(bytes, 8), 8));
      StoreInts(&piece.weights[four][1][v * 16], _mm256_srai_epi16(bytes, 8));
    }
  }
  for (int step = 0; step < steps; ++step) {
    for (int row = 0; row < kInt8Block; ++row) {
      const uint8_t* from = a + (step * kInt8Block + row) * kInt8Depth;
      for (int k = 0; k < kInt8Depth; k += 32) {
        const __m256i bytes = LoadInts(from + k);
        const int at = (step * kInt8Depth + k) / 2;
        StoreInts(&piece.rows[row][0][at], _mm256_and_si256(bytes, _mm256_set1_epi16(255)));
        StoreInts(&piece.rows[row][1][at], _mm256_srli_epi16(bytes, 8));
      }
    }
  }
}

// Four rows by half a panel; adds to what is in `sums` unless it is the first piece.
inline void SumPiece(const WidePiece& piece, int row, int column, int fours, bool first,
                     int32_t* sums) {
  constexpr int kRows = 4;
  __m256i sum[kRows][2];
#pragma GCC unroll 4
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 2
    for (int v = 0; v < 2; ++v) {
      sum[i][v] = first ? _mm256_setzero_si256() : LoadInts(sums + i * kInt8Block + v * kLanes);
    }
  }
  for (int four = 0; four < fours; ++four) {
#pragma GCC unroll 2
    for (int half = 0; half < 2; ++half) {
      __m256i w[2];
#pragma GCC unroll 2
      for (int v = 0; v < 2; ++v) w[v] = LoadInts(&piece.weights[four][half][2 * column + v * 16]);
#pragma GCC unroll 4
      for (int i = 0; i < kRows; ++i) {
        int32_t two;
        __builtin_memcpy(&two, &piece.rows[row + i][half][2 * four], 4);
        const __m256i pair = _mm256_set1_epi32(two);
#pragma GCC unroll 2
        for (int v = 0; v < 2; ++v) {
          sum[i][v] = _mm256_add_epi32(sum[i][v], _mm256_madd_epi16(pair, w[v]));
          // In this order: a compiler that adds the products of both halves first, as it may with
          // integers, runs out of registers.
          asm("" : "+x"(sum[i][v]));
        }
      }
    }
  }
#pragma GCC unroll 4
  for (int i = 0; i < kRows; ++i) {
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
    for (int row = 0; row < kInt8Block; row += 4) {
      if (at == 0) between();
      for (int column = 0; column < kInt8Block; column += 2 * kLanes) {
        SumPiece(piece, row, column, steps * kInt8Depth / 4, at == 0,
                 sums + row * kInt8Block + column);
      }
    }
  }
}

// sum[i] + the products of pair i of a and of b, added.
inline Ints DotPairs(Ints sum, Ints a, Ints b) {
  sum = _mm256_add_epi32(sum, _mm256_madd_epi16(a, b));
  asm("" : "+x"(sum));  // as in SumPiece
  return sum;
}
