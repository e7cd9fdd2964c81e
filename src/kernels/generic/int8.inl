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
    const size_t at = static_cast<size_t>(row) * args.c_stride;
    if constexpr (kOut != Element::kF32) {
      halves = static_cast<uint16_t*>(args.c) + at + column;
    } else {
      const size_t of_panel = static_cast<size_t>(column / kInt8Block) * args.c_panel;
      floats = static_cast<float*>(args.c) + at + of_panel;
      if constexpr (kResidual) residual = args.residual + at + of_panel;
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
          y[i] = Add(y[i], Load(residual + (i / kBlockVectors) * c_stride + at));
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
    if constexpr (kResidual) residual += static_cast<size_t>(count) * c_stride;
  }

  // The next kRows rows, or as many as are left.
  template <int kRows>
  __attribute__((always_inline)) void Run() {
    // Two rows of two vectors hide the latencies; three, where a third would be left over.
    constexpr int kAtOnce = kBlockVectors >= 4 ? 1 : kRows == 3 ? 3 : 4 / kBlockVectors;
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

// A block of a rotation in registers. The order of its additions is the same for any number of
// lanes, so the bytes are the same in all tables.
template <int kBlock>
__attribute__((always_inline)) inline void RotateVectors(Vec* x) {
  constexpr int kCount = kBlock / kLanes;
#pragma GCC unroll 32
  for (int i = 0; i < kCount; ++i) {
    x[i] = Butterfly<2>(Butterfly<1>(x[i]));
    if constexpr (kLanes > 4) x[i] = Butterfly<4>(x[i]);
    if constexpr (kLanes > 8) x[i] = Butterfly<8>(x[i]);
  }
#pragma GCC unroll 5
  for (int distance = 1; distance < kCount; distance *= 2) {
#pragma GCC unroll 32
    for (int i = 0; i < kCount; ++i) {
      if ((i & distance) != 0) continue;
      const Vec a = x[i], b = x[i + distance];
      x[i] = Add(a, b);
      x[i + distance] = Sub(a, b);
    }
  }
  if constexpr (kBlock != kRotationBlock) {
#pragma GCC unroll 32
    for (int i = 0; i < kCount; ++i) x[i] = Mul(x[i], Set1(kRotationScale[__builtin_ctz(kBlock)]));
  }
}

template <bool kHalf>
struct RowRotation {
  const uint16_t* halves;
  const float* floats;
  size_t panel;
  int width;
  float* out;
  Vec top = Zero();
  int column = 0;

  RowRotation(const QuantizeArgs& args, int row)
      : halves(static_cast<const uint16_t*>(args.x) + static_cast<size_t>(row) * args.x_stride),
        floats(static_cast<const float*>(args.x) + static_cast<size_t>(row) * args.x_stride),
        panel(args.x_panel),
        width(args.width),
        out(args.scratch) {}

  template <int kBlock>
  __attribute__((always_inline)) void Block() {
    constexpr int kCount = kBlock / kLanes;
    Vec x[kCount];
    const float* block = kHalf ? nullptr : floats + ColumnOffset(column, panel);
#pragma GCC unroll 32
    for (int i = 0; i < kCount; ++i) {
      const int at = i * kLanes;
      x[i] = kHalf ? LoadF16(halves + column + at) : Load(block + ColumnOffset(at, panel));
    }
    RotateVectors<kBlock>(x);
#pragma GCC unroll 32
    for (int i = 0; i < kCount; ++i) {
      top = MaxBits(top, Abs(x[i]));
      Store(out + column + i * kLanes, x[i]);
    }
    column += kBlock;
  }

  // All of the row, and zeros up to the next whole 64 columns. Returns the largest magnitude.
  float Run(int depth) {
    while (width - column >= kRotationBlock) Block<kRotationBlock>();
    if (width - column >= 64) Block<64>();
    if (width - column >= 32) Block<32>();
    if (width - column >= 16) Block<16>();
    for (; column < depth * kInt8Depth; column += kLanes) {
      Vec x = Zero();
      if (const int lanes = width - column < kLanes ? width - column : kLanes; lanes > 0) {
        x = kHalf ? LoadF16Partial(halves + column, lanes)
                  : LoadPartial(floats + ColumnOffset(column, panel), lanes);
        x = Mul(x, Set1(kRotationScale[0]));
      }
      top = MaxBits(top, Abs(x));
      Store(out + column, x);
    }
    return ReduceMaxBits(top);
  }
};

template <bool kHalf>
inline void QuantizeRow(const QuantizeArgs& args, int row) {
  const float magnitude = RowRotation<kHalf>(args, row).Run(args.depth);
  const float scale = magnitude / 127;
  args.scale[row] = scale;
  // Below this a row is zero in effect, and its inverse would not be finite.
  const Vec inverse = Set1(scale < 1e-35f ? 0 : 1 / scale);
  const int at = args.first_row + row;
  uint8_t* out = args.out +
                 static_cast<size_t>(at / kInt8Block) * args.depth * (kInt8Block * kInt8Depth) +
                 static_cast<size_t>(at % kInt8Block) * kInt8Depth;
  const float* x = args.scratch;
  const float* const end = x + static_cast<size_t>(args.depth) * kInt8Depth;
  for (; x < end; x += kInt8Depth, out += kInt8Block * kInt8Depth) {
    Vec steps[kInt8Depth / kLanes];
#pragma GCC unroll 16
    for (int i = 0; i < kInt8Depth / kLanes; ++i) steps[i] = Mul(Load(x + i * kLanes), inverse);
    StoreByteLine(out, steps);
  }
}

void Quantize(const QuantizeArgs& args) {
  for (int row = 0; row < args.rows; ++row) {
    args.element == Element::kF16 ? QuantizeRow<true>(args, row) : QuantizeRow<false>(args, row);
  }
}
