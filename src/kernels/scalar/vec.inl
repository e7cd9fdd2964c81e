// Vec of the scalar table: 4 lanes of a compiler vector, no intrinsics.
typedef float Vec __attribute__((vector_size(16)));
typedef int32_t VecInt __attribute__((vector_size(16)));
constexpr int kLanes = 4;
constexpr int kTileRows = 4;
constexpr int kBlockK = 256;
constexpr int kChunkRows = 192;

inline Vec Zero() { return Vec{0, 0, 0, 0}; }
inline Vec Set1(float x) { return Vec{x, x, x, x}; }
inline Vec Load(const float* p) {
  Vec x;
  __builtin_memcpy(&x, p, sizeof x);
  return x;
}
inline void Store(float* p, Vec x) { __builtin_memcpy(p, &x, sizeof x); }
inline Vec LoadPartial(const float* p, int lanes) {
  Vec x = Zero();
  for (int i = 0; i < lanes; ++i) x[i] = p[i];
  return x;
}
inline void StorePartial(float* p, int lanes, Vec x) {
  for (int i = 0; i < lanes; ++i) p[i] = x[i];
}
inline Vec KeepFirst(Vec x, int lanes) {
  for (int i = lanes; i < kLanes; ++i) x[i] = 0;
  return x;
}
inline Vec Add(Vec a, Vec b) { return a + b; }
inline Vec Sub(Vec a, Vec b) { return a - b; }
inline Vec Mul(Vec a, Vec b) { return a * b; }
inline Vec Div(Vec a, Vec b) { return a / b; }
inline Vec Fma(Vec a, Vec b, Vec c) {
  return a * b + c;
}  // rounds the product: old processors have no FMA
inline Vec Select(VecInt mask, Vec yes, Vec no) {
  return (Vec)(((VecInt)yes & mask) | ((VecInt)no & ~mask));
}
// As on x86: the second operand when one is NaN.
inline Vec Max(Vec a, Vec b) { return Select(a > b, a, b); }
inline Vec Min(Vec a, Vec b) { return Select(a < b, a, b); }
inline Vec Abs(Vec x) { return (Vec)((VecInt)x & 0x7fffffff); }
inline Vec CopySign(Vec magnitude, Vec sign) {
  return (Vec)(((VecInt)magnitude & 0x7fffffff) | ((VecInt)sign & ~0x7fffffff));
}
inline Vec Round(Vec x) {  // |x| < 2^22: adding 1.5 · 2^23 leaves no bits for a fraction
  const Vec magic = Set1(12582912.0f);
  return (x + magic) - magic;
}
inline Vec ScaleByPowerOfTwo(Vec x, Vec n) {
  return x * (Vec)((__builtin_convertvector(n, VecInt) + 127) << 23);
}
// x − ⌊x⌋, and x · 2^⌊n⌋.
inline Vec Fraction(Vec x) {
  for (int i = 0; i < kLanes; ++i) x[i] -= __builtin_floorf(x[i]);
  return x;
}
inline Vec ScaleByFloor(Vec x, Vec n) {
  for (int i = 0; i < kLanes; ++i) {
    if (n[i] != n[i]) continue;  // x is NaN as well
    x[i] = n[i] < -126 ? 0 : __builtin_ldexpf(x[i], static_cast<int>(__builtin_floorf(n[i])));
  }
  return x;
}
inline Vec ZeroWhereLess(Vec x, Vec limit, Vec y) { return (Vec)((VecInt)y & ~(x < limit)); }
// Lanes i and i + kDistance of each 2 · kDistance: their sum and their difference.
template <int kDistance>
inline Vec Butterfly(Vec x) {
  if constexpr (kDistance == 1) return Vec{x[1], x[0], x[3], x[2]} + x * Vec{1, -1, 1, -1};
  return Vec{x[2], x[3], x[0], x[1]} + x * Vec{1, 1, -1, -1};
}
inline float ReduceAdd(Vec x) { return (x[0] + x[2]) + (x[1] + x[3]); }
inline float ReduceMax(Vec x) {
  float top = x[0];
  for (int i = 1; i < kLanes; ++i) top = x[i] > top ? x[i] : top;
  return top;
}

inline float HalfToFloat(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000u) << 16;
  const uint32_t exponent = (half >> 10) & 31u;
  const uint32_t fraction = half & 1023u;
  uint32_t bits;
  if (exponent == 31) {  // infinity, NaN
    bits = sign | 0x7f800000u | (fraction << 13);
  } else if (exponent != 0) {
    bits = sign | ((exponent + 112) << 23) | (fraction << 13);
  } else {  // zero, subnormal: fraction · 2^-24, exact in fp32
    const float magnitude = static_cast<float>(fraction) * 5.9604644775390625e-8f;
    __builtin_memcpy(&bits, &magnitude, 4);
    bits |= sign;
  }
  float out;
  __builtin_memcpy(&out, &bits, 4);
  return out;
}
inline float BrainToFloat(uint16_t brain) {
  const uint32_t bits = static_cast<uint32_t>(brain) << 16;
  float out;
  __builtin_memcpy(&out, &bits, 4);
  return out;
}
inline Vec LoadF16Partial(const uint16_t* p, int lanes) {
  Vec x = Zero();
  for (int i = 0; i < lanes; ++i) x[i] = HalfToFloat(p[i]);
  return x;
}
inline Vec LoadBF16Partial(const uint16_t* p, int lanes) {
  Vec x = Zero();
  for (int i = 0; i < lanes; ++i) x[i] = BrainToFloat(p[i]);
  return x;
}
inline Vec LoadF16(const uint16_t* p) { return LoadF16Partial(p, kLanes); }
inline Vec LoadBF16(const uint16_t* p) { return LoadBF16Partial(p, kLanes); }

inline Vec LoadSums(const int32_t* sums, const int32_t* start) {
  VecInt a, b;
  __builtin_memcpy(&a, sums, sizeof a);
  __builtin_memcpy(&b, start, sizeof b);
  return __builtin_convertvector(a + b, Vec);
}
// To the nearest half, ties to even; |x| ≤ 65504 or NaN.
inline uint16_t FloatToHalf(float x) {
  uint32_t bits;
  __builtin_memcpy(&bits, &x, 4);
  const uint32_t sign = bits >> 16 & 0x8000u;
  bits &= 0x7fffffffu;
  if (bits > 0x7f800000u) return static_cast<uint16_t>(sign | 0x7e00u);
  if (bits < 0x38800000u) {  // below 2^-14: multiples of 2^-24
    float magnitude;
    __builtin_memcpy(&magnitude, &bits, 4);
    const float shifted = magnitude + 0.5f;  // whose last bit is 2^-24
    __builtin_memcpy(&bits, &shifted, 4);
    return static_cast<uint16_t>(sign | (bits - 0x3f000000u));
  }
  bits += 0xfffu + (bits >> 13 & 1u);
  return static_cast<uint16_t>(sign | ((bits >> 13) - (112u << 10)));
}
inline void StoreF16(uint16_t* p, Vec x) {
  for (int i = 0; i < kLanes; ++i) p[i] = FloatToHalf(x[i]);
}
// Rounded to a signed byte (saturated; NaN is −128), plus 128.
inline void StoreBytes(uint8_t* p, Vec x) {
  const Vec rounded = Round(Min(Set1(127.0f), Max(Set1(-128.0f), x)));
  for (int i = 0; i < kLanes; ++i) {
    p[i] = rounded[i] == rounded[i] ? static_cast<uint8_t>(static_cast<int>(rounded[i]) + 128) : 0;
  }
}
inline void StoreByteLine(uint8_t* p, const Vec* x) {
  for (int i = 0; i < 64 / kLanes; ++i) StoreBytes(p + i * kLanes, x[i]);
}
// The larger of non-negative numbers, with NaN above infinity: their bits compared as integers.
inline Vec MaxBits(Vec a, Vec b) { return Select((VecInt)a > (VecInt)b, a, b); }
inline float ReduceMaxBits(Vec x) {
  Vec top = x;
  for (int i = 1; i < kLanes; ++i) top = MaxBits(top, Set1(x[i]));
  return top[0];
}

// A 4 × 4 matrix, in place.
inline void Transpose(Vec* r) {
  for (int i = 0; i < kLanes; ++i) {
    for (int j = 0; j < i; ++j) {
      const float x = r[i][j];
      r[i][j] = r[j][i];
      r[j][i] = x;
    }
  }
}
