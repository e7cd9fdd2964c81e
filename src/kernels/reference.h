// The table's functions again, slow and obvious, in double: what the tests compare with. Not part
// of the product.
#ifndef PODIUM_KERNELS_REFERENCE_H_
#define PODIUM_KERNELS_REFERENCE_H_

#include <cstdint>
#include <vector>

#include "kernels/kernels.h"

namespace podium::kernels::reference {

double Apply(Activate activate, double x);
double HalfToDouble(uint16_t half);
double BrainToDouble(uint16_t brain);

/// c[rows, n] = activate(a[rows, k] · w[n, k]ᵀ + bias) + residual (may be empty).
std::vector<double> Product(const std::vector<float>& a, int rows, const std::vector<double>& w,
                            int n, int k, const std::vector<float>& bias, Activate activate,
                            const std::vector<float>& residual);

/// out[queries, d] of q[queries, d], k[length, d], v[length, d].
std::vector<double> Attention(const std::vector<float>& q, const std::vector<float>& k,
                              const std::vector<float>& v, int queries, int length, int d,
                              double scale);

std::vector<double> LayerNorm(const std::vector<float>& x, const std::vector<float>& gain,
                              const std::vector<float>& bias, double eps);

}  // namespace podium::kernels::reference

#endif  // PODIUM_KERNELS_REFERENCE_H_
