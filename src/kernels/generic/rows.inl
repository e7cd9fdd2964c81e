// Row-wise functions: layer norm, embedding sum, conversions.

// Elements from a row's start to its column i, of which kLanes lie together.
inline size_t ColumnOffset(int i, size_t panel) {
  const auto column = static_cast<size_t>(i);
  return column / kInt8Block * panel + column % kInt8Block;
}

// The sum over a row's columns: f(sum, p, lanes) adds what it has at p. Four chains hide the
// latency of an addition.
template <typename F>
inline float SumOf(const float* x, size_t panel, int width, F&& f) {
  Vec sums[4] = {Zero(), Zero(), Zero(), Zero()};
  int i = 0;
  for (; i + 4 * kLanes <= width; i += 4 * kLanes) {
    const float* at = x + ColumnOffset(i, panel);
#pragma GCC unroll 4
    for (int chain = 0; chain < 4; ++chain) {
      f(sums[chain], at + ColumnOffset(chain * kLanes, panel), kLanes);
    }
  }
  for (; i < width; i += kLanes) {
    f(sums[0], x + ColumnOffset(i, panel), width - i < kLanes ? width - i : kLanes);
  }
  return ReduceAdd(Add(Add(sums[0], sums[1]), Add(sums[2], sums[3])));
}

// Two passes: the variance is of deviations from the rounded mean, so large means do not cancel (Ba
// et al. 2016 for the formula).
void LayerNorm(FloatRows rows, int count, int width, const float* gain, const float* bias,
               float eps) {
  const auto load = [](const float* p, int lanes) {
    return lanes == kLanes ? Load(p) : LoadPartial(p, lanes);
  };
  float* x = rows.data;
  for (int row = 0; row < count; ++row, x += rows.stride) {
    const float total = SumOf(x, rows.panel, width, [&](Vec& sum, const float* p, int lanes) {
      sum = Add(sum, load(p, lanes));
    });
    const Vec mean = Set1(total / static_cast<float>(width));
    const float squares = SumOf(x, rows.panel, width, [&](Vec& sum, const float* p, int lanes) {
      Vec d = Sub(load(p, lanes), mean);
      if (lanes < kLanes) d = KeepFirst(d, lanes);
      sum = Fma(d, d, sum);
    });
    const float variance = squares / static_cast<float>(width);
    const Vec inverse = Set1(1.0f / __builtin_sqrtf(variance + eps));
    float* panel = x;
    int column = 0;
    for (; column + kInt8Block <= width; column += kInt8Block, panel += rows.panel) {
#pragma GCC unroll 8
      for (int i = 0; i < kInt8Block; i += kLanes) {
        const Vec d = Mul(Sub(Load(panel + i), mean), inverse);
        Store(panel + i, Fma(d, Load(gain + column + i), Load(bias + column + i)));
      }
    }
    for (int i = 0; column + i < width; i += kLanes) {
      const int left = width - column - i;
      const int lanes = left < kLanes ? left : kLanes;
      const Vec d = Mul(Sub(LoadPartial(panel + i, lanes), mean), inverse);
      StorePartial(
          panel + i, lanes,
          Fma(d, LoadPartial(gain + column + i, lanes), LoadPartial(bias + column + i, lanes)));
    }
  }
}

inline Vec LoadElements(const void* in, Element element, size_t first, int lanes) {
  switch (element) {
    case Element::kF16:
      return LoadF16Partial(static_cast<const uint16_t*>(in) + first, lanes);
    case Element::kBF16:
      return LoadBF16Partial(static_cast<const uint16_t*>(in) + first, lanes);
    case Element::kF32:
      break;
  }
  return LoadPartial(static_cast<const float*>(in) + first, lanes);
}

void Embed(const void* a, Element element, const float* b, const float* c, int width,
           FloatRows out) {
  for (int i = 0; i < width; i += kLanes) {
    const int lanes = width - i < kLanes ? width - i : kLanes;
    Vec sum = LoadElements(a, element, static_cast<size_t>(i), lanes);
    if (c != nullptr) sum = Add(sum, LoadPartial(c + i, lanes));
    StorePartial(out.data + ColumnOffset(i, out.panel), lanes, Add(sum, LoadPartial(b + i, lanes)));
  }
}

void Widen(const void* in, Element element, size_t count, float* out) {
  for (size_t i = 0; i < count; i += kLanes) {
    const int lanes =
        count - i < static_cast<size_t>(kLanes) ? static_cast<int>(count - i) : kLanes;
    StorePartial(out + i, lanes, LoadElements(in, element, i, lanes));
  }
}

void ActivateArray(Activate activate, const float* x, size_t count, float* y) {
  for (size_t i = 0; i < count; i += kLanes) {
    const int lanes =
        count - i < static_cast<size_t>(kLanes) ? static_cast<int>(count - i) : kLanes;
    StorePartial(y + i, lanes, Apply(activate, LoadPartial(x + i, lanes)));
  }
}

void ExpNegativeArray(const float* x, size_t count, float* y) {
  for (size_t i = 0; i < count; i += kLanes) {
    const int lanes =
        count - i < static_cast<size_t>(kLanes) ? static_cast<int>(count - i) : kLanes;
    StorePartial(y + i, lanes, ExpNegative(LoadPartial(x + i, lanes)));
  }
}
