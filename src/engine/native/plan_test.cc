#include "engine/native/plan.h"

#include <gtest/gtest.h>

namespace podium {
namespace {

TEST(PlanBlockRows, IsAMultipleOfTheTileWithinTheMaximum) {
  for (const int threads : {1, 2, 3, 8, 64}) {
    for (const int tile : {4, 6, 12}) {
      for (const int max : {tile, 8 * tile, 16 * tile}) {
        for (int rows = 0; rows < 3000; rows = rows * 2 + 1) {
          const int block = PlanBlockRows(rows, threads, tile, max);
          EXPECT_GT(block, 0);
          EXPECT_EQ(block % tile, 0);
          EXPECT_LE(block, max);
        }
      }
    }
  }
}

TEST(PlanBlockRows, GivesEveryThreadTheSameNumberOfBlocks) {
  EXPECT_EQ(PlanBlockRows(384, 2, 12, 192), 192);  // one each
  EXPECT_EQ(PlanBlockRows(400, 2, 12, 192), 108);  // two each rather than 192 + 192 + 16
  EXPECT_EQ(PlanBlockRows(20, 2, 12, 192), 12);
  EXPECT_EQ(PlanBlockRows(1, 2, 12, 192), 12);
}

}  // namespace
}  // namespace podium
