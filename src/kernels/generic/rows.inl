// Row-wise functions: layer norm, embedding sum, conversions.

inline float SumOf(const float* x, int width) {
  Vec sum = Zero();
  int i = 0;
  for (; i + kLanes <= width; i += kLanes) sum = Add(sum, Load(x + i));
  if (i < width) sum = Add(sum, LoadPartial(x + i, width - i));
  return ReduceAdd(sum);
}

// Two passes: the variance is of deviations from the rounded mean, so large means do not cancel (Ba
// et al. 2016 for the formula).
void LayerNorm(const float* x, size_t x_stride, int rows, int width, const float* gain,
               const float* bias, float eps, float* out, size_t out_stride) {
  for (int row = 0; row < rows; ++row, x += x_stride, out += out_stride) {
    const Vec mean = Set1(SumOf(x, width) / static_cast<float>(width));
    Vec squares = Zero();
    int i = 0;
    for (; i + kLanes <= width; i += kLanes) {
      const Vec d = Sub(Load(x + i), mean);
      squares = Fma(d, d, squares);
    }
    if (i < width) {
      const Vec d = KeepFirst(Sub(LoadPartial(x + i, width - i), mean), width - i);
      squares = Fma(d, d, squares);
    }
    const float variance = ReduceAdd(squares) / static_cast<float>(width);
    const Vec inverse = Set1(1.0f / __builtin_sqrtf(variance + eps));
    for (i = 0; i < width; i += kLanes) {
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
