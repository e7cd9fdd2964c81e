// One head of one sequence with brain floats in tiles: 32 queries at a time, all of their keys,
// then softmax in fp32, then all of their values. Memory is linear in the length. Keys and values
// beyond the sequence are zero in the tiles, and their probabilities are zero.
//
// Tiles and vectors are different units, so between the rows of a block's softmax stand the tile
// products that do not wait for it: the values of the block before and the keys of the block after.

constexpr int kQueryRows = 32;
constexpr int kTileElements = 512;  // brain floats of a tile

inline int RoundUp32(int x) { return (x + 31) / 32 * 32; }

// scores[length] → probabilities not yet divided by their sum, as brain floats, zeros up to
// `padded`, a multiple of 32; returns the sum.
inline float SoftmaxBf16(const float* scores, int length, int padded, float scale, uint16_t* out) {
  // Four chains: a row's maxima would wait for each other longer than its exponentials take.
  Vec tops[4];
  for (Vec& top : tops) top = Set1(-__builtin_inff());
  const int body = length / kLanes * kLanes;
  int at = 0;
  for (; at + 4 * kLanes <= body; at += 4 * kLanes) {
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) tops[j] = Max(Load(scores + at + j * kLanes), tops[j]);
  }
  for (; at < body; at += kLanes) tops[0] = Max(Load(scores + at), tops[0]);
  Vec top = Max(Max(tops[0], tops[1]), Max(tops[2], tops[3]));
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

// Tiles 0 … 3 are the sums of 32 × 32.
inline void ZeroBlockBf16() {
  TileZero<0>();
  TileZero<1>();
  TileZero<2>();
  TileZero<3>();
}
// A pair of tiles of a, rows a_stride bytes apart, with a pair of b.
inline void AddBlockBf16(const uint16_t* a, size_t a_stride, const uint16_t* b0,
                         const uint16_t* b1) {
  TileLoad<4>(a, a_stride);
  TileLoad<6>(b0, 64);
  TileDotBf16<0, 4, 6>();
  TileLoad<7>(b1, 64);
  TileDotBf16<1, 4, 7>();
  TileLoad<5>(a + 16 * a_stride / sizeof(uint16_t), a_stride);
  TileDotBf16<2, 5, 6>();
  TileDotBf16<3, 5, 7>();
}
inline void StoreBlockBf16(float* sums, size_t sums_stride) {
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

// The tile products of one sequence and head, in steps: what stands between rows of softmax.
template <typename In>
class AttentionTiles {
 public:
  explicit AttentionTiles(const AttentionArgs& args)
      : args_(args),
        padded_(RoundUp32(args.length)),
        width_(RoundUp32(args.head_size)),
        key_steps_(padded_ / 32),
        width_steps_(width_ / 32),
        // Rows a power of two apart would meet in a few sets of L1.
        chances_stride_(static_cast<size_t>(padded_) + 32),
        scores_stride_(static_cast<size_t>(padded_) + 16) {
    keys_ = reinterpret_cast<uint16_t*>(args.scratch);
    values_ = keys_ + static_cast<size_t>(padded_) * width_;
    queries_ = values_ + static_cast<size_t>(padded_) * width_;
    uint16_t* next = queries_ + static_cast<size_t>(kQueryRows) * width_;
    for (Block& block : blocks_) {
      block.chances = next;
      next += kQueryRows * chances_stride_;
    }
    auto* floats = reinterpret_cast<float*>(next);
    for (Block& block : blocks_) {
      block.scores = floats;
      floats += kQueryRows * scores_stride_;
    }
    sums_ = floats;
    PackKeys();
    PackValues();
  }

  void Run() {
    const int blocks = (args_.queries + kQueryRows - 1) / kQueryRows;
    if (blocks <= 0) return;
    StartScores(0);
    for (int step = 0; step < ScoreSteps(); ++step) ScoreStep(0, step);
    for (int i = 0; i < blocks; ++i) {
      const int before = i > 0 ? ValueSteps() : 0;
      const int steps = before + (i + 1 < blocks ? ScoreSteps() : 0);
      if (i + 1 < blocks) StartScores(i + 1);
      Block& block = blocks_[i % 2];
      const int rows = Rows(i);
      int step = 0;
      for (int row = 0; row < rows; ++row) {
        const float sum = SoftmaxBf16(block.scores + static_cast<size_t>(row) * scores_stride_,
                                      args_.length, padded_, args_.scale,
                                      block.chances + static_cast<size_t>(row) * chances_stride_);
        block.inverse[row] = 1.0f / sum;
        for (; step * rows < steps * (row + 1); ++step) {
          step < before ? ValueStep(i - 1, step) : ScoreStep(i + 1, step - before);
        }
      }
    }
    for (int step = 0; step < ValueSteps(); ++step) ValueStep(blocks - 1, step);
  }

 private:
  struct Block {
    float* scores;      // [kQueryRows][scores_stride_]
    uint16_t* chances;  // [kQueryRows][chances_stride_]
    float inverse[kQueryRows];
  };

  int Rows(int block) const {
    const int left = args_.queries - block * kQueryRows;
    return left < kQueryRows ? left : kQueryRows;
  }
  int ScoreSteps() const { return key_steps_ * width_steps_; }
  int ValueSteps() const { return width_steps_ * key_steps_; }

  // Tiles of keys [padded / 16][width / 32].
  void PackKeys() {
    const auto* k = static_cast<const In*>(args_.k);
    for (int key = 0; key < padded_; key += 16) {
      const int left = args_.length - key;
      const int rows = left < 0 ? 0 : left < 16 ? left : 16;
      for (int step = 0; step < width_steps_; ++step) {
        StoreBf16Transposed(
            k + static_cast<size_t>(key) * args_.kv_stride + step * 32, args_.kv_stride, rows,
            Columns(step),
            keys_ + static_cast<size_t>(key / 16 * width_steps_ + step) * kTileElements);
      }
    }
  }
  // … of values [padded / 32][width / 16].
  void PackValues() {
    const auto* v = static_cast<const In*>(args_.v);
    for (int key = 0; key < padded_; key += 2) {
      const auto row_of = [&](int at) {
        return at < args_.length ? v + static_cast<size_t>(at) * args_.kv_stride : nullptr;
      };
      const In* even = row_of(key);
      const In* odd = row_of(key + 1);
      uint16_t* row = values_ + static_cast<size_t>(key / 32) * 2 * width_steps_ * kTileElements +
                      key % 32 * 16;
      for (int d = 0; d < width_; d += 16, row += kTileElements) {
        const int left = args_.head_size - d;
        StoreBf16Pairs(left > 0 && even != nullptr ? even + d : nullptr,
                       left > 0 && odd != nullptr ? odd + d : nullptr, left < 16 ? left : 16, row);
      }
    }
  }
  // Of 32 columns from 32 · step on, those that the head has.
  int Columns(int step) const {
    const int left = args_.head_size - step * 32;
    return left < 32 ? left : 32;
  }

  // Queries are read where they lie, or, where tiles would read past them, copied.
  void StartScores(int block) {
    const int rows = Rows(block);
    const auto* q =
        static_cast<const In*>(args_.q) + static_cast<size_t>(block * kQueryRows) * args_.q_stride;
    if (sizeof(In) == sizeof(uint16_t) && rows == kQueryRows && width_ == args_.head_size) {
      query_rows_ = reinterpret_cast<const uint16_t*>(q);
      query_row_bytes_ = args_.q_stride * sizeof(uint16_t);
      return;
    }
    query_rows_ = queries_;
    query_row_bytes_ = static_cast<size_t>(width_) * sizeof(uint16_t);
    for (int i = 0; i < kQueryRows; ++i) {
      for (int step = 0; step < width_steps_; ++step) {
        StoreBf16Row(q + static_cast<size_t>(i < rows ? i : 0) * args_.q_stride + step * 32,
                     i < rows ? Columns(step) : 0,
                     queries_ + static_cast<size_t>(i) * width_ + step * 32);
      }
    }
  }

  void ScoreStep(int block, int step) {
    const int keys = step / width_steps_;  // 32 of them
    const int column = step % width_steps_;
    const size_t of_16 = static_cast<size_t>(width_steps_) * kTileElements;
    const uint16_t* b = keys_ + 2 * static_cast<size_t>(keys) * of_16 + column * kTileElements;
    if (column == 0) ZeroBlockBf16();
    AddBlockBf16(query_rows_ + column * 32, query_row_bytes_, b, b + of_16);
    if (column + 1 == width_steps_) {
      StoreBlockBf16(blocks_[block % 2].scores + keys * 32, scores_stride_);
    }
  }

  void ValueStep(int block, int step) {
    const int columns = step / key_steps_ * 32;
    const int keys = step % key_steps_;
    const uint16_t* b = values_ + (static_cast<size_t>(keys) * 2 * width_steps_ +
                                   static_cast<size_t>(columns / 16)) *
                                      kTileElements;
    if (keys == 0) ZeroBlockBf16();
    AddBlockBf16(blocks_[block % 2].chances + keys * 32, chances_stride_ * sizeof(uint16_t), b,
                 b + kTileElements);
    if (keys + 1 < key_steps_) return;
    StoreBlockBf16(sums_, 32);
    for (int i = 0; i < Rows(block); ++i) {
      const size_t at = static_cast<size_t>(block * kQueryRows + i) * args_.out_stride + columns;
      for (int half = 0; half < 32; half += kLanes) {
        const int left = args_.head_size - columns - half;
        if (left <= 0) break;
        const Vec y = Mul(Load(sums_ + i * 32 + half), Set1(blocks_[block % 2].inverse[i]));
        StoreAttended(args_, at + half, left < kLanes ? left : kLanes, y);
      }
    }
  }

  const AttentionArgs& args_;
  const int padded_;  // length, in whole tiles
  const int width_;   // head_size, in whole tiles
  const int key_steps_;
  const int width_steps_;
  const size_t chances_stride_;
  const size_t scores_stride_;
  uint16_t* keys_;
  uint16_t* values_;
  uint16_t* queries_;  // copied ones
  float* sums_;        // [32][32]
  Block blocks_[2];    // those of even and odd numbers
  const uint16_t* query_rows_ = nullptr;
  size_t query_row_bytes_ = 0;
};

template <typename In>
void AttentionOf(const AttentionArgs& args) {
  [[maybe_unused]] const SumScope scope;
  AttentionTiles<In>(args).Run();
}

void AttentionBf16(const AttentionArgs& args) {
  if (args.element == Element::kBF16) return AttentionOf<uint16_t>(args);
  AttentionOf<float>(args);
}
