// One head of one sequence in 16-bit fixed point, for an encoder in bytes. An instruction that
// multiplies pairs of 16 bits and adds both products does twice the work of an fp32 multiply-add,
// and 12 bits and more keep q, k, v and the probabilities closer than brain floats would.
//
//   q            one scale a row            ± PairLimit(d), so that d products fit in 32 bits
//   keys         one scale                  the same; panels [length/P][d/2][P][2]
//   values       one scale a column         ± kValueLimit; panels [d/P][length/2][P][2]
//   p            the row's own sum          0 … about kProbabilityTop, their sum at most
//                                           kProbabilitySum: times kValueLimit it fits in 32 bits
//
// All sums are exact. The order and the rounding of a row depend on its sequence only.

constexpr int kValueLimit = 4095;
constexpr int kProbabilityTop = 32000;
// The sum may grow by half a unit for each of kPairLengthMax probabilities when they are rounded:
// (2^19 − 2^15 + 2^15) · 4095 < 2^31.
constexpr int32_t kProbabilitySum = (1 << 19) - (1 << 15);
constexpr int kPairLengthMax = 1 << 16;
constexpr int kTilePairSums = kTileRows * kPanel;  // of a tile of queries and a panel of keys

// The largest x with d · x² < 2^31.
inline float PairLimit(int d) {
  return __builtin_floorf(__builtin_sqrtf(2147483000.0f / static_cast<float>(d)));
}

// 32-bit words between rows of d 16-bit numbers: two vectors of floats become one of pairs.
inline int PairStride(int d) { return (d + 2 * kLanes - 1) / (2 * kLanes) * kLanes; }

// What x is multiplied by for max|x| to become `limit`; 0 where all are zero in effect. A NaN or an
// infinity stays in the scale, limit times the result's inverse.
inline float ScaleOf(float magnitude, float limit, float* inverse) {
  const float scale = magnitude / limit;
  *inverse = scale < 1e-35f ? 0 : 1 / scale;
  return scale;
}

inline float RowMagnitude(const float* x, int d, Vec top) {
  for (int i = 0; i < d; i += kLanes) {
    const int lanes = d - i < kLanes ? d - i : kLanes;
    top = MaxBits(top, Abs(LoadPartial(x + i, lanes)));
  }
  return ReduceMaxBits(top);
}

// 2 · kLanes numbers of a row from i on → kLanes pairs; zero from d on.
inline Ints RowPairs(const float* x, int i, int d, Vec inverse) {
  const auto part = [&](int at) {
    const int lanes = d - at;
    if (lanes <= 0) return Zero();
    return lanes >= kLanes ? Load(x + at) : LoadPartial(x + at, lanes);
  };
  return PackPairs(ToInts(Mul(part(i), inverse)), ToInts(Mul(part(i + kLanes), inverse)));
}

// Returns the keys' scale.
inline float PackKeyPairs(const AttentionArgs& args, int32_t* panels) {
  const auto* k = static_cast<const float*>(args.k);
  const int d = args.head_size;
  Vec top = Zero();
  for (int key = 0; key < args.length; ++key) {
    const float* row = k + static_cast<size_t>(key) * args.kv_stride;
    for (int i = 0; i < d; i += kLanes) {
      const int lanes = d - i < kLanes ? d - i : kLanes;
      top = MaxBits(top, Abs(LoadPartial(row + i, lanes)));
    }
  }
  float inverse;
  const float scale = ScaleOf(ReduceMaxBits(top), PairLimit(d), &inverse);
  for (int key = 0; key < RoundUpToPanel(args.length); key += kLanes) {
    int32_t* panel = panels + static_cast<size_t>(key / kPanel) * kPanel * (d / 2) + key % kPanel;
    for (int i = 0; i < d; i += 2 * kLanes) {
      Vec rows[kLanes];
#pragma GCC unroll 16
      for (int row = 0; row < kLanes; ++row) {
        const size_t at = static_cast<size_t>(key + row) * args.kv_stride;
        rows[row] =
            key + row < args.length ? AsFloats(RowPairs(k + at, i, d, Set1(inverse))) : Zero();
      }
      Transpose(rows);
      const int words = (d - i) / 2 < kLanes ? (d - i) / 2 : kLanes;
      int32_t* out = panel + static_cast<size_t>(i / 2) * kPanel;
      if (words == kLanes) {
#pragma GCC unroll 16
        for (int word = 0; word < kLanes; ++word)
          StoreInts(out + word * kPanel, AsInts(rows[word]));
      } else {
        for (int word = 0; word < words; ++word) StoreInts(out + word * kPanel, AsInts(rows[word]));
      }
    }
  }
  return scale;
}

// Writes the scales of the values' columns.
inline void PackValuePairs(const AttentionArgs& args, int32_t* panels, float* scales) {
  const int pairs = (args.length + 1) / 2;
  for (int d = 0; d < args.head_size; d += kLanes) {
    const int lanes = args.head_size - d < kLanes ? args.head_size - d : kLanes;
    const float* v = static_cast<const float*>(args.v) + d;
    const auto row = [&](int key) {
      return LoadPartial(v + static_cast<size_t>(key) * args.kv_stride, lanes);
    };
    Vec top = Zero();
    for (int key = 0; key < args.length; ++key) top = MaxBits(top, Abs(row(key)));
    const Vec scale = Mul(top, Set1(1.0f / kValueLimit));
    Store(scales + d, scale);
    const Vec inverse = ZeroWhereLess(scale, Set1(1e-35f), Div(Set1(1), scale));
    int32_t* out = panels + static_cast<size_t>(d / kPanel) * kPanel * pairs + d % kPanel;
    for (int pair = 0; pair < args.length / 2; ++pair) {
      StoreInts(
          out + static_cast<size_t>(pair) * kPanel,
          JoinPairs(ToInts(Mul(row(2 * pair), inverse)), ToInts(Mul(row(2 * pair + 1), inverse))));
    }
    if (args.length % 2 != 0) {
      StoreInts(out + static_cast<size_t>(pairs - 1) * kPanel,
                JoinPairs(ToInts(Mul(row(args.length - 1), inverse)), ZeroInts()));
    }
  }
}

// out[ROWS][kPanel] = a[ROWS][pairs] · b[pairs][kPanel].
template <int ROWS>
inline void PairTile(const int32_t* a, size_t a_stride, const int32_t* b, int pairs, int32_t* out) {
  Ints sum[ROWS][2];
#pragma GCC unroll 16
  for (int i = 0; i < ROWS; ++i) sum[i][0] = sum[i][1] = ZeroInts();
  // One pointer for three rows, as in Tile.
  constexpr int kGroups = (ROWS + 2) / 3;
  const int32_t* group[kGroups];
#pragma GCC unroll 16
  for (int g = 0; g < kGroups; ++g) group[g] = a + static_cast<size_t>(3 * g) * a_stride;
  const auto step = [&](int at) __attribute__((always_inline)) {
    const Ints b0 = LoadInts(b + at * kPanel);
    const Ints b1 = LoadInts(b + at * kPanel + kLanes);
#pragma GCC unroll 16
    for (int i = 0; i < ROWS; ++i) {
      const Ints x = Set1Int(group[i / 3][static_cast<size_t>(i % 3) * a_stride + at]);
      sum[i][0] = DotPairs(sum[i][0], x, b0);
      sum[i][1] = DotPairs(sum[i][1], x, b1);
    }
  };
  const auto advance = [&](int count) __attribute__((always_inline)) {
#pragma GCC unroll 16
    for (int g = 0; g < kGroups; ++g) group[g] += count;
    b += count * kPanel;
  };
  for (; pairs >= 4; pairs -= 4) {
#pragma GCC unroll 4
    for (int at = 0; at < 4; ++at) step(at);
    advance(4);
  }
  for (; pairs > 0; --pairs) {
    step(0);
    advance(1);
  }
#pragma GCC unroll 16
  for (int i = 0; i < ROWS; ++i) {
    StoreInts(out + i * kPanel, sum[i][0]);
    StoreInts(out + i * kPanel + kLanes, sum[i][1]);
  }
}

template <int ROWS>
inline void PairTileOf(int rows, const int32_t* a, size_t a_stride, const int32_t* b, int pairs,
                       int32_t* out) {
  if constexpr (ROWS > 0) {
    if (rows == ROWS) {
      PairTile<ROWS>(a, a_stride, b, pairs, out);
    } else {
      PairTileOf<ROWS - 1>(rows, a, a_stride, b, pairs, out);
    }
  }
}

// A row's sums, in tiles, times `factor`, in powers of 2 → probabilities p, not yet divided by
// their sum, which is returned. Writes whole panels of p.
inline float SoftmaxPairs(const int32_t* sums, int length, float factor, int32_t* p) {
  const auto at = [&](int i) { return sums + static_cast<size_t>(i / kPanel) * kTilePairSums; };
  const int body = length / kPanel * kPanel;
  Ints top = Set1Int(sums[0]);
  for (int i = 0; i < body; i += kPanel) {
    top = MaxInts(MaxInts(LoadInts(at(i)), LoadInts(at(i) + kLanes)), top);
  }
  int32_t max = ReduceMaxInts(top);
  for (int i = body; i < length; ++i) {
    max = at(body)[i - body] > max ? at(body)[i - body] : max;
  }
  constexpr float kTopLog2 = 14.9657843f;
  static_assert(kProbabilityTop == 32000);
  const Vec factors = Set1(factor);
  // Their difference first: it is never above 0, however large they are.
  const Vec largest = Set1(static_cast<float>(max));
  const auto exp = [&](const int32_t* from) {
    return ToInts(Exp2Short(Fma(Sub(ToFloats(LoadInts(from)), largest), factors, Set1(kTopLog2))));
  };
  Ints total = ZeroInts();
  const auto store = [&](int i, Ints low, Ints high) {
    StoreInts(p + i / 2, PackPairs(low, high));
    total = AddInts(total, AddInts(low, high));
  };
  for (int i = 0; i < body; i += kPanel) store(i, exp(at(i)), exp(at(i) + kLanes));
  if (body < length) {
    const auto of_length = [&](int first) {
      const int lanes = length - body - first;
      if (lanes <= 0) return ZeroInts();
      const Ints x = exp(at(body) + first);
      return lanes >= kLanes ? x : AsInts(KeepFirst(AsFloats(x), lanes));
    };
    store(body, of_length(0), of_length(kLanes));
  }
  const auto sum = static_cast<float>(ReduceAddInts(total));
  if (sum <= kProbabilitySum) return sum;
  const auto less = static_cast<int32_t>(32768.0f * kProbabilitySum / sum);
  const Ints lesses = Set1Int(less | less << 16);
  // Summed anew: near-equal ones are all rounded the same way.
  total = ZeroInts();
  for (int i = 0; i < length; i += kPanel) {
    const Ints rounded = MulRoundHalves(LoadInts(p + i / 2), lesses);
    StoreInts(p + i / 2, rounded);
    total = DotPairs(total, rounded, Set1Int(0x00010001));
  }
  return static_cast<float>(ReduceAddInts(total));
}

void AttentionPairs(const AttentionArgs& args) {
  if (args.length > kPairLengthMax) return Attention(args);
  const int length = args.length;
  const int d = args.head_size;
  const int columns = RoundUpToPanel(length);
  const int key_pairs = d / 2;
  const int value_pairs = (length + 1) / 2;
  const auto q_stride = static_cast<size_t>(PairStride(d));
  // Off powers of two: rows a power of two apart fall into the same few sets of L1.
  const size_t p_stride = static_cast<size_t>(columns) / 2 + 16;
  auto* keys = reinterpret_cast<int32_t*>(args.scratch);
  int32_t* values = keys + static_cast<size_t>(columns) * key_pairs;
  int32_t* queries = values + static_cast<size_t>(RoundUpToPanel(d)) * value_pairs;
  int32_t* sums = queries + kTileRows * q_stride;
  int32_t* p = sums + static_cast<size_t>(kTileRows) * columns;
  alignas(64) float value_scales[kHeadSizeMax];
  const float key_scale = PackKeyPairs(args, keys);
  PackValuePairs(args, values, value_scales);
  const float limit = PairLimit(d);
  alignas(64) int32_t block[kTilePairSums];
  for (int first = 0; first < args.queries; first += kTileRows) {
    const int rows = args.queries - first < kTileRows ? args.queries - first : kTileRows;
    float factor[kTileRows];
    for (int i = 0; i < rows; ++i) {
      const float* q =
          static_cast<const float*>(args.q) + static_cast<size_t>(first + i) * args.q_stride;
      float inverse;
      const float scale = ScaleOf(RowMagnitude(q, d, Zero()), limit, &inverse);
      factor[i] = scale * key_scale * args.scale * 1.44269504088896341f;
      for (int at = 0; at < d; at += 2 * kLanes) {
        StoreInts(queries + i * q_stride + at / 2, RowPairs(q, at, d, Set1(inverse)));
      }
    }
    for (int column = 0; column < columns; column += kPanel) {
      PairTileOf<kTileRows>(rows, queries, q_stride, keys + static_cast<size_t>(column) * key_pairs,
                            key_pairs, sums + static_cast<size_t>(column) * kTileRows);
    }
    float inverse[kTileRows];
    for (int i = 0; i < rows; ++i) {
      const float sum = SoftmaxPairs(sums + i * kPanel, length, factor[i], p + i * p_stride);
      // A factor that is none shows in the result.
      inverse[i] = 1.0f / sum + factor[i] * 0.0f;
    }
    for (int column = 0; column < d; column += kPanel) {
      PairTileOf<kTileRows>(rows, p, p_stride, values + static_cast<size_t>(column) * value_pairs,
                            value_pairs, block);
      for (int half = 0; half < 2; ++half) {
        const int at = column + half * kLanes;
        const int lanes = d - at < kLanes ? d - at : kLanes;
        if (lanes <= 0) break;
        const Vec scale = Load(value_scales + at);
        for (int i = 0; i < rows; ++i) {
          const Vec sum = ToFloats(LoadInts(block + i * kPanel + half * kLanes));
          float* const out =
              static_cast<float*>(args.out) + static_cast<size_t>(first + i) * args.out_stride;
          StorePartial(out + at, lanes, Mul(sum, Mul(scale, Set1(inverse[i]))));
        }
      }
    }
  }
}
