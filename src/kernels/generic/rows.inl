// Row-wise functions: layer norm, embedding sum, conversions.

// The sum over a row's columns: f(sum, i, lanes) adds what it has from column i on. Four chains
// hide the latency of an addition.
template <typename F>
inline float SumOf(int width, F&& f) {
  Vec sums[4] = {Zero(), Zero(), Zero(), Zero()};
  int i = 0;
  for (; i + 4 * kLanes <= width; i += 4 * kLanes) {
#pragma GCC unroll 4
    for (int chain = 0; chain < 4; ++chain) f(sums[chain], i + chain * kLanes, kLanes);
  }
  for (; i < width; i += kLanes) f(sums[0], i, width - i < kLanes ? width - i : kLanes);
  return ReduceAdd(Add(Add(sums[0], sums[1]), Add(sums[2], sums[3])));
}

// Two passes: the variance is of deviations from the rounded mean, so large means do not cancel (Ba
// et al. 2016 for the formula).
void LayerNorm(const float* x, size_t x_stride, int rows, int width, const float* gain,
               const float* bias, float eps, float* out, size_t out_stride) {
  for (int row = 0; row < rows; ++row, x += x_stride, out += out_stride) {
    const auto load = [&](int i, int lanes) {
      return lanes == kLanes ? Load(x + i) : LoadPartial(x + i, lanes);
    };
    const float total =
        SumOf(width, [&](Vec& sum, int i, int lanes) { sum = Add(sum, load(i, lanes)); });
    const Vec mean = Set1(total / static_cast<float>(width));
    const float squares = SumOf(width, [&](Vec& sum, int i, int lanes) {
      Vec d = Sub(load(i, lanes), mean);
      if (lanes < kLanes) d = KeepFirst(d, lanes);
      sum = Fma(d, d, sum);
    });
    const float variance = squares / static_cast<float>(width);
    const Vec inverse = Set1(1.0f / __builtin_sqrtf(variance + eps));
    for (int i = 0; i < width; i += kLanes) {
      const int lanes = width - i < kLanes ? width - i : kLanes;
      const Vec d = Mul(Sub(LoadPartial(x + i, lanes), mean), inverse);
      StorePartial(out + i, lanes,
                   Fma(d, LoadPartial(gain + i, lanes), LoadPartial(bias + i, lanes)));
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

void Embed(const void* a, Element element, const float* b, const float* c, int width, float* out) {
  for (int i = 0; i < width; i += kLanes) {
    const int lanes = width - i < kLanes ? width - i : kLanes;
    Vec sum = LoadElements(a, element, static_cast<size_t>(i), lanes);
    if (c != nullptr) sum = Add(sum, LoadPartial(c + i, lanes));
    StorePartial(out + i, lanes, Add(sum, LoadPartial(b + i, lanes)));
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
