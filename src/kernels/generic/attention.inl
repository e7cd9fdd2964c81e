// One head of one sequence, dense and exact. Keys go to panels kᵀ [length/P][d][P] and values to
// [d/P][length][P] in scratch, so that both products are the Tile of product.inl. A tile of query
// rows has its scores, their softmax and its output done at once: memory is linear in length.
// Columns past the sequence are zero in the panels and are never read as probabilities.

inline int RoundUpToPanel(int x) { return (x + kPanel - 1) / kPanel * kPanel; }

inline void PackKeys(const AttentionArgs& args, float* panels) {
  const auto* k = static_cast<const float*>(args.k);
  for (int key = 0; key < RoundUpToPanel(args.length); key += kLanes) {
    float* panel =
        panels + static_cast<size_t>(key / kPanel) * kPanel * args.head_size + key % kPanel;
    for (int d = 0; d < args.head_size; d += kLanes) {
      const int lanes = args.head_size - d < kLanes ? args.head_size - d : kLanes;
      Vec rows[kLanes];
#pragma GCC unroll 16
      for (int row = 0; row < kLanes; ++row) {
        const size_t at = static_cast<size_t>(key + row) * args.kv_stride;
        rows[row] = key + row < args.length ? LoadPartial(k + at + d, lanes) : Zero();
      }
      Transpose(rows);
      float* out = panel + static_cast<size_t>(d) * kPanel;
      if (lanes == kLanes) {
#pragma GCC unroll 16
        for (int column = 0; column < kLanes; ++column) Store(out + column * kPanel, rows[column]);
      } else {
        for (int column = 0; column < lanes; ++column) Store(out + column * kPanel, rows[column]);
      }
    }
  }
}

inline void PackValues(const AttentionArgs& args, float* panels) {
  const auto* v = static_cast<const float*>(args.v);
  for (int d = 0; d < args.head_size; d += kLanes) {
    const int lanes = args.head_size - d < kLanes ? args.head_size - d : kLanes;
    float* out = panels + static_cast<size_t>(d / kPanel) * kPanel * args.length + d % kPanel;
    for (int key = 0; key < args.length; ++key) {
      Store(out + static_cast<size_t>(key) * kPanel,
            LoadPartial(v + static_cast<size_t>(key) * args.kv_stride + d, lanes));
    }
  }
}

// scores[i] → exp(scale · (score − max)); returns the sum. One fixed order of summation per length.
inline float Softmax(float* scores, int length, float scale) {
  const int body = length / kLanes * kLanes;
  const int tail = length - body;
  Vec top = Set1(-__builtin_inff());
  for (int i = 0; i < body; i += kLanes) top = Max(Load(scores + i), top);
  float max = ReduceMax(top);
  for (int i = body; i < length; ++i) max = scores[i] > max ? scores[i] : max;
  const Vec shift = Set1(-max);
  const Vec factor = Set1(scale);
  Vec sum = Zero();
  for (int i = 0; i < body; i += kLanes) {
    const Vec p = ExpNegative(Mul(Add(Load(scores + i), shift), factor));
    Store(scores + i, p);
    sum = Add(sum, p);
  }
  if (tail > 0) {
    const Vec p = ExpNegative(Mul(Add(LoadPartial(scores + body, tail), shift), factor));
    StorePartial(scores + body, tail, p);
    sum = Add(sum, KeepFirst(p, tail));
  }
  return ReduceAdd(sum);
}

void Attention(const AttentionArgs& args) {
  const int length = args.length;
  const int width = args.head_size;
  const int columns = RoundUpToPanel(length);
  float* keys = args.scratch;
  float* values = keys + static_cast<size_t>(columns) * width;
  float* scores = values + static_cast<size_t>(RoundUpToPanel(width)) * length;
  PackKeys(args, keys);
  PackValues(args, values);
  alignas(64) float block[kTileRows * kPanel];
  for (int row = 0; row < args.queries; row += kTileRows) {
    const int rows = args.queries - row < kTileRows ? args.queries - row : kTileRows;
    const float* q = static_cast<const float*>(args.q) + static_cast<size_t>(row) * args.q_stride;
    for (int column = 0; column < columns; column += kPanel) {
      Tiles(rows, q, args.q_stride, keys + static_cast<size_t>(column) * width, width, block, true,
            nullptr, 0);
      for (int i = 0; i < rows; ++i) {
        float* out = scores + static_cast<size_t>(i) * columns + column;
        Store(out, Load(block + i * kPanel));
        Store(out + kLanes, Load(block + i * kPanel + kLanes));
      }
    }
    float inverse[kTileRows];
    for (int i = 0; i < rows; ++i) {
      inverse[i] = 1.0f / Softmax(scores + static_cast<size_t>(i) * columns, length, args.scale);
    }
    for (int d = 0; d < width; d += kPanel) {
      Tiles(rows, scores, static_cast<size_t>(columns), values + static_cast<size_t>(d) * length,
            length, block, true, nullptr, 0);
      for (int half = 0; half < 2; ++half) {
        const int first = d + half * kLanes;
        const int lanes = width - first < kLanes ? width - first : kLanes;
        if (lanes <= 0) break;
        for (int i = 0; i < rows; ++i) {
          StorePartial(static_cast<float*>(args.out) +
                           static_cast<size_t>(row + i) * args.out_stride + first,
                       lanes, Mul(Load(block + i * kPanel + half * kLanes), Set1(inverse[i])));
        }
      }
    }
  }
}
