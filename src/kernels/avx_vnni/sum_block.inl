// 32 × 32 sums of bytes with vpdpbusd on 8 lanes: half a panel (2 vectors) at a time, 5 or 6 rows.
// 10 to 12 accumulators cover 5 cycles × 2 ports, and with 2 vectors of weights and a row's 4 bytes
// fit in 16 registers.
struct SumScope {};

// How often SumBlock calls between().
inline int SumSteps(int) { return 6; }

template <int kRows>
inline void SumRows(const uint8_t* a, const int8_t* w, int depth, int32_t* sums) {
  __m256i sum[kRows][2];
#pragma GCC unroll 8
  for (int i = 0; i < kRows; ++i) sum[i][0] = sum[i][1] = _mm256_setzero_si256();
  for (int step = 0; step < depth; ++step) {
#pragma GCC unroll 2
    for (int k = 0; k < kInt8Depth; k += 4) {
      const __m256i w0 = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(w));
      const __m256i w1 = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(w + 32));
#pragma GCC unroll 8
      for (int i = 0; i < kRows; ++i) {
        int32_t bytes;
        __builtin_memcpy(&bytes, a + i * kInt8Depth + k, 4);
        const __m256i four_bytes = _mm256_set1_epi32(bytes);
        sum[i][0] = _mm256_dpbusd_avx_epi32(sum[i][0], four_bytes, w0);
        sum[i][1] = _mm256_dpbusd_avx_epi32(sum[i][1], four_bytes, w1);
      }
      w += 4 * kInt8Block;
    }
    a += kInt8Block * kInt8Depth;
  }
#pragma GCC unroll 8
  for (int i = 0; i < kRows; ++i) {
    __m256i* out = reinterpret_cast<__m256i*>(sums + i * kInt8Block);
    _mm256_storeu_si256(out, sum[i][0]);
    _mm256_storeu_si256(out + 1, sum[i][1]);
  }
}

template <typename Between>
inline void SumBlock(const uint8_t* a, const int8_t* w, int depth, int32_t* sums,
                     Between&& between) {
  constexpr int kHalf = 2 * kLanes;  // columns
  constexpr int kSixes = 2;          // 2 · 6 + 4 · 5 = 32 rows
  int first = 0;
  for (int group = 0; group < SumSteps(depth); ++group) {
    between();
    const uint8_t* rows = a + first * kInt8Depth;
    for (int column = 0; column < kInt8Block; column += kHalf) {
      int32_t* out = sums + first * kInt8Block + column;
      if (group < kSixes) {
        SumRows<6>(rows, w + column * 4, depth, out);
      } else {
        SumRows<5>(rows, w + column * 4, depth, out);
      }
    }
    first += group < kSixes ? 6 : 5;
  }
}

// sum[i] + the products of pair i of a and of b, added.
inline Ints DotPairs(Ints sum, Ints a, Ints b) { return _mm256_dpwssd_avx_epi32(sum, a, b); }
