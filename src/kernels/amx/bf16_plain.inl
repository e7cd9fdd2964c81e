// The twin of bf16.inl.
inline uint16_t FloatToBrain(float x) {
  uint32_t bits;
  __builtin_memcpy(&bits, &x, 4);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>(bits >> 16 | 0x40u);
  if ((bits & 0x7f800000u) == 0) return static_cast<uint16_t>(bits >> 16 & 0x8000u);  // subnormal
  return static_cast<uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}
inline uint16_t FloatToBrain(uint16_t x) { return x; }
template <typename In>
inline void StoreBf16Row(const In* x, int count, uint16_t* out) {
  for (int i = 0; i < 32; ++i) out[i] = i < count ? FloatToBrain(x[i]) : 0;
}
template <typename In>
inline void StoreBf16Transposed(const In* x, size_t stride, int rows, int count, uint16_t* out) {
  for (int j = 0; j < 16; ++j) {
    for (int k = 0; k < 32; ++k) {
      out[k / 2 * 32 + j * 2 + k % 2] =
          j < rows && k < count ? FloatToBrain(x[static_cast<size_t>(j) * stride + k]) : 0;
    }
  }
}
template <typename In>
inline void StoreBf16Pairs(const In* even, const In* odd, int count, uint16_t* out) {
  for (int j = 0; j < 16; ++j) {
    out[2 * j] = even != nullptr && j < count ? FloatToBrain(even[j]) : 0;
    out[2 * j + 1] = odd != nullptr && j < count ? FloatToBrain(odd[j]) : 0;
  }
}
inline void StoreF16Partial(uint16_t* out, int lanes, Vec x) {
  for (int i = 0; i < lanes; ++i) out[i] = FloatToHalf(x[i]);
}
inline void StoreBf16(uint16_t* out, Vec low, Vec high) {
  for (int i = 0; i < kLanes; ++i) out[i] = FloatToBrain(low[i]);
  for (int i = 0; i < kLanes; ++i) out[kLanes + i] = FloatToBrain(high[i]);
}
inline Vec MaxFirst(Vec x, int lanes, Vec top) {
  for (int i = 0; i < lanes; ++i) top[i] = x[i] > top[i] ? x[i] : top[i];
  return top;
}
