// 32 × 32 sums of bytes without VNNI, exact: vpmaddubsw would saturate (255 · 127 · 2 > 32767), so
// bytes 0 and 2 and bytes 1 and 3 of each 4 are widened to 16 bits and go through vpmaddwd.
struct SumScope {};

// How often SumBlock calls between().
inline int SumSteps(int) { return kInt8Block / 2; }

template <typename Between>
inline void SumBlock(const uint8_t* a, const int8_t* w, int depth, int32_t* sums,
                     Between&& between) {
  constexpr int kRows = 2;  // × 4 vectors = 8 accumulators
  for (int first = 0; first < kInt8Block; first += kRows) {
    between();
    __m256i sum[kRows][4];
#pragma GCC unroll 2
    for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 4
      for (int v = 0; v < 4; ++v) sum[i][v] = _mm256_setzero_si256();
    }
    const uint8_t* x = a + first * kInt8Depth;
    const int8_t* four = w;
    for (int step = 0; step < depth; ++step) {
      for (int k = 0; k < kInt8Depth; k += 4) {
        __m256i even[kRows], odd[kRows];
#pragma GCC unroll 2
        for (int i = 0; i < kRows; ++i) {
          int32_t bytes;
          __builtin_memcpy(&bytes, x + i * kInt8Depth + k, 4);
          const __m256i four_bytes = _mm256_set1_epi32(bytes);
          even[i] = _mm256_and_si256(four_bytes, _mm256_set1_epi16(255));
          odd[i] = _mm256_srli_epi16(four_bytes, 8);
        }
#pragma GCC unroll 4
        for (int v = 0; v < 4; ++v) {
          const __m256i weights =
              _mm256_loadu_si256(reinterpret_cast<const __m256i*>(four + v * 32));
          const __m256i w_even = _mm256_srai_epi16(_mm256_slli_epi16(weights, 8), 8);
          const __m256i w_odd = _mm256_srai_epi16(weights, 8);
#pragma GCC unroll 2
          for (int i = 0; i < kRows; ++i) {
            sum[i][v] = _mm256_add_epi32(sum[i][v], _mm256_madd_epi16(even[i], w_even));
            sum[i][v] = _mm256_add_epi32(sum[i][v], _mm256_madd_epi16(odd[i], w_odd));
          }
        }
        four += 4 * kInt8Block;
      }
      x += kInt8Block * kInt8Depth;
    }
#pragma GCC unroll 2
    for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 4
      for (int v = 0; v < 4; ++v) {
        _mm256_storeu_si256(
            reinterpret_cast<__m256i*>(sums + (first + i) * kInt8Block + v * kLanes), sum[i][v]);
      }
    }
  }
}
