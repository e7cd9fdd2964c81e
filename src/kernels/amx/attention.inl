// One head of one sequence with brain floats in tiles: 32 queries at a time, all of their keys,
// then softmax in fp32, then all of their values. Memory is linear in the length. Keys and values
// beyond the sequence are zero in the tiles, and their probabilities are zero.

constexpr int kQueryRows = 32;
constexpr int kTileElements = 512;  // brain floats of a tile

inline int RoundUp32(int x) { return (x + 31) / 32 * 32; }

// scores[length] → probabilities not yet divided by their sum, as brain floats, zeros up to
// `padded`, a multiple of 32; returns the sum.
inline float SoftmaxBf16(const float* scores, int length, int padded, float scale, uint16_t* out) {
  Vec top = Set1(-__builtin_inff());
  const int body = length / kLanes * kLanes;
  for (int i = 0; i < body; i += kLanes) top = Max(Load(scores + i), top);
  if (body < length) top = MaxFirst(Load(scores + body), length - body, top);
  const float factor = scale * 1.44269504088896341f;
  const Vec factors = Set1(factor);
  const Vec shift = Set1(-ReduceMax(top) * factor);
  const auto exp = [&](int i) { return Exp2Short(Fma(Load(scores + i), factors, shift)); };
  const auto exp_of_length = [&](int i) {
    const int lanes = length - i;
    return lanes <= 0 ? Zero() : KeepFirst(exp(i), lanes < kLanes ? lanes : kLanes);
  };
  Vec sum = Zero();
  int i = 0;
  for (; i + 2 * kLanes <= length; i += 2 * kLanes) {
    const Vec low = exp(i), high = exp(i + kLanes);
    StoreBf16(out + i, low, high);
    sum = Add(Add(sum, low), high);
  }
  for (; i < padded; i += 2 * kLanes) {
    const Vec low = exp_of_length(i), high = exp_of_length(i + kLanes);
    StoreBf16(out + i, low, high);
    sum = Add(Add(sum, low), high);
  }
  return ReduceAdd(sum);
}

// sums[32][32] of `steps` pairs of tiles; a's rows are a_stride bytes apart, its tiles 64; b's two
// tiles of a step lie b_step bytes apart from the next step's.
inline void SumBlockBf16(const uint16_t* a, size_t a_stride, const uint16_t* b0, const uint16_t* b1,
                         size_t b_step, int steps, float* sums, size_t sums_stride) {
  TileZero<0>();
  TileZero<1>();
  TileZero<2>();
  TileZero<3>();
  const size_t half = 16 * a_stride / sizeof(uint16_t);
  for (int step = 0; step < steps; ++step) {
    TileLoad<4>(a, a_stride);
    TileLoad<6>(b0, 64);
    TileDotBf16<0, 4, 6>();
    TileLoad<7>(b1, 64);
    TileDotBf16<1, 4, 7>();
    TileLoad<5>(a + half, a_stride);
    TileDotBf16<2, 5, 6>();
    TileDotBf16<3, 5, 7>();
    a += 32;
    b0 += b_step;
    b1 += b_step;
  }
  const size_t bytes = sums_stride * sizeof(float);
  TileStore<0>(sums, bytes);
  TileStore<1>(sums + 16, bytes);
  TileStore<2>(sums + 16 * sums_stride, bytes);
  TileStore<3>(sums + 16 * sums_stride + 16, bytes);
}

inline void StoreAttended(const AttentionArgs& args, size_t at, int lanes, Vec y) {
  if (args.out_element == Element::kF32) {
    return StorePartial(static_cast<float*>(args.out) + at, lanes, y);
  }
  StoreF16Partial(static_cast<uint16_t*>(args.out) + at, lanes, ClampToF16(y));
}

template <typename In>
void AttentionOf(const AttentionArgs& args) {
  [[maybe_unused]] const SumScope scope;
  const auto* q = static_cast<const In*>(args.q);
  const auto* k = static_cast<const In*>(args.k);
  const auto* v = static_cast<const In*>(args.v);
  const int padded = RoundUp32(args.length);
  const int width = RoundUp32(args.head_size);
  const int key_steps = padded / 32;
  const int width_steps = width / 32;
  // Tiles of keys [padded / 16][width / 32], of values [padded / 32][width / 16].
  auto* keys = reinterpret_cast<uint16_t*>(args.scratch);
  uint16_t* values = keys + static_cast<size_t>(padded) * width;
  uint16_t* queries = values + static_cast<size_t>(padded) * width;
  uint16_t* chances = queries + static_cast<size_t>(kQueryRows) * width;
  // Rows a power of two apart would meet in a few sets of L1.
  const size_t chances_stride = static_cast<size_t>(padded) + 32;
  auto* scores = reinterpret_cast<float*>(chances + kQueryRows * chances_stride);
  const size_t scores_stride = static_cast<size_t>(padded) + 16;

  for (int key = 0; key < padded; key += 16) {
    for (int step = 0; step < width_steps; ++step) {
      const int rows = args.length - key < 16 ? (args.length > key ? args.length - key : 0) : 16;
      const int count = args.head_size - step * 32 < 32 ? args.head_size - step * 32 : 32;
      StoreBf16Transposed(
          k + static_cast<size_t>(key) * args.kv_stride + step * 32, args.kv_stride, rows, count,
          keys + static_cast<size_t>(key / 16 * width_steps + step) * kTileElements);
    }
  }
  for (int key = 0; key < padded; key += 2) {
    const In* even = key < args.length ? v + static_cast<size_t>(key) * args.kv_stride : nullptr;
    const In* odd =
        key + 1 < args.length ? v + static_cast<size_t>(key + 1) * args.kv_stride : nullptr;
    uint16_t* row =
        values + static_cast<size_t>(key / 32) * 2 * width_steps * kTileElements + key % 32 * 16;
    for (int d = 0; d < width; d += 16, row += kTileElements) {
      const int left = args.head_size - d;
      StoreBf16Pairs(left > 0 && even != nullptr ? even + d : nullptr,
                     left > 0 && odd != nullptr ? odd + d : nullptr, left < 16 ? left : 16, row);
    }
  }
  for (int first = 0; first < args.queries; first += kQueryRows) {
    const int rows = args.queries - first < kQueryRows ? args.queries - first : kQueryRows;
    const uint16_t* rows_of_tiles = queries;
    size_t row_bytes = static_cast<size_t>(width) * sizeof(uint16_t);
    if (sizeof(In) == sizeof(uint16_t) && rows == kQueryRows && width == args.head_size) {
      rows_of_tiles =
          reinterpret_cast<const uint16_t*>(q) + static_cast<size_t>(first) * args.q_stride;
      row_bytes = args.q_stride * sizeof(uint16_t);
    } else {
      for (int i = 0; i < kQueryRows; ++i) {
        for (int step = 0; step < width_steps; ++step) {
          const int count = i >= rows                         ? 0
                            : args.head_size - step * 32 < 32 ? args.head_size - step * 32
                                                              : 32;
          StoreBf16Row(
              q + static_cast<size_t>(first + (i < rows ? i : 0)) * args.q_stride + step * 32,
              count, queries + static_cast<size_t>(i) * width + step * 32);
        }
      }
    }
    const size_t key_block = static_cast<size_t>(width_steps) * kTileElements;
    for (int block = 0; block < key_steps; ++block) {
      const uint16_t* b = keys + 2 * static_cast<size_t>(block) * key_block;
      SumBlockBf16(rows_of_tiles, row_bytes, b, b + key_block, kTileElements, width_steps,
                   scores + block * 32, scores_stride);
    }
    float inverse[kQueryRows];
    for (int i = 0; i < rows; ++i) {
      inverse[i] =
          1.0f / SoftmaxBf16(scores + static_cast<size_t>(i) * scores_stride, args.length, padded,
                             args.scale, chances + static_cast<size_t>(i) * chances_stride);
    }
    for (int d = 0; d < args.head_size; d += 32) {
      const uint16_t* b = values + static_cast<size_t>(d / 16) * kTileElements;
      SumBlockBf16(chances, chances_stride * sizeof(uint16_t), b, b + kTileElements,
                   static_cast<size_t>(2 * width_steps) * kTileElements, key_steps, scores, 32);
      for (int i = 0; i < rows; ++i) {
        const size_t at = static_cast<size_t>(first + i) * args.out_stride + d;
        for (int half = 0; half < 32; half += kLanes) {
          const int left = args.head_size - d - half;
          if (left <= 0) break;
          const Vec y = Mul(Load(scores + i * 32 + half), Set1(inverse[i]));
          StoreAttended(args, at + half, left < kLanes ? left : kLanes, y);
        }
      }
    }
  }
}

void AttentionBf16(const AttentionArgs& args) {
  if (args.element == Element::kBF16) return AttentionOf<uint16_t>(args);
  AttentionOf<float>(args);
}
