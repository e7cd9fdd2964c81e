// 32 × 32 sums of bytes, plain.
struct SumScope {};

// How often SumBlock calls between().
inline int SumSteps(int) { return 1; }

template <typename Between>
inline void SumBlock(const uint8_t* a, const int8_t* w, int depth, int32_t* sums,
                     Between&& between) {
  between();
  for (int i = 0; i < kInt8Block; ++i) {
    int32_t row[kInt8Block] = {};
    for (int step = 0; step < depth; ++step) {
      const uint8_t* x = a + (static_cast<size_t>(step) * kInt8Block + i) * kInt8Depth;
      for (int k = 0; k < kInt8Depth; k += 4) {
        const int8_t* four = w + (static_cast<size_t>(step) * kInt8Depth + k) * kInt8Block;
        for (int j = 0; j < kInt8Block; ++j) {
          row[j] += x[k] * four[j * 4] + x[k + 1] * four[j * 4 + 1] + x[k + 2] * four[j * 4 + 2] +
                    x[k + 3] * four[j * 4 + 3];
        }
      }
    }
    for (int j = 0; j < kInt8Block; ++j) sums[i * kInt8Block + j] = row[j];
  }
}
