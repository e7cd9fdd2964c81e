// Products of bytes, and floats → bytes.
//
//   for panel of 32 outputs                    its weights, 32 KiB at most, stay in L1
//     for block of 32 rows                     activations stream from L2
//       32 × 32 sums (sum_block.inl)           while the vector units finish the block before:
//                                              scales, bias, activation, residual
//
// Finishing a block takes about as long as summing it with AMX, on units that the tiles leave idle,
// so a slice of it stands between any two steps of the sum.

constexpr int kBlockVectors = kInt8Block / kLanes;  // of a row of a block

// Infinity would end a row of bytes; a finite value too large only loses its neighbours' digits.
inline Vec ClampToF16(Vec x) { return Min(Set1(65504.0f), Max(Set1(-65504.0f), x)); }

// Finishes one block of sums, a few rows at a call. What it needs lies in its own members, which
// the compiler may keep in registers across the tile instructions.
template <Element kOut, bool kResidual, Activate kActivate>
struct Finisher {
  const int32_t* sums = nullptr;
  const float* a_scale = nullptr;
  const float* w_scale = nullptr;
  const int32_t* start = nullptr;
  const float* bias = nullptr;
  const float* residual = nullptr;
  size_t residual_stride = 0;
  uint16_t* halves = nullptr;
  float* floats = nullptr;
  size_t c_stride = 0;
  int rows = 0;  // left

  Finisher() = default;
  Finisher(const Int8ProductArgs& args, const int32_t* block_sums, int row, int column)
      : sums(block_sums),
        a_scale(args.a_scale + row),
        w_scale(args.w_scale + column),
        start(args.start + column),
        bias(args.bias + column),
        c_stride(args.c_stride),
        rows(args.rows - row < kInt8Block ? args.rows - row : kInt8Block) {
    const size_t at = static_cast<size_t>(row) * args.c_stride + static_cast<size_t>(column);
    if constexpr (kOut != Element::kF32) {
      halves = static_cast<uint16_t*>(args.c) + at;
    } else {
      floats = static_cast<float*>(args.c) + at;
    }
    if constexpr (kResidual) {
      residual = args.residual + static_cast<size_t>(row) * args.residual_stride + column;
      residual_stride = args.residual_stride;
    }
  }

  // kRows rows, vector by vector at once: the chains of an activation hide each other's latency.
  template <int kRows>
  __attribute__((always_inline)) void Finish() {
    constexpr int kCount = kRows * kBlockVectors;
    Vec y[kCount];
#pragma GCC unroll 16
    for (int i = 0; i < kCount; ++i) {
      const int at = i % kBlockVectors * kLanes;
      const Vec sum = LoadSums(sums + i * kLanes, start + at);
      y[i] = Fma(Mul(sum, Set1(a_scale[i / kBlockVectors])), Load(w_scale + at), Load(bias + at));
    }
    if constexpr (kOut == Element::kF16) {
      if constexpr (kActivate == Activate::kGeluErf) {
        GeluErfShort<kCount>(y);
      } else {
#pragma GCC unroll 16
        for (int i = 0; i < kCount; ++i) y[i] = Apply(kActivate, y[i]);
      }
#pragma GCC unroll 16
      for (int i = 0; i < kCount; ++i) {
        StoreF16(halves + (i / kBlockVectors) * c_stride + i % kBlockVectors * kLanes,
                 ClampToF16(y[i]));
      }
    } else if constexpr (kOut == Element::kBF16) {
#pragma GCC unroll 16
      for (int i = 0; i < kCount; i += 2) {
        StoreBf16(halves + (i / kBlockVectors) * c_stride + i % kBlockVectors * kLanes, y[i],
                  y[i + 1]);
      }
    } else {
#pragma GCC unroll 16
      for (int i = 0; i < kCount; ++i) {
        const int at = i % kBlockVectors * kLanes;
        if constexpr (kResidual) {
          y[i] = Add(y[i], Load(residual + (i / kBlockVectors) * residual_stride + at));
        }
        Store(floats + (i / kBlockVectors) * c_stride + at, y[i]);
      }
    }
    Advance(kRows);
  }

  // One row of a panel that has fewer columns than a block: of floats only.
  void FinishColumns(int columns) {
    for (int at = 0; at < columns; at += kLanes) {
      const int lanes = columns - at < kLanes ? columns - at : kLanes;
      const Vec sum = LoadSums(sums + at, start + at);
      Vec y = Fma(Mul(sum, Set1(*a_scale)), Load(w_scale + at), Load(bias + at));
      if constexpr (kResidual) y = Add(y, LoadPartial(residual + at, lanes));
      StorePartial(floats + at, lanes, y);
    }
    Advance(1);
  }

  __attribute__((always_inline)) void Advance(int count) {
    sums += count * kInt8Block;
    a_scale += count;
    rows -= count;
    if constexpr (kOut != Element::kF32) {
      halves += static_cast<size_t>(count) * c_stride;
    } else {
      floats += static_cast<size_t>(count) * c_stride;
    }
    if constexpr (kResidual) residual += static_cast<size_t>(count) * residual_stride;
  }

  // The next kRows rows, or as many as are left.
  template <int kRows>
  __attribute__((always_inline)) void Run() {
    constexpr int kAtOnce = kBlockVectors >= 4 ? 1 : 4 / kBlockVectors;
    if (rows >= kRows) {
#pragma GCC unroll 16
      for (int row = 0; row + kAtOnce <= kRows; row += kAtOnce) Finish<kAtOnce>();
#pragma GCC unroll 4
      for (int row = 0; row < kRows % kAtOnce; ++row) Finish<1>();
    } else {
      RunToEnd();
    }
  }
  void RunToEnd() {
    while (rows > 0) Finish<1>();
  }
};

// kRows: rows of the block before that are finished in a step of the sum.
template <Element kOut, bool kResidual, Activate kActivate, int kRows>
void Int8ProductInSteps(const Int8ProductArgs& args) {
  [[maybe_unused]] const SumScope scope;
  const int depth = args.depth;
  const size_t block_bytes = static_cast<size_t>(depth) * kInt8Depth * kInt8Block;
  const int blocks = (args.rows + kInt8Block - 1) / kInt8Block;
  const int steps = blocks * SumSteps(depth);
  const int lines_per_step = (static_cast<int>(block_bytes / 64) + steps - 1) / steps;
  int32_t* sums = args.scratch;
  int32_t* finished = args.scratch + kInt8Block * kInt8Block;
  Finisher<kOut, kResidual, kActivate> finisher;
  for (int column = 0; column < args.n; column += kInt8Block) {
    const int8_t* panel = args.w + static_cast<size_t>(column / kInt8Block) * args.w_stride;
    // The next panel is on its way to L2 while this one is used.
    const bool more = column + kInt8Block < args.n;
    const char* next = static_cast<const char*>(more ? panel + args.w_stride : args.next);
    const int lines = next != nullptr ? lines_per_step : 0;
    for (int block = 0; block < blocks; ++block) {
      SumBlock(args.a + static_cast<size_t>(block) * block_bytes, panel, depth, sums, [&] {
        for (int i = 0; i < lines; ++i, next += 64) __builtin_prefetch(next, 0, 2);
        finisher.template Run<kRows>();
      });
      finisher.RunToEnd();
      finisher = Finisher<kOut, kResidual, kActivate>(args, sums, block * kInt8Block, column);
      if constexpr (kOut == Element::kF32) {
        if (const int columns = args.n - column; columns < kInt8Block) {
          while (finisher.rows > 0) finisher.FinishColumns(columns);
        }
      }
      int32_t* const swap = finished;
      finished = sums;
      sums = swap;
    }
  }
  finisher.RunToEnd();
}

template <Element kOut, bool kResidual, Activate kActivate>
void Int8ProductAs(const Int8ProductArgs& args) {
  const int steps = SumSteps(args.depth);
  if (steps >= 16) return Int8ProductInSteps<kOut, kResidual, kActivate, 2>(args);
  if (steps >= 11) return Int8ProductInSteps<kOut, kResidual, kActivate, 3>(args);
  if (steps >= 6) return Int8ProductInSteps<kOut, kResidual, kActivate, 6>(args);
  Int8ProductInSteps<kOut, kResidual, kActivate, 8>(args);
}

void Int8Product(const Int8ProductArgs& args) {
  if (args.rows <= 0) return;
  if (args.c_element == Element::kF32) {
    if (args.residual != nullptr) {
      Int8ProductAs<Element::kF32, true, Activate::kNone>(args);
    } else {
      Int8ProductAs<Element::kF32, false, Activate::kNone>(args);
    }
    return;
  }
  switch (args.activate) {
    case Activate::kGeluErf:
      return Int8ProductAs<Element::kF16, false, Activate::kGeluErf>(args);
    case Activate::kGeluTanh:
      return Int8ProductAs<Element::kF16, false, Activate::kGeluTanh>(args);
    case Activate::kRelu:
      return Int8ProductAs<Element::kF16, false, Activate::kRelu>(args);
    case Activate::kTanh:
      return Int8ProductAs<Element::kF16, false, Activate::kTanh>(args);
    case Activate::kNone:
      return Int8ProductAs<Element::kF16, false, Activate::kNone>(args);
  }
}

// What a row of QuantizeArgs reads. Locals of its own: bytes that are stored may be anyone's, and
// the compiler would read all of `args` anew after each.
template <bool kHalf, bool kScaled>
struct QuantizeSource {
  const uint16_t* halves;
  const float* floats;
  const float* column_scale;
  int width;

  QuantizeSource(const QuantizeArgs& args, int row)
      : halves(static_cast<const uint16_t*>(args.x) + static_cast<size_t>(row) * args.x_stride),
        floats(static_cast<const float*>(args.x) + static_cast<size_t>(row) * args.x_stride),
        column_scale(args.column_scale),
        width(args.width) {}
  Vec operator()(int i) const {
    const int lanes = width - i;
    Vec x;
    if constexpr (kHalf) {
      x = lanes >= kLanes ? LoadF16(halves + i) : LoadF16Partial(halves + i, lanes);
    } else {
      x = lanes >= kLanes ? Load(floats + i) : LoadPartial(floats + i, lanes);
    }
    if constexpr (kScaled) {
      x = Mul(x, lanes >= kLanes ? Load(column_scale + i) : LoadPartial(column_scale + i, lanes));
    }
    return x;
  }
};

template <bool kHalf, bool kScaled>
inline void QuantizeRow(const QuantizeArgs& args, int row) {
  const QuantizeSource<kHalf, kScaled> x(args, row);
  Vec top = Zero();
  int i = 0;
  for (; i + kLanes <= x.width; i += kLanes) top = MaxBits(top, Abs(x(i)));
  if (i < x.width) top = MaxBits(top, Abs(x(i)));
  const float magnitude = ReduceMaxBits(top);
  const float low = args.one_sided ? kOneSidedLow : 0;
  const float scale = args.one_sided ? (magnitude - low) / 255 : magnitude / 127;
  args.scale[row] = scale;
  // Below this a row is zero in effect, and its inverse would not be finite.
  const Vec inverse = Set1(scale < 1e-35f ? 0 : 1 / scale);
  const Vec shift = Set1(low);
  const Vec middle = Set1(args.one_sided ? 128.0f : 0);
  const int at = args.first_row + row;
  uint8_t* out = args.out +
                 static_cast<size_t>(at / kInt8Block) * args.depth * (kInt8Block * kInt8Depth) +
                 static_cast<size_t>(at % kInt8Block) * kInt8Depth;
  // Two roundings in every table, so that the bytes are the same in all.
  const auto store = [&](int column, uint8_t* bytes) {
    StoreBytes(bytes, Sub(Mul(Sub(x(column), shift), inverse), middle));
  };
  for (i = 0; i + kInt8Depth <= x.width; i += kInt8Depth, out += kInt8Block * kInt8Depth) {
#pragma GCC unroll 16
    for (int v = 0; v < kInt8Depth; v += kLanes) store(i + v, out + v);
  }
  for (int v = 0; i + v < x.width; v += kLanes) store(i + v, out + v);
}

void Quantize(const QuantizeArgs& args) {
  for (int row = 0; row < args.rows; ++row) {
    if (args.column_scale != nullptr) {
      args.element == Element::kF16 ? QuantizeRow<true, true>(args, row)
                                    : QuantizeRow<false, true>(args, row);
    } else {
      args.element == Element::kF16 ? QuantizeRow<true, false>(args, row)
                                    : QuantizeRow<false, false>(args, row);
    }
  }
}
