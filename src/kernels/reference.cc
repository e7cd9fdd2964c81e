#include "kernels/reference.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace podium::kernels::reference {

double Apply(Activate activate, double x) {
  switch (activate) {
    case Activate::kNone:
      return x;
    case Activate::kGeluErf:
      return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
    case Activate::kGeluTanh:
      return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
    case Activate::kRelu:
      return x > 0 ? x : 0;
    case Activate::kTanh:
      return std::tanh(x);
  }
  return x;
}

double HalfToDouble(uint16_t half) {
  const double sign = (half & 0x8000) != 0 ? -1 : 1;
  const int exponent = half >> 10 & 31;
  const int fraction = half & 1023;
  if (exponent == 31) {
    return fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                         : sign * std::numeric_limits<double>::infinity();
  }
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

double BrainToDouble(uint16_t brain) {
  const double sign = (brain & 0x8000) != 0 ? -1 : 1;
  const int exponent = brain >> 7 & 255;
  const int fraction = brain & 127;
  if (exponent == 255) {
    return fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                         : sign * std::numeric_limits<double>::infinity();
  }
  if (exponent == 0) return sign * std::ldexp(fraction, -133);
  return sign * std::ldexp(128 + fraction, exponent - 134);
}

std::vector<double> Product(const std::vector<float>& a, int rows, const std::vector<double>& w,
                            int n, int k, const std::vector<float>& bias, Activate activate,
                            const std::vector<float>& residual) {
  std::vector<double> c;
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int step = 0; step < k; ++step) sum += a[i * k + step] * w[j * k + step];
      const double y = Apply(activate, sum + bias[j]);
      c.push_back(residual.empty() ? y : y + residual[i * n + j]);
    }
  }
  return c;
}

std::vector<double> Attention(const std::vector<float>& q, const std::vector<float>& k,
                              const std::vector<float>& v, int queries, int length, int d,
                              double scale) {
  std::vector<double> out;
  for (int i = 0; i < queries; ++i) {
    std::vector<double> p(length);
    for (int key = 0; key < length; ++key) {
      for (int c = 0; c < d; ++c) p[key] += static_cast<double>(q[i * d + c]) * k[key * d + c];
      p[key] *= scale;
    }
    const double top = *std::max_element(p.begin(), p.end());
    double sum = 0;
    for (double& x : p) sum += x = std::exp(x - top);
    for (int c = 0; c < d; ++c) {
      double y = 0;
      for (int key = 0; key < length; ++key) y += p[key] / sum * v[key * d + c];
      out.push_back(y);
    }
  }
  return out;
}

std::vector<double> LayerNorm(const std::vector<float>& x, const std::vector<float>& gain,
                              const std::vector<float>& bias, double eps) {
  double mean = 0;
  for (const float e : x) mean += e;
  mean /= static_cast<double>(x.size());
  double variance = 0;
  for (const float e : x) variance += (e - mean) * (e - mean);
  variance /= static_cast<double>(x.size());
  std::vector<double> out;
  out.reserve(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    out.push_back((x[i] - mean) / std::sqrt(variance + eps) * gain[i] + bias[i]);
  }
  return out;
}

}  // namespace podium::kernels::reference
