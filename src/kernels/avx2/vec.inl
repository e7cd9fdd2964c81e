// Vec of the AVX2 table: 8 fp32 lanes. Partial loads fill with zeros and touch no memory past
// `lanes`.
using Vec = __m256;
constexpr int kLanes = 8;
constexpr int kTileRows =
    6;  // 6 rows × 2 vectors = 12 accumulators, 2 weights, 1 broadcast: 15 of 16 registers
constexpr int kBlockK = 256;     // 256 × 16 × 4 B = 16 KiB of weights, half of a 32 KiB L1
constexpr int kChunkRows = 192;  // a multiple of kTileRows

inline __m256i First(int lanes) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(lanes), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
inline Vec Zero() { return _mm256_setzero_ps(); }
inline Vec Set1(float x) { return _mm256_set1_ps(x); }
inline Vec Load(const float* p) { return _mm256_loadu_ps(p); }
inline void Store(float* p, Vec x) { _mm256_storeu_ps(p, x); }
inline Vec LoadPartial(const float* p, int lanes) {
  return lanes == kLanes ? Load(p) : _mm256_maskload_ps(p, First(lanes));
}
inline void StorePartial(float* p, int lanes, Vec x) {
  if (lanes == kLanes) {
    Store(p, x);
  } else {
    _mm256_maskstore_ps(p, First(lanes), x);
  }
}
inline Vec KeepFirst(Vec x, int lanes) {
  return _mm256_and_ps(x, _mm256_castsi256_ps(First(lanes)));
}
inline Vec Add(Vec a, Vec b) { return _mm256_add_ps(a, b); }
inline Vec Sub(Vec a, Vec b) { return _mm256_sub_ps(a, b); }
inline Vec Mul(Vec a, Vec b) { return _mm256_mul_ps(a, b); }
inline Vec Div(Vec a, Vec b) { return _mm256_div_ps(a, b); }
inline Vec Fma(Vec a, Vec b, Vec c) { return _mm256_fmadd_ps(a, b, c); }
// x86 max and min return the second operand when one is NaN; callers put the value that may be NaN
// there.
inline Vec Max(Vec a, Vec b) { return _mm256_max_ps(a, b); }
inline Vec Min(Vec a, Vec b) { return _mm256_min_ps(a, b); }
inline Vec SignMask() {
  return _mm256_castsi256_ps(_mm256_set1_epi32(static_cast<int>(0x80000000u)));
}
inline Vec Abs(Vec x) { return _mm256_andnot_ps(SignMask(), x); }
inline Vec CopySign(Vec magnitude, Vec sign) {
  return _mm256_or_ps(Abs(magnitude), _mm256_and_ps(SignMask(), sign));
}
inline Vec Round(Vec x) {
  return _mm256_round_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
inline Vec ScaleByPowerOfTwo(Vec x, Vec n) {
  const __m256i bits =
      _mm256_slli_epi32(_mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127)), 23);
  return _mm256_mul_ps(x, _mm256_castsi256_ps(bits));
}
// x − ⌊x⌋, and x · 2^⌊n⌋, 0 in effect below 2^-126.
inline Vec Fraction(Vec x) { return _mm256_sub_ps(x, _mm256_floor_ps(x)); }
inline Vec ScaleByFloor(Vec x, Vec n) {
  return ScaleByPowerOfTwo(x, _mm256_floor_ps(Max(Set1(-126.0f), n)));
}
inline Vec ZeroWhereLess(Vec x, Vec limit, Vec y) {
  return _mm256_andnot_ps(_mm256_cmp_ps(x, limit, _CMP_LT_OQ), y);
}
// Lanes i and i + kDistance of each 2 · kDistance: their sum and their difference.
template <int kDistance>
inline Vec Butterfly(Vec x) {
  constexpr int kSecond = kDistance == 1 ? 0xaa : kDistance == 2 ? 0xcc : 0xf0;
  Vec other;
  if constexpr (kDistance <= 2) {
    other = _mm256_permute_ps(x, kDistance == 1 ? 0xb1 : 0x4e);
  } else {
    other = _mm256_permute2f128_ps(x, x, 1);
  }
  return _mm256_blend_ps(_mm256_add_ps(x, other), _mm256_sub_ps(other, x), kSecond);
}
inline float ReduceAdd(Vec x) {
  __m128 sum = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
  sum = _mm_add_ps(sum, _mm_movehl_ps(sum, sum));
  return _mm_cvtss_f32(_mm_add_ss(sum, _mm_movehdup_ps(sum)));
}
inline float ReduceMax(Vec x) {
  __m128 top = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
  top = _mm_max_ps(top, _mm_movehl_ps(top, top));
  return _mm_cvtss_f32(_mm_max_ss(top, _mm_movehdup_ps(top)));
}

inline Vec LoadF16(const uint16_t* p) {
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}
inline Vec LoadBF16(const uint16_t* p) {
  const __m256i wide = _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  return _mm256_castsi256_ps(_mm256_slli_epi32(wide, 16));
}
inline __m128i LoadHalves(const uint16_t* p, int lanes) {
  alignas(16) uint16_t copy[8] = {};
  for (int i = 0; i < lanes; ++i) copy[i] = p[i];
  return _mm_load_si128(reinterpret_cast<const __m128i*>(copy));
}
inline Vec LoadF16Partial(const uint16_t* p, int lanes) {
  return lanes == kLanes ? LoadF16(p) : _mm256_cvtph_ps(LoadHalves(p, lanes));
}
inline Vec LoadBF16Partial(const uint16_t* p, int lanes) {
  if (lanes == kLanes) return LoadBF16(p);
  return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(LoadHalves(p, lanes)), 16));
}

inline Vec LoadSums(const int32_t* sums, const int32_t* start) {
  return _mm256_cvtepi32_ps(
      _mm256_add_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(sums)),
                       _mm256_loadu_si256(reinterpret_cast<const __m256i*>(start))));
}
inline void StoreF16(uint16_t* p, Vec x) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
}
// Rounded to a signed byte (saturated; NaN is −128), plus 128.
inline void StoreBytes(uint8_t* p, Vec x) {
  const __m256i wide = _mm256_cvtps_epi32(x);
  const __m128i words =
      _mm_packs_epi32(_mm256_castsi256_si128(wide), _mm256_extracti128_si256(wide, 1));
  const __m128i bytes = _mm_packs_epi16(words, words);
  _mm_storel_epi64(reinterpret_cast<__m128i*>(p),
                   _mm_xor_si128(bytes, _mm_set1_epi8(static_cast<char>(-128))));
}
inline void StoreByteLine(uint8_t* p, const Vec* x) {
  for (int i = 0; i < 64 / kLanes; ++i) StoreBytes(p + i * kLanes, x[i]);
}
// The larger of non-negative numbers, with NaN above infinity: their bits compared as integers.
inline Vec MaxBits(Vec a, Vec b) {
  return _mm256_castsi256_ps(_mm256_max_epu32(_mm256_castps_si256(a), _mm256_castps_si256(b)));
}
inline float ReduceMaxBits(Vec x) {
  __m128 top = _mm256_castps256_ps128(MaxBits(x, _mm256_permute2f128_ps(x, x, 1)));
  const auto larger = [](__m128 a, __m128 b) {
    return _mm_castsi128_ps(_mm_max_epu32(_mm_castps_si128(a), _mm_castps_si128(b)));
  };
  top = larger(top, _mm_movehl_ps(top, top));
  return _mm_cvtss_f32(larger(top, _mm_movehdup_ps(top)));
}

// An 8 × 8 matrix of 32-bit elements, in place.
inline void Transpose(Vec* r) {
  Vec pair[8];
#pragma GCC unroll 4
  for (int i = 0; i < 8; i += 2) {
    pair[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
    pair[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
  }
  Vec quad[8];
#pragma GCC unroll 2
  for (int i = 0; i < 8; i += 4) {
    quad[i] = _mm256_shuffle_ps(pair[i], pair[i + 2], 0x44);
    quad[i + 1] = _mm256_shuffle_ps(pair[i], pair[i + 2], 0xEE);
    quad[i + 2] = _mm256_shuffle_ps(pair[i + 1], pair[i + 3], 0x44);
    quad[i + 3] = _mm256_shuffle_ps(pair[i + 1], pair[i + 3], 0xEE);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    r[i] = _mm256_permute2f128_ps(quad[i], quad[i + 4], 0x20);
    r[i + 4] = _mm256_permute2f128_ps(quad[i], quad[i + 4], 0x31);
  }
}
