#include "base/team.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

namespace podium {
namespace {

class TeamTest : public testing::TestWithParam<int> {};

TEST_P(TeamTest, EveryTaskRunsOnceAndIsSeenByTheCaller) {
  for (const int spin_us : {0, 50}) {
    Team team(GetParam(), spin_us);
    for (int round = 0; round < 300; ++round) {
      const int tasks = round % 37;
      std::vector<int> count(static_cast<size_t>(tasks),
                             0);  // plain ints: the loop's end must order them
      team.ParallelFor(tasks, [&](int task, int member) {
        ASSERT_GE(member, 0);
        ASSERT_LT(member, team.size());
        ++count[static_cast<size_t>(task)];
      });
      for (const int n : count) ASSERT_EQ(n, 1);
    }
  }
}

TEST_P(TeamTest, MembersAreExclusive) {
  Team team(GetParam());
  std::vector<std::atomic<int>> inside(static_cast<size_t>(team.size()));
  team.ParallelFor(1000, [&](int, int member) {
    EXPECT_EQ(inside[static_cast<size_t>(member)].fetch_add(1), 0);
    inside[static_cast<size_t>(member)].fetch_sub(1);
  });
}

INSTANTIATE_TEST_SUITE_P(Sizes, TeamTest, testing::Values(1, 2, 5));

TEST(UsableCores, IsPositive) { EXPECT_GE(UsableCores(), 1); }

}  // namespace
}  // namespace podium
