// Tile registers: 16 rows of 64 bytes each. The twin in tiles_plain.inl does the same with arrays.
// Written as assembly: the compiler's own intrinsics may move memory accesses across (GCC 12 says
// that loading a configuration reads 8 of its 64 bytes).

// Holds the configuration while a product runs: eight tiles, all full.
struct SumScope {
  SumScope() {
    struct alignas(64) Config {
      uint8_t palette = 1;
      uint8_t start_row = 0;
      uint8_t reserved[14] = {};
      uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
      uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
    };
    static constexpr Config kConfig;
    asm volatile("ldtilecfg %0" ::"m"(kConfig));
  }
  ~SumScope() { asm volatile("tilerelease" ::); }
  SumScope(const SumScope&) = delete;
  SumScope& operator=(const SumScope&) = delete;
};

template <int kTile>
inline void TileZero() {
  asm volatile("tilezero %%tmm%c0" ::"i"(kTile));
}
template <int kTile>
inline void TileLoad(const void* rows, size_t stride) {
  asm volatile("tileloadd (%0,%1,1), %%tmm%c2" ::"r"(rows), "r"(stride), "i"(kTile) : "memory");
}
// For what is used once: it passes L1 by, and leaves it to the weights.
template <int kTile>
inline void TileLoadOnce(const void* rows, size_t stride) {
  asm volatile("tileloaddt1 (%0,%1,1), %%tmm%c2" ::"r"(rows), "r"(stride), "i"(kTile) : "memory");
}
template <int kTile>
inline void TileStore(void* rows, size_t stride) {
  asm volatile("tilestored %%tmm%c2, (%0,%1,1)" ::"r"(rows), "r"(stride), "i"(kTile) : "memory");
}
// sum[16][16] += a[16][64] (unsigned) · w[16][16][4] (signed), 4 products to an element of w's row.
template <int kSum, int kA, int kW>
inline void TileDot() {
  asm volatile("tdpbusd %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"i"(kSum), "i"(kA), "i"(kW));
}
// sum[16][16] += a[16][32] · w[16][16][2], brain floats into floats.
template <int kSum, int kA, int kW>
inline void TileDotBf16() {
  asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"i"(kSum), "i"(kA), "i"(kW));
}
