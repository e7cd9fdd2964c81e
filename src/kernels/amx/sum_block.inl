// 32 × 32 sums of bytes in four tiles. Four loads (32 cycles) go with four products (64): 2 × 2 is
// the one shape of eight tiles in which the loads are not the limit. Activations pass L1 by, which
// then holds the weight panel of 32 KiB: 85–88 % of the peak for the sums alone against 60 % with
// ordinary loads (256 × 1024 rows in L2, one core).
// How often SumBlock calls between().
inline int SumSteps(int depth) { return depth; }

template <typename Between>
inline void SumBlock(const uint8_t* a, const int8_t* w, int depth, int32_t* sums,
                     Between&& between) {
  constexpr int kHalf = kInt8Block / 2;
  TileZero<0>();
  TileZero<1>();
  TileZero<2>();
  TileZero<3>();
  for (int step = 0; step < depth; ++step) {
    TileLoadOnce<4>(a, kInt8Depth);
    TileLoad<6>(w, 4 * kInt8Block);
    TileLoad<7>(w + 4 * kHalf, 4 * kInt8Block);
    TileLoadOnce<5>(a + kHalf * kInt8Depth, kInt8Depth);
    between();  // ahead of the products, which wait for each other: behind them it would too
    TileDot<0, 4, 6>();
    TileDot<1, 4, 7>();
    TileDot<2, 5, 6>();
    TileDot<3, 5, 7>();
    a += kInt8Block * kInt8Depth;
    w += kInt8Block * kInt8Depth;
  }
  constexpr size_t kStride = kInt8Block * sizeof(int32_t);
  TileStore<0>(sums, kStride);
  TileStore<1>(sums + kHalf, kStride);
  TileStore<2>(sums + kHalf * kInt8Block, kStride);
  TileStore<3>(sums + kHalf * kInt8Block + kHalf, kStride);
}
