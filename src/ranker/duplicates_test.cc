#include "ranker/duplicates.h"

#include <gtest/gtest.h>

namespace podium {
namespace {

TEST(Duplicates, EqualIdsOnly) {
  Duplicates duplicates(100);
  EXPECT_EQ(duplicates.FindOrAdd(std::vector<int32_t>{1, 2, 3}, 0), std::nullopt);
  EXPECT_EQ(duplicates.FindOrAdd(std::vector<int32_t>{1, 2}, 1), std::nullopt);
  EXPECT_EQ(duplicates.FindOrAdd(std::vector<int32_t>{3, 2, 1}, 2), std::nullopt);
  EXPECT_EQ(duplicates.FindOrAdd(std::vector<int32_t>{}, 3), std::nullopt);
  EXPECT_EQ(duplicates.FindOrAdd(std::vector<int32_t>{1, 2}, 4), 1u);
  EXPECT_EQ(duplicates.FindOrAdd(std::vector<int32_t>{1, 2, 3}, 5), 0u);
  EXPECT_EQ(duplicates.FindOrAdd(std::vector<int32_t>{}, 6), 3u);
}

TEST(Duplicates, RemembersNoMoreThanItsLimit) {
  Duplicates duplicates(5);
  EXPECT_EQ(duplicates.FindOrAdd(std::vector<int32_t>{1, 2, 3}, 0), std::nullopt);
  EXPECT_EQ(duplicates.FindOrAdd(std::vector<int32_t>{4, 5, 6}, 1), std::nullopt);  // no room
  EXPECT_EQ(duplicates.FindOrAdd(std::vector<int32_t>{4, 5, 6}, 2), std::nullopt);
  EXPECT_EQ(duplicates.FindOrAdd(std::vector<int32_t>{1, 2, 3}, 3), 0u);
  EXPECT_EQ(duplicates.FindOrAdd(std::vector<int32_t>{7, 8}, 4), std::nullopt);  // still fits
  EXPECT_EQ(duplicates.FindOrAdd(std::vector<int32_t>{7, 8}, 5), 4u);
}

}  // namespace
}  // namespace podium
