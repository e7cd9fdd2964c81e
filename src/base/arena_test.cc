#include "base/arena.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace podium {
namespace {

TEST(Arena, PiecesAreAlignedDisjointAndZero) {
  Arena arena;
  ASSERT_TRUE(arena.Reserve(1 << 20));
  const auto a = arena.Take<float>(3);
  const auto b = arena.Take<int64_t>(100);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(b.data()) % Arena::kAlignment, 0u);
  EXPECT_GE(reinterpret_cast<const char*>(b.data()),
            reinterpret_cast<const char*>(a.data() + a.size()));
  for (const int64_t x : b) EXPECT_EQ(x, 0);
  EXPECT_EQ(arena.used(), 64u + 832u);
}

TEST(ArenaDeathTest, TakingTooMuchIsABug) {
  Arena arena;
  ASSERT_TRUE(arena.Reserve(100));
  EXPECT_DEATH(arena.Take<char>(arena.size() + 1), "does not hold");
}

}  // namespace
}  // namespace podium
