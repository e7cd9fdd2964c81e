// Products of bytes, and floats → bytes.
//
//   for panel of 32 outputs                    its weights, 32 KiB at most, stay in L1
//     for block of 32 rows                     activations stream from L2
//       32 × 32 sums (sum_block.inl)           while the vector units finish the block before:
//                                              scales, bias, activation, residual
//
// Finishing a block takes about as long as summing it with AMX, on units that the tiles leave idle,
// so a slice of it stands between any two steps of the sum.

template <Element kOut, bool kResidual, Activate kActivate>
inline void FinishRows(const Int8ProductArgs& args, const int32_t* sums, int first_row, int column,
                       int begin, int end) {
  const int rows = args.rows - first_row < end ? args.rows - first_row : end;
  for (int half = 0; half < kInt8Block; half += kLanes) {
    const int at = column + half;
    const int lanes = args.n - at < kLanes ? args.n - at : kLanes;
    if (kOut == Element::kF32 && lanes <= 0) return;
    const Vec w_scale = Load(args.w_scale + at);
    const Vec bias = Load(args.bias + at);
    for (int i = begin; i < rows; ++i) {
      const auto row = static_cast<size_t>(first_row + i);
      const Vec sum = LoadSums(sums + i * kInt8Block + half, args.start + at);
      Vec y = Fma(Mul(sum, Set1(args.a_scale[row])), w_scale, bias);
      if constexpr (kOut == Element::kF16) {
        y = kActivate == Activate::kGeluErf ? GeluErfShort(y) : Apply(kActivate, y);
        // Infinity would end the row; a finite value too large only loses its neighbours' digits.
        StoreF16(static_cast<uint16_t*>(args.c) + row * args.c_stride + at,
                 Min(Set1(65504.0f), Max(Set1(-65504.0f), y)));
      } else {
        float* c = static_cast<float*>(args.c) + row * args.c_stride + at;
        if constexpr (kResidual) {
          y = Add(y, LoadPartial(args.residual + row * args.residual_stride + at, lanes));
        }
        StorePartial(c, lanes, y);
      }
    }
  }
}

template <Element kOut, bool kResidual, Activate kActivate>
void Int8ProductAs(const Int8ProductArgs& args) {
  [[maybe_unused]] const SumScope scope;
  const size_t block_bytes = static_cast<size_t>(args.depth) * kInt8Depth * kInt8Block;
  const int blocks = (args.rows + kInt8Block - 1) / kInt8Block;
  int32_t* sums = args.scratch;
  int32_t* finished = args.scratch + kInt8Block * kInt8Block;
  int finished_row = -1;
  int finished_column = 0;
  for (int column = 0; column < args.n; column += kInt8Block) {
    const int8_t* panel = args.w + static_cast<size_t>(column / kInt8Block) * args.w_stride;
    // The next panel is on its way to L2 while this one is used.
    const char* next = reinterpret_cast<const char*>(panel) + args.w_stride;
    const auto lines_per_step =
        static_cast<int>((block_bytes / 64 + blocks * args.depth - 1) / (blocks * args.depth));
    for (int block = 0; block < blocks; ++block) {
      SumBlock(args.a + static_cast<size_t>(block) * block_bytes, panel, args.depth, sums,
               [&](int step, int steps) {
                 for (int i = 0; i < lines_per_step * args.depth / steps; ++i, next += 64) {
                   __builtin_prefetch(next, 0, 2);
                 }
                 if (finished_row < 0) return;
                 FinishRows<kOut, kResidual, kActivate>(args, finished, finished_row,
                                                        finished_column, step * kInt8Block / steps,
                                                        (step + 1) * kInt8Block / steps);
               });
      int32_t* const swap = finished;
      finished = sums;
      sums = swap;
      finished_row = block * kInt8Block;
      finished_column = column;
    }
  }
  FinishRows<kOut, kResidual, kActivate>(args, finished, finished_row, finished_column, 0,
                                         kInt8Block);
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

template <bool kHalf>
inline void QuantizeRow(const QuantizeArgs& args, int row) {
  const auto load = [&](int i, int lanes) {
    if constexpr (kHalf) {
      const uint16_t* x =
          static_cast<const uint16_t*>(args.x) + static_cast<size_t>(row) * args.x_stride + i;
      return lanes == kLanes ? LoadF16(x) : LoadF16Partial(x, lanes);
    } else {
      return LoadPartial(
          static_cast<const float*>(args.x) + static_cast<size_t>(row) * args.x_stride + i, lanes);
    }
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
    if (args.element == Element::kF16) {
      QuantizeRow<true>(args, row);
    } else {
      QuantizeRow<false>(args, row);
    }
  }
}
