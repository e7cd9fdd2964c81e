// Pairs of 16-bit integers in 32 bits. DotPairs is of the including table.
using Ints = __m512i;
inline Ints ZeroInts() { return _mm512_setzero_si512(); }
inline Ints Set1Int(int32_t x) { return _mm512_set1_epi32(x); }
inline Ints LoadInts(const void* p) { return _mm512_loadu_si512(p); }
inline void StoreInts(void* p, Ints x) { _mm512_storeu_si512(p, x); }
inline Ints AddInts(Ints a, Ints b) { return _mm512_add_epi32(a, b); }
inline Ints MaxInts(Ints a, Ints b) { return _mm512_max_epi32(a, b); }
inline int32_t ReduceAddInts(Ints x) { return _mm512_reduce_add_epi32(x); }
inline int32_t ReduceMaxInts(Ints x) { return _mm512_reduce_max_epi32(x); }
inline Ints ToInts(Vec x) { return _mm512_cvtps_epi32(x); }  // to nearest; NaN is the least
inline Vec ToFloats(Ints x) { return _mm512_cvtepi32_ps(x); }
inline Ints AsInts(Vec x) { return _mm512_castps_si512(x); }
inline Vec AsFloats(Ints x) { return _mm512_castsi512_ps(x); }
// The numbers of low, then those of high, as 16 bits each, saturated.
inline Ints PackPairs(Ints low, Ints high) {
  return _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7),
                                  _mm512_packs_epi32(low, high));
}
// Pair i is (even[i], odd[i]), neither beyond 16 bits.
inline Ints JoinPairs(Ints even, Ints odd) {
  return _mm512_mask_blend_epi16(0xAAAAAAAAu, even, _mm512_slli_epi32(odd, 16));
}
// Of each 16 bits: a · b / 2^15, rounded.
inline Ints MulRoundHalves(Ints a, Ints b) { return _mm512_mulhrs_epi16(a, b); }
// Bytes 0 and 2, or 1 and 3, of each 4 as 16 bits.
inline Ints EvenSigned(Ints x) { return _mm512_srai_epi16(_mm512_slli_epi16(x, 8), 8); }
inline Ints OddSigned(Ints x) { return _mm512_srai_epi16(x, 8); }
inline Ints EvenUnsigned(Ints x) { return _mm512_and_si512(x, _mm512_set1_epi16(255)); }
inline Ints OddUnsigned(Ints x) { return _mm512_srli_epi16(x, 8); }
