#include "engine/native/plan.h"

#include <gtest/gtest.h>

#include <vector>

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

std::vector<int32_t> Parts(const std::vector<int>& lengths, int threads, int rows_max) {
  std::vector<int32_t> starts = {0};
  for (const int length : lengths) starts.push_back(starts.back() + length);
  std::vector<int32_t> parts(lengths.size() + 1);
  const int count = PlanParts(starts, threads, rows_max, parts);
  parts.resize(count == 0 ? 0 : static_cast<size_t>(count) + 1);
  return parts;
}

TEST(PlanParts, AreWholeSequencesUpToTheMaximum) {
  EXPECT_EQ(Parts({100, 100, 100, 100}, 2, 256), (std::vector<int32_t>{0, 2, 4}));
  EXPECT_EQ(Parts({100, 100, 100, 100}, 1, 256), (std::vector<int32_t>{0, 2, 4}));
  EXPECT_EQ(Parts({100, 100, 100, 100}, 1, 512), (std::vector<int32_t>{0, 4}));
  EXPECT_EQ(Parts({512, 100, 100, 300, 12}, 1, 256), (std::vector<int32_t>{0, 1, 3, 4, 5}));
  EXPECT_EQ(Parts({7}, 1, 256), (std::vector<int32_t>{0, 1}));
}

TEST(PlanParts, NoneWhereThreadsWouldWait) {
  EXPECT_EQ(Parts({100}, 2, 256), std::vector<int32_t>());
  EXPECT_EQ(Parts({100, 50}, 2, 256), std::vector<int32_t>());
  EXPECT_EQ(Parts({100, 95}, 2, 256), (std::vector<int32_t>{0, 1, 2}));
  EXPECT_EQ(Parts({100, 100, 100}, 2, 256), std::vector<int32_t>());
  EXPECT_EQ(Parts(std::vector<int>(64, 100), 65, 256), std::vector<int32_t>());
}

TEST(PlanParts, CoverEverySequenceOnceAndKeepThreadsBusy) {
  for (const int threads : {1, 2, 3, 8, 64}) {
    for (int seed = 1; seed < 200; ++seed) {
      std::vector<int> lengths;
      for (int i = 0; i < seed; ++i) lengths.push_back(1 + (i * 7919 + seed * 104729) % 512);
      const std::vector<int32_t> parts = Parts(lengths, threads, 512);
      if (parts.empty()) continue;
      EXPECT_EQ(parts.front(), 0);
      EXPECT_EQ(parts.back(), seed);
      for (size_t i = 1; i < parts.size(); ++i) {
        EXPECT_LT(parts[i - 1], parts[i]);
        int rows = 0;
        for (int j = parts[i - 1]; j < parts[i]; ++j) rows += lengths[static_cast<size_t>(j)];
        EXPECT_TRUE(rows <= 512 || parts[i] - parts[i - 1] == 1) << rows;
      }
    }
  }
}

}  // namespace
}  // namespace podium
