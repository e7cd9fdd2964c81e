// Products of bytes, and floats → bytes.
//
//   for panel of 32 outputs                    its weights, 32 KiB at most, stay in L1
//     for block of 32 rows                     activations stream from L2
//       32 × 32 sums (sum_block.inl)           while the vector units finish the block before:
//                                              scales, bias, activation, residual
//
// Finishing a block takes about as long as summing it with AMX, on units that the tiles leave idle,
// so a slice of it stands between any two steps of the sum.

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
  int rows = 0;     // left
  int columns = 0;  // of the panel

  Finisher() = default;
  Finisher(const Int8ProductArgs& args, const int32_t* block_sums, int row, int column)
      : sums(block_sums),
        a_scale(args.a_scale + row),
        w_scale(args.w_scale + column),
        start(args.start + column),
        bias(args.bias + column),
        c_stride(args.c_stride),
        rows(args.rows - row < kInt8Block ? args.rows - row : kInt8Block),
        columns(args.n - column < kInt8Block ? args.n - column : kInt8Block) {
    const size_t at = static_cast<size_t>(row) * args.c_stride + static_cast<size_t>(column);
    if constexpr (kOut == Element::kF16) {
      halves = static_cast<uint16_t*>(args.c) + at;
    } else {
      floats = static_cast<float*>(args.c) + at;
    }
    if constexpr (kResidual) {
      residual = args.residual + static_cast<size_t>(row) * args.residual_stride + column;
      residual_stride = args.residual_stride;
    }
  }

  // Rows of the output lie pages apart, and no hardware sees them coming (14 % of a layer went on
  // waiting for them).
  void FetchRow(int row) const {
    if constexpr (kOut == Element::kF16) {
      __builtin_prefetch(halves + static_cast<size_t>(row) * c_stride, 1, 3);
    } else {
      __builtin_prefetch(floats + static_cast<size_t>(row) * c_stride, 1, 3);
      __builtin_prefetch(floats + static_cast<size_t>(row) * c_stride + 16, 1, 3);
    }
  }

  void Run(int count) {
    if (count > rows) count = rows;
    rows -= count;
    for (; count > 0; --count) {
      const Vec scale = Set1(*a_scale++);
#pragma GCC unroll 8
      for (int at = 0; at < kInt8Block; at += kLanes) {
        const Vec sum = LoadSums(sums + at, start + at);
        Vec y = Fma(Mul(sum, scale), Load(w_scale + at), Load(bias + at));
        if constexpr (kOut == Element::kF16) {
          y = kActivate == Activate::kGeluErf ? GeluErfShort(y) : Apply(kActivate, y);
          // Infinity would end the row; a finite value too large only loses its neighbours' digits.
          StoreF16(halves + at, Min(Set1(65504.0f), Max(Set1(-65504.0f), y)));
        } else if (columns == kInt8Block) {
          if constexpr (kResidual) y = Add(y, Load(residual + at));
          Store(floats + at, y);
        } else {
          const int lanes = columns - at < kLanes ? columns - at : kLanes;
          if (lanes <= 0) break;
          if constexpr (kResidual) y = Add(y, LoadPartial(residual + at, lanes));
          StorePartial(floats + at, lanes, y);
        }
      }
      sums += kInt8Block;
      if constexpr (kOut == Element::kF16) {
        halves += c_stride;
      } else {
        floats += c_stride;
      }
      if constexpr (kResidual) residual += residual_stride;
    }
  }
};

template <Element kOut, bool kResidual, Activate kActivate>
void Int8ProductAs(const Int8ProductArgs& args) {
  [[maybe_unused]] const SumScope scope;
  const int depth = args.depth;
  const size_t block_bytes = static_cast<size_t>(depth) * kInt8Depth * kInt8Block;
  const int blocks = (args.rows + kInt8Block - 1) / kInt8Block;
  const int steps = SumSteps(depth);
  const int rows_per_step = (kInt8Block + steps - 1) / steps;
  const int lines_per_step =
      (static_cast<int>(block_bytes / 64) + blocks * steps - 1) / (blocks * steps);
  int32_t* sums = args.scratch;
  int32_t* finished = args.scratch + kInt8Block * kInt8Block;
  Finisher<kOut, kResidual, kActivate> finisher;
  for (int column = 0; column < args.n; column += kInt8Block) {
    const int8_t* panel = args.w + static_cast<size_t>(column / kInt8Block) * args.w_stride;
    // The next panel is on its way to L2 while this one is used.
    const char* next = reinterpret_cast<const char*>(panel) + args.w_stride;
    for (int block = 0; block < blocks; ++block) {
      Finisher<kOut, kResidual, kActivate> coming(args, sums, block * kInt8Block, column);
      int fetched = 0;
      SumBlock(args.a + static_cast<size_t>(block) * block_bytes, panel, depth, sums, [&] {
        for (int i = 0; i < lines_per_step; ++i, next += 64) __builtin_prefetch(next, 0, 2);
        for (int i = 0; i < rows_per_step; ++i) coming.FetchRow(fetched++);
        finisher.Run(rows_per_step);
      });
      finisher = coming;
      int32_t* const swap = finished;
      finished = sums;
      sums = swap;
    }
  }
  finisher.Run(kInt8Block);
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

template <bool kHalf, bool kScaled>
inline void QuantizeRow(const QuantizeArgs& args, int row) {
  const auto load = [&](int i, int lanes) {
    Vec x;
    if constexpr (kHalf) {
      const uint16_t* halves =
          static_cast<const uint16_t*>(args.x) + static_cast<size_t>(row) * args.x_stride + i;
      x = lanes == kLanes ? LoadF16(halves) : LoadF16Partial(halves, lanes);
    } else {
      x = LoadPartial(
          static_cast<const float*>(args.x) + static_cast<size_t>(row) * args.x_stride + i, lanes);
    }
    return kScaled ? Mul(x, LoadPartial(args.column_scale + i, lanes)) : x;
  };
  Vec top = Zero();
  for (int i = 0; i < args.width; i += kLanes) {
    top = MaxBits(top, Abs(load(i, args.width - i < kLanes ? args.width - i : kLanes)));
  }
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
  for (int i = 0; i < args.width; i += kLanes) {
    const Vec x = load(i, args.width - i < kLanes ? args.width - i : kLanes);
    // Two roundings in every table, so that the bytes are the same in all.
    StoreBytes(
        out + static_cast<size_t>(i / kInt8Depth) * (kInt8Block * kInt8Depth) + i % kInt8Depth,
        Sub(Mul(Sub(x, shift), inverse), middle));
  }
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
