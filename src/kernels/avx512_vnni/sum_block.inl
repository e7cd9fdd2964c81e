// 32 × 32 sums of bytes with vpdpbusd, 4 products a lane: 8 rows × 2 vectors = 16 accumulators,
// which cover 5 cycles × 2 ports. A row's 4 bytes are broadcast by the load port.
struct SumScope {};

// How often SumBlock calls between().
inline int SumSteps(int) { return kInt8Block / 8; }

template <typename Between>
inline void SumBlock(const uint8_t* a, const int8_t* w, int depth, int32_t* sums,
                     Between&& between) {
  constexpr int kRows = 8;
  for (int first = 0; first < kInt8Block; first += kRows) {
    between();
    __m512i sum[kRows][2];
#pragma GCC unroll 8
    for (int i = 0; i < kRows; ++i) sum[i][0] = sum[i][1] = _mm512_setzero_si512();
    const uint8_t* x = a + first * kInt8Depth;
    const int8_t* four = w;
    for (int step = 0; step < depth; ++step) {
#pragma GCC unroll 2
      for (int k = 0; k < kInt8Depth; k += 4) {
        const __m512i w0 = _mm512_loadu_si512(four);
        const __m512i w1 = _mm512_loadu_si512(four + 64);
#pragma GCC unroll 8
        for (int i = 0; i < kRows; ++i) {
          int32_t bytes;
          __builtin_memcpy(&bytes, x + i * kInt8Depth + k, 4);
          const __m512i four_bytes = _mm512_set1_epi32(bytes);
          sum[i][0] = _mm512_dpbusd_epi32(sum[i][0], four_bytes, w0);
          sum[i][1] = _mm512_dpbusd_epi32(sum[i][1], four_bytes, w1);
        }
        four += 4 * kInt8Block;
      }
      x += kInt8Block * kInt8Depth;
    }
#pragma GCC unroll 8
    for (int i = 0; i < kRows; ++i) {
      _mm512_storeu_si512(sums + (first + i) * kInt8Block, sum[i][0]);
      _mm512_storeu_si512(sums + (first + i) * kInt8Block + kLanes, sum[i][1]);
    }
  }
}
