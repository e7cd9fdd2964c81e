// sum[i] + the products of pair i of a and of b, added: two instructions.
inline Ints DotPairs(Ints sum, Ints a, Ints b) {
  sum = _mm256_add_epi32(sum, _mm256_madd_epi16(a, b));
  // In this order: a compiler that adds products first, as it may with integers, runs out of
  // registers.
  asm("" : "+x"(sum));
  return sum;
}

#include "kernels/generic/wide_sums.inl"
