#include <cmath>

#include "podium/types.h"

namespace podium {

double Sigmoid(float logit) {
  // exp of a negative number only: no overflow, and full precision near 0.
  const double x = logit;
  const double e = std::exp(-std::fabs(x));
  return x >= 0 ? 1 / (1 + e) : e / (1 + e);
}

}  // namespace podium
