// The twin of tiles.inl: tile registers as arrays, so that all around the instructions runs
// anywhere and under sanitizers. A test's, not the product's.
inline thread_local int8_t plain_tiles[8][16][64];

struct SumScope {
  SumScope() { __builtin_memset(plain_tiles, 0x5a, sizeof plain_tiles); }  // as left by others
};

template <int kTile>
inline void TileZero() {
  __builtin_memset(plain_tiles[kTile], 0, sizeof plain_tiles[kTile]);
}
template <int kTile>
inline void TileLoad(const void* rows, size_t stride) {
  for (size_t i = 0; i < 16; ++i) {
    __builtin_memcpy(plain_tiles[kTile][i], static_cast<const char*>(rows) + i * stride, 64);
  }
}
template <int kTile>
inline void TileLoadOnce(const void* rows, size_t stride) {
  TileLoad<kTile>(rows, stride);
}
template <int kTile>
inline void TileStore(void* rows, size_t stride) {
  for (size_t i = 0; i < 16; ++i) {
    __builtin_memcpy(static_cast<char*>(rows) + i * stride, plain_tiles[kTile][i], 64);
  }
}
template <int kSum, int kA, int kW>
inline void TileDot() {
  for (int i = 0; i < 16; ++i) {
    int32_t sum[16];
    __builtin_memcpy(sum, plain_tiles[kSum][i], 64);
    for (int k = 0; k < 64; ++k) {
      const auto a = static_cast<uint8_t>(plain_tiles[kA][i][k]);
      for (int j = 0; j < 16; ++j) sum[j] += a * plain_tiles[kW][k / 4][j * 4 + k % 4];
    }
    __builtin_memcpy(plain_tiles[kSum][i], sum, 64);
  }
}
template <int kSum, int kA, int kW>
inline void TileDotBf16() {
  for (int i = 0; i < 16; ++i) {
    float sum[16];
    uint16_t a[32], w[32];
    __builtin_memcpy(sum, plain_tiles[kSum][i], 64);
    __builtin_memcpy(a, plain_tiles[kA][i], 64);
    for (int k = 0; k < 32; k += 2) {
      __builtin_memcpy(w, plain_tiles[kW][k / 2], 64);
      for (int j = 0; j < 16; ++j) {
        sum[j] += BrainToFloat(a[k]) * BrainToFloat(w[2 * j]);
        sum[j] += BrainToFloat(a[k + 1]) * BrainToFloat(w[2 * j + 1]);
      }
    }
    __builtin_memcpy(plain_tiles[kSum][i], sum, 64);
  }
}
