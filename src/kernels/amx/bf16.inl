// Floats → brain floats in the orders that tiles read, rounded to nearest even by vcvtne2ps2bf16.
// The twin is bf16_plain.inl.

// A row of 32 brain floats, zeros from `count` on.
inline __m512i Bf16Row(const float* x, int count) {
  const int low = count < 16 ? count : 16;
  const int high = count < 16 ? 0 : count - 16 < 16 ? count - 16 : 16;
  return (__m512i)_mm512_cvtne2ps_pbh(high > 0 ? LoadPartial(x + 16, high) : Zero(),
                                      low > 0 ? LoadPartial(x, low) : Zero());
}
inline __m512i Bf16Row(const uint16_t* x, int count) {
  return _mm512_maskz_loadu_epi16(static_cast<__mmask32>((uint64_t{1} << count) - 1), x);
}

// out[0…31] of such a row.
template <typename In>
inline void StoreBf16Row(const In* x, int count, uint16_t* out) {
  _mm512_storeu_si512(out, Bf16Row(x, count));
}

// A tile of weights made of 16 rows of 32 columns: out[i][j] = the pair (2i, 2i + 1) of row j. Rows
// from `rows` on and columns from `count` on are zero, and not read.
template <typename In>
inline void StoreBf16Transposed(const In* x, size_t stride, int rows, int count, uint16_t* out) {
  __m512i r[16];
#pragma GCC unroll 16
  for (int i = 0; i < 16; ++i) {
    r[i] = i < rows ? Bf16Row(x + static_cast<size_t>(i) * stride, count) : _mm512_setzero_si512();
  }
  __m512i t[16];
#pragma GCC unroll 8
  for (int i = 0; i < 16; i += 2) {
    t[i] = _mm512_unpacklo_epi32(r[i], r[i + 1]);
    t[i + 1] = _mm512_unpackhi_epi32(r[i], r[i + 1]);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 16; i += 4) {
    r[i] = _mm512_unpacklo_epi64(t[i], t[i + 2]);
    r[i + 1] = _mm512_unpackhi_epi64(t[i], t[i + 2]);
    r[i + 2] = _mm512_unpacklo_epi64(t[i + 1], t[i + 3]);
    r[i + 3] = _mm512_unpackhi_epi64(t[i + 1], t[i + 3]);
  }
  // r[4g + c] holds, in its 128-bit lane l, column 4l + c of rows 4g … 4g + 3.
#pragma GCC unroll 4
  for (int c = 0; c < 4; ++c) {
    const __m512i low01 = _mm512_shuffle_i32x4(r[c], r[4 + c], 0x44);
    const __m512i high01 = _mm512_shuffle_i32x4(r[c], r[4 + c], 0xEE);
    const __m512i low23 = _mm512_shuffle_i32x4(r[8 + c], r[12 + c], 0x44);
    const __m512i high23 = _mm512_shuffle_i32x4(r[8 + c], r[12 + c], 0xEE);
    _mm512_storeu_si512(out + (0 + c) * 32, _mm512_shuffle_i32x4(low01, low23, 0x88));
    _mm512_storeu_si512(out + (4 + c) * 32, _mm512_shuffle_i32x4(low01, low23, 0xDD));
    _mm512_storeu_si512(out + (8 + c) * 32, _mm512_shuffle_i32x4(high01, high23, 0x88));
    _mm512_storeu_si512(out + (12 + c) * 32, _mm512_shuffle_i32x4(high01, high23, 0xDD));
  }
}

inline __m512i Bf16Halves(const float* low, const float* high, int count) {
  return (__m512i)_mm512_cvtne2ps_pbh(high != nullptr ? LoadPartial(high, count) : Zero(),
                                      low != nullptr ? LoadPartial(low, count) : Zero());
}
inline __m512i Bf16Halves(const uint16_t* low, const uint16_t* high, int count) {
  const auto mask = static_cast<__mmask16>(0xffffu >> (16 - count));
  const auto half = [&](const uint16_t* x) {
    return x != nullptr ? _mm256_maskz_loadu_epi16(mask, x) : _mm256_setzero_si256();
  };
  return _mm512_inserti64x4(_mm512_castsi256_si512(half(low)), half(high), 1);
}

// A row of a tile of weights made of two rows of 16 columns: out[2j] = even[j], out[2j + 1] =
// odd[j]. A null row is zero, as are columns from `count` on.
template <typename In>
inline void StoreBf16Pairs(const In* even, const In* odd, int count, uint16_t* out) {
  const __m512i rows = Bf16Halves(even, odd, count);
  const __m512i order = _mm512_set_epi16(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24,
                                         8, 23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
  _mm512_storeu_si512(out, _mm512_permutexvar_epi16(order, rows));
}

inline void StoreF16Partial(uint16_t* out, int lanes, Vec x) {
  _mm256_mask_storeu_epi16(out, First(lanes), _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
}

inline void StoreBf16(uint16_t* out, Vec low, Vec high) {
  _mm512_storeu_si512(out, (__m512i)_mm512_cvtne2ps_pbh(high, low));
}

// As Max(x, top) of the first `lanes`; the rest of top stays.
inline Vec MaxFirst(Vec x, int lanes, Vec top) {
  return _mm512_mask_max_ps(top, First(lanes), x, top);
}
