// Pairs of 16-bit integers in 32 bits. DotPairs is of the including table.
using Ints = __m256i;
inline Ints ZeroInts() { return _mm256_setzero_si256(); }
inline Ints Set1Int(int32_t x) { return _mm256_set1_epi32(x); }
inline Ints LoadInts(const void* p) { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); }
inline void StoreInts(void* p, Ints x) { _mm256_storeu_si256(static_cast<__m256i*>(p), x); }
inline Ints AddInts(Ints a, Ints b) { return _mm256_add_epi32(a, b); }
inline Ints MaxInts(Ints a, Ints b) { return _mm256_max_epi32(a, b); }
inline int32_t ReduceAddInts(Ints x) {
  __m128i sum = _mm_add_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
  sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0x4E));
  return _mm_cvtsi128_si32(_mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0xB1)));
}
inline int32_t ReduceMaxInts(Ints x) {
  __m128i top = _mm_max_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
  top = _mm_max_epi32(top, _mm_shuffle_epi32(top, 0x4E));
  return _mm_cvtsi128_si32(_mm_max_epi32(top, _mm_shuffle_epi32(top, 0xB1)));
}
inline Ints ToInts(Vec x) { return _mm256_cvtps_epi32(x); }  // to nearest; NaN is the least
inline Vec ToFloats(Ints x) { return _mm256_cvtepi32_ps(x); }
inline Ints AsInts(Vec x) { return _mm256_castps_si256(x); }
inline Vec AsFloats(Ints x) { return _mm256_castsi256_ps(x); }
// The numbers of low, then those of high, as 16 bits each, saturated.
inline Ints PackPairs(Ints low, Ints high) {
  return _mm256_permute4x64_epi64(_mm256_packs_epi32(low, high), 0xD8);
}
// Pair i is (even[i], odd[i]), neither beyond 16 bits.
inline Ints JoinPairs(Ints even, Ints odd) {
  return _mm256_blend_epi16(even, _mm256_slli_epi32(odd, 16), 0xAA);
}
// Of each 16 bits: a · b / 2^15, rounded.
inline Ints MulRoundHalves(Ints a, Ints b) { return _mm256_mulhrs_epi16(a, b); }
// Bytes 0 and 2, or 1 and 3, of each 4 as 16 bits.
inline Ints EvenSigned(Ints x) { return _mm256_srai_epi16(_mm256_slli_epi16(x, 8), 8); }
inline Ints OddSigned(Ints x) { return _mm256_srai_epi16(x, 8); }
inline Ints EvenUnsigned(Ints x) { return _mm256_and_si256(x, _mm256_set1_epi16(255)); }
inline Ints OddUnsigned(Ints x) { return _mm256_srli_epi16(x, 8); }
