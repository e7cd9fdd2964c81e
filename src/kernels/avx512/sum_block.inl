// 32 × 32 sums of bytes without VNNI, exact: as in avx2/sum_block.inl, with 8 rows × 2 vectors.
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
      for (int k = 0; k < kInt8Depth; k += 4) {
        const __m512i w0 = _mm512_loadu_si512(four);
        const __m512i w1 = _mm512_loadu_si512(four + 64);
        const __m512i w0_even = _mm512_srai_epi16(_mm512_slli_epi16(w0, 8), 8);
        const __m512i w0_odd = _mm512_srai_epi16(w0, 8);
        const __m512i w1_even = _mm512_srai_epi16(_mm512_slli_epi16(w1, 8), 8);
        const __m512i w1_odd = _mm512_srai_epi16(w1, 8);
#pragma GCC unroll 8
        for (int i = 0; i < kRows; ++i) {
          int32_t bytes;
          __builtin_memcpy(&bytes, x + i * kInt8Depth + k, 4);
          const __m512i four_bytes = _mm512_set1_epi32(bytes);
          const __m512i even = _mm512_and_si512(four_bytes, _mm512_set1_epi16(255));
          const __m512i odd = _mm512_srli_epi16(four_bytes, 8);
          sum[i][0] = _mm512_add_epi32(sum[i][0], _mm512_madd_epi16(even, w0_even));
          sum[i][0] = _mm512_add_epi32(sum[i][0], _mm512_madd_epi16(odd, w0_odd));
          sum[i][1] = _mm512_add_epi32(sum[i][1], _mm512_madd_epi16(even, w1_even));
          sum[i][1] = _mm512_add_epi32(sum[i][1], _mm512_madd_epi16(odd, w1_odd));
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

// sum[i] + the products of pair i of a and of b, added.
inline Ints DotPairs(Ints sum, Ints a, Ints b) {
  return _mm512_add_epi32(sum, _mm512_madd_epi16(a, b));
}
