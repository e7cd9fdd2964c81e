#include "base/completion.h"

#include <gtest/gtest.h>

#include <memory>
#include <new>
#include <vector>

namespace podium {
namespace {

using Done = Completion<Result<int>>;

TEST(Completion, FiresOnceHoweverItEnds) {
  std::vector<Result<int>> got;
  const auto make = [&] {
    return Done([&](Result<int> result) { got.push_back(std::move(result)); });
  };
  {
    Done called = make();
    Done moved = std::move(called);
    moved(7);
  }
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(*got[0], 7);
  {
    const Done dropped = make();
  }
  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(got[1].status().code(), StatusCode::kInternal);
  {
    Done replaced = make();
    replaced = make();  // the first one is dropped
    EXPECT_EQ(got.size(), 3u);
    replaced(8);
  }
  EXPECT_EQ(got.size(), 4u);
  {
    const Done empty;
  }
  EXPECT_EQ(got.size(), 4u);
}

TEST(Completion, ADropThatFindsNoMemoryEndsNothingElse) {
  auto held = std::make_shared<int>(1);
  const std::weak_ptr<int> seen = held;
  {
    const Done dropped([held = std::move(held)](const Result<int>&) { throw std::bad_alloc(); });
    EXPECT_FALSE(seen.expired());
  }
  EXPECT_TRUE(seen.expired());
}

TEST(CompletionDeathTest, TwiceIsABug) {
  Done done([](const Result<int>&) {});
  done(1);
  EXPECT_DEATH(done(2), "fire_");
}

}  // namespace
}  // namespace podium
