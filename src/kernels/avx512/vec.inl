// Vec of the AVX-512 table: 16 fp32 lanes. Partial loads fill with zeros and touch no memory past
// `lanes`.
using Vec = __m512;
constexpr int kLanes = 16;
// 12 rows × 2 vectors = 24 accumulators, 2 weights, the rest for broadcasts: 32 registers, and 24
// independent chains cover 4 cycles × 2 ports of FMA three times over.
constexpr int kTileRows = 12;
constexpr int kBlockK = 256;  // 256 × 32 × 4 B = 32 KiB of weights, two thirds of a 48 KiB L1
constexpr int kChunkRows =
    192;  // a multiple of kTileRows; a weight block is used 16 times before it leaves L1

inline __mmask16 First(int lanes) { return static_cast<__mmask16>((1u << lanes) - 1u); }
inline Vec Zero() { return _mm512_setzero_ps(); }
inline Vec Set1(float x) { return _mm512_set1_ps(x); }
inline Vec Load(const float* p) { return _mm512_loadu_ps(p); }
inline void Store(float* p, Vec x) { _mm512_storeu_ps(p, x); }
inline Vec LoadPartial(const float* p, int lanes) { return _mm512_maskz_loadu_ps(First(lanes), p); }
inline void StorePartial(float* p, int lanes, Vec x) { _mm512_mask_storeu_ps(p, First(lanes), x); }
inline Vec KeepFirst(Vec x, int lanes) { return _mm512_maskz_mov_ps(First(lanes), x); }
inline Vec Add(Vec a, Vec b) { return _mm512_add_ps(a, b); }
inline Vec Sub(Vec a, Vec b) { return _mm512_sub_ps(a, b); }
inline Vec Mul(Vec a, Vec b) { return _mm512_mul_ps(a, b); }
inline Vec Div(Vec a, Vec b) { return _mm512_div_ps(a, b); }
inline Vec Fma(Vec a, Vec b, Vec c) { return _mm512_fmadd_ps(a, b, c); }
// x86 max and min return the second operand when one is NaN; callers put the value that may be NaN
// there.
inline Vec Max(Vec a, Vec b) { return _mm512_max_ps(a, b); }
inline Vec Min(Vec a, Vec b) { return _mm512_min_ps(a, b); }
inline Vec Abs(Vec x) { return _mm512_abs_ps(x); }
inline Vec CopySign(Vec magnitude, Vec sign) {
  const __m512i mask = _mm512_set1_epi32(static_cast<int>(0x80000000u));
  return _mm512_castsi512_ps(
      _mm512_or_si512(_mm512_andnot_si512(mask, _mm512_castps_si512(magnitude)),
                      _mm512_and_si512(mask, _mm512_castps_si512(sign))));
}
inline Vec Round(Vec x) {
  return _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
inline Vec ScaleByPowerOfTwo(Vec x, Vec n) { return _mm512_scalef_ps(x, n); }
// x − ⌊x⌋, and x · 2^⌊n⌋.
inline Vec Fraction(Vec x) {
  return _mm512_reduce_ps(x, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
}
inline Vec ScaleByFloor(Vec x, Vec n) { return _mm512_scalef_ps(x, n); }
inline Vec ZeroWhereLess(Vec x, Vec limit, Vec y) {
  return _mm512_mask_mov_ps(y, _mm512_cmp_ps_mask(x, limit, _CMP_LT_OQ), _mm512_setzero_ps());
}
// Lanes i and i + kDistance of each 2 · kDistance: their sum and their difference, other ± x
// rounded once, so a multiplication by ±1 is the same and saves an addition.
template <int kDistance>
inline Vec Butterfly(Vec x) {
  constexpr __mmask16 kSecond = kDistance == 1   ? 0xaaaa
                                : kDistance == 2 ? 0xcccc
                                : kDistance == 4 ? 0xf0f0
                                                 : 0xff00;
  Vec other;
  if constexpr (kDistance <= 2) {
    other = _mm512_permute_ps(x, kDistance == 1 ? 0xb1 : 0x4e);
  } else {
    other = _mm512_shuffle_f32x4(x, x, kDistance == 4 ? 0xb1 : 0x4e);
  }
  return _mm512_fmadd_ps(x, _mm512_mask_blend_ps(kSecond, Set1(1), Set1(-1)), other);
}
inline float ReduceAdd(Vec x) { return _mm512_reduce_add_ps(x); }
inline float ReduceMax(Vec x) { return _mm512_reduce_max_ps(x); }

inline Vec LoadF16(const uint16_t* p) {
  return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
}
inline Vec LoadBF16(const uint16_t* p) {
  const __m512i wide =
      _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
  return _mm512_castsi512_ps(_mm512_slli_epi32(wide, 16));
}
inline Vec LoadF16Partial(const uint16_t* p, int lanes) {
  return _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(First(lanes), p));
}
inline Vec LoadBF16Partial(const uint16_t* p, int lanes) {
  const __m512i wide = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(First(lanes), p));
  return _mm512_castsi512_ps(_mm512_slli_epi32(wide, 16));
}

inline Vec LoadSums(const int32_t* sums, const int32_t* start) {
  return _mm512_cvtepi32_ps(_mm512_add_epi32(_mm512_loadu_si512(sums), _mm512_loadu_si512(start)));
}
inline void StoreF16(uint16_t* p, Vec x) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
}
// 64 numbers rounded to signed bytes (saturated; NaN is −128), plus 128: a whole line at once.
inline void StoreByteLine(uint8_t* p, const Vec* x) {
  const auto words = [&](int i) {
    return _mm512_packs_epi32(_mm512_cvtps_epi32(x[i]), _mm512_cvtps_epi32(x[i + 1]));
  };
  // Four numbers of each vector in turn.
  const __m512i mixed = _mm512_packs_epi16(words(0), words(2));
  const __m512i bytes = _mm512_permutexvar_epi32(
      _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15), mixed);
  _mm512_storeu_si512(p, _mm512_xor_si512(bytes, _mm512_set1_epi8(static_cast<char>(-128))));
}
// The larger of non-negative numbers, with NaN above infinity: their bits compared as integers.
inline Vec MaxBits(Vec a, Vec b) {
  return _mm512_castsi512_ps(_mm512_max_epu32(_mm512_castps_si512(a), _mm512_castps_si512(b)));
}
inline float ReduceMaxBits(Vec x) {
  const uint32_t bits = _mm512_reduce_max_epu32(_mm512_castps_si512(x));
  float top;
  __builtin_memcpy(&top, &bits, 4);
  return top;
}

// A 16 × 16 matrix of 32-bit elements, in place.
inline void Transpose(Vec* r) {
  Vec t[16];
#pragma GCC unroll 8
  for (int i = 0; i < 16; i += 2) {
    t[i] = _mm512_unpacklo_ps(r[i], r[i + 1]);
    t[i + 1] = _mm512_unpackhi_ps(r[i], r[i + 1]);
  }
  const auto low = [](Vec a, Vec b) {
    return _mm512_castpd_ps(_mm512_unpacklo_pd(_mm512_castps_pd(a), _mm512_castps_pd(b)));
  };
  const auto high = [](Vec a, Vec b) {
    return _mm512_castpd_ps(_mm512_unpackhi_pd(_mm512_castps_pd(a), _mm512_castps_pd(b)));
  };
  Vec quad[16];  // quad[4g + c] holds, in its 128-bit lane l, column 4l + c of rows 4g … 4g + 3
#pragma GCC unroll 4
  for (int i = 0; i < 16; i += 4) {
    quad[i] = low(t[i], t[i + 2]);
    quad[i + 1] = high(t[i], t[i + 2]);
    quad[i + 2] = low(t[i + 1], t[i + 3]);
    quad[i + 3] = high(t[i + 1], t[i + 3]);
  }
#pragma GCC unroll 4
  for (int c = 0; c < 4; ++c) {
    const Vec low01 = _mm512_shuffle_f32x4(quad[c], quad[4 + c], 0x44);
    const Vec high01 = _mm512_shuffle_f32x4(quad[c], quad[4 + c], 0xEE);
    const Vec low23 = _mm512_shuffle_f32x4(quad[8 + c], quad[12 + c], 0x44);
    const Vec high23 = _mm512_shuffle_f32x4(quad[8 + c], quad[12 + c], 0xEE);
    r[c] = _mm512_shuffle_f32x4(low01, low23, 0x88);
    r[4 + c] = _mm512_shuffle_f32x4(low01, low23, 0xDD);
    r[8 + c] = _mm512_shuffle_f32x4(high01, high23, 0x88);
    r[12 + c] = _mm512_shuffle_f32x4(high01, high23, 0xDD);
  }
}
