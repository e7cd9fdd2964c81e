// exp, erf and what is built of them, over the including table's Vec. Body and tail of an array use
// these same functions.

// exp(x) for x ≤ 0, 0 below −87.3 (the result would be subnormal). Relative error < 2e-7.
// 2^n · e^r with n = round(x / ln 2), |r| ≤ ln 2 / 2; the polynomial is a least-squares minimax fit
// of degree 6 (error 3e-9).
inline Vec ExpNegative(Vec x) {
  const Vec low = Set1(-87.3f);
  const Vec clamped = Max(low, x);
  const Vec n = Round(Mul(clamped, Set1(1.44269504088896341f)));
  Vec r = Fma(n, Set1(-0.693145751953125f),
              clamped);  // ln 2 in two parts: the first has 12 bits, so n · it is exact
  r = Fma(n, Set1(-1.428606765330187e-06f), r);
  Vec p = Set1(1.381459848e-03f);
  p = Fma(p, r, Set1(8.368717017e-03f));
  p = Fma(p, r, Set1(4.166838806e-02f));
  p = Fma(p, r, Set1(1.666652063e-01f));
  p = Fma(p, r, Set1(4.999999345e-01f));
  p = Fma(p, r, Set1(1.0f));
  p = Fma(p, r, Set1(1.0f));
  return ZeroWhereLess(x, low, ScaleByPowerOfTwo(p, n));
}

// 2^t for results that become brain floats or 16-bit fractions next, t < 16: relative error < 1e-4
// (2^r on 0 ≤ r < 1 of degree 3, a minimax fit by Lawson's reweighted least squares, 7.5e-5).
inline Vec Exp2Short(Vec t) {
  const Vec r = Fraction(t);
  Vec p = Set1(7.80245215e-02f);
  p = Fma(p, r, Set1(2.26067156e-01f));
  p = Fma(p, r, Set1(6.95833564e-01f));
  p = Fma(p, r, Set1(9.99925196e-01f));
  return ScaleByFloor(p, t);
}

// erf(x), absolute error < 5e-7: x · P(x²) / Q(x²) on |x| ≤ 4, ±1 beyond (1 − erf(4) = 1.5e-8).
// P and Q of degree 5 are a rational fit of erf(x) / x, weighted for absolute error (2.1e-8 before
// rounding).
inline Vec Erf(Vec x) {
  const Vec c = Min(Set1(4.0f), Max(Set1(-4.0f), x));
  const Vec t = Mul(c, c);
  Vec p = Set1(1.9747969401e-06f);
  p = Fma(p, t, Set1(2.8803835111e-04f));
  p = Fma(p, t, Set1(4.0036314971e-03f));
  p = Fma(p, t, Set1(5.3467439962e-02f));
  p = Fma(p, t, Set1(1.9624904785e-01f));
  p = Fma(p, t, Set1(1.1283789765e+00f));
  Vec q = Set1(3.7480350255e-05f);
  q = Fma(q, t, Set1(1.2163509298e-03f));
  q = Fma(q, t, Set1(1.5444400789e-02f));
  q = Fma(q, t, Set1(1.1647641152e-01f));
  q = Fma(q, t, Set1(5.0725234988e-01f));
  q = Fma(q, t, Set1(1.0f));
  return Div(Mul(c, p), q);
}

// tanh(x) = sign(x) · (1 − e) / (1 + e), e = exp(−2|x|). Absolute error < 3e-7.
inline Vec Tanh(Vec x) {
  const Vec e = ExpNegative(Mul(Abs(x), Set1(-2.0f)));
  return CopySign(Div(Sub(Set1(1.0f), e), Add(Set1(1.0f), e)), x);
}

// x · Φ(x) for results that become 8 bits next, whose step is max / 255: absolute error < 4e-5 on
// |x| ≤ 3.9, < 6e-5 · |x| beyond. Φ(z) = ½ + z · Q(z²), Q of degree 7 a minimax fit of
// max(1, z) · error (Lawson's reweighted least squares), no division: half the time of the exact
// form.
template <int kCount>
inline void GeluErfShort(Vec* x) {
  constexpr float kQ[] = {-1.5810883713e-09f, 1.2059227573e-07f,  -4.0462605284e-06f,
                          7.9647506936e-05f,  -1.0390591342e-03f, 9.6249077467e-03f,
                          -6.6100284457e-02f, 3.9880782366e-01f};
  Vec z[kCount], t[kCount], q[kCount];
#pragma GCC unroll 16
  for (int i = 0; i < kCount; ++i) {
    z[i] = Min(Set1(3.9f), Max(Set1(-3.9f), x[i]));
    t[i] = Mul(z[i], z[i]);
    q[i] = Set1(kQ[0]);
  }
#pragma GCC unroll 8
  for (int c = 1; c < 8; ++c) {
#pragma GCC unroll 16
    for (int i = 0; i < kCount; ++i) q[i] = Fma(q[i], t[i], Set1(kQ[c]));
  }
#pragma GCC unroll 16
  for (int i = 0; i < kCount; ++i) x[i] = Mul(x[i], Fma(q[i], z[i], Set1(0.5f)));
}

// NaN passes through every activation: a broken model must show.
inline Vec Apply(Activate activate, Vec x) {
  switch (activate) {
    case Activate::kNone:
      return x;
    case Activate::kGeluErf:  // x · Φ(x), Hendrycks & Gimpel 2016
      return Mul(Mul(Set1(0.5f), x), Add(Set1(1.0f), Erf(Mul(x, Set1(0.70710678118654752f)))));
    case Activate::kGeluTanh: {  // the same paper's approximation, "gelu_new"
      const Vec inner = Mul(Set1(0.79788456080286536f), Fma(Mul(Mul(x, x), x), Set1(0.044715f), x));
      return Mul(Mul(Set1(0.5f), x), Add(Set1(1.0f), Tanh(inner)));
    }
    case Activate::kRelu:
      return Max(Zero(), x);
    case Activate::kTanh:
      return Tanh(x);
  }
  return x;
}
