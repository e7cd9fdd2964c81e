// 32 × 32 sums of bytes with vpdpbusd, 4 products a lane: 11, 11 and 10 rows × 2 vectors. A step of
// 4 products takes 2 loads of weights and one per row, whose 4 bytes the load port broadcasts: with
// 22 accumulators 13 loads for 22 products, with 8 rows (10 for 16) the sums ran at 86 instead of
// 95 % of the peak. All 16 steps of a line stand in a row, without a loop's counting between them.
struct SumScope {};

// How often SumBlock calls between().
inline int SumSteps(int) { return 3; }

template <int kRows>
inline void SumRows(const uint8_t* a, const int8_t* w, int depth, int32_t* sums) {
  __m512i sum[kRows][2];
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i) sum[i][0] = sum[i][1] = _mm512_setzero_si512();
  for (int step = 0; step < depth; ++step) {
#pragma GCC unroll 16
    for (int k = 0; k < kInt8Depth; k += 4) {
      const __m512i w0 = _mm512_loadu_si512(w);
      const __m512i w1 = _mm512_loadu_si512(w + 64);
#pragma GCC unroll 16
      for (int i = 0; i < kRows; ++i) {
        int32_t bytes;
        __builtin_memcpy(&bytes, a + i * kInt8Depth + k, 4);
        const __m512i four_bytes = _mm512_set1_epi32(bytes);
        sum[i][0] = _mm512_dpbusd_epi32(sum[i][0], four_bytes, w0);
        sum[i][1] = _mm512_dpbusd_epi32(sum[i][1], four_bytes, w1);
      }
      w += 4 * kInt8Block;
    }
    a += kInt8Block * kInt8Depth;
  }
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i) {
    _mm512_storeu_si512(sums + i * kInt8Block, sum[i][0]);
    _mm512_storeu_si512(sums + i * kInt8Block + kLanes, sum[i][1]);
  }
}

template <typename Between>
inline void SumBlock(const uint8_t* a, const int8_t* w, int depth, int32_t* sums,
                     Between&& between) {
  between();
  SumRows<11>(a, w, depth, sums);
  between();
  SumRows<11>(a + 11 * kInt8Depth, w, depth, sums + 11 * kInt8Block);
  between();
  SumRows<10>(a + 22 * kInt8Depth, w, depth, sums + 22 * kInt8Block);
}

// sum[i] + the products of pair i of a and of b, added.
inline Ints DotPairs(Ints sum, Ints a, Ints b) { return _mm512_dpwssd_epi32(sum, a, b); }
