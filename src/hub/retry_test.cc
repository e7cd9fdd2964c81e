#include "hub/retry.h"

#include <gtest/gtest.h>

namespace podium::hub {
namespace {

TEST(RetryDelay, DoublesUpToItsLimitAndHalfOfItIsRandom) {
  const RetryLimits limits;
  const double whole[] = {1, 2, 4, 8, 16, 30, 30};
  for (int failures = 1; failures <= 7; ++failures) {
    const double want = whole[failures - 1];
    EXPECT_DOUBLE_EQ(*RetryDelay(limits, failures, 100, std::nullopt, 0), want / 2);
    EXPECT_DOUBLE_EQ(*RetryDelay(limits, failures, 100, std::nullopt, 0.5), want * 0.75);
  }
  EXPECT_DOUBLE_EQ(*RetryDelay(limits, 100, 100, std::nullopt, 0), 15);
}

TEST(RetryDelay, GivesUp) {
  const RetryLimits limits;
  EXPECT_FALSE(RetryDelay(limits, 1, 0, std::nullopt, 0));
  EXPECT_TRUE(RetryDelay(limits, 5, 5, std::nullopt, 0));
  EXPECT_FALSE(RetryDelay(limits, 6, 5, std::nullopt, 0));
  EXPECT_FALSE(RetryDelay(limits, 6, 5, 1.0, 0));
}

TEST(RetryDelay, ServersAreWaitedForWithinReason) {
  const RetryLimits limits;
  EXPECT_DOUBLE_EQ(*RetryDelay(limits, 1, 5, 100.0, 0), 100);
  EXPECT_DOUBLE_EQ(*RetryDelay(limits, 1, 5, 300.0, 0), 300);
  EXPECT_FALSE(RetryDelay(limits, 1, 5, 300.5, 0));
  // "Retry-After: 0" from a server that fails again and again: our own delay stays.
  EXPECT_DOUBLE_EQ(*RetryDelay(limits, 4, 5, 0.0, 0), 4);
}

TEST(IsTransient, OnlyWhatMayPass) {
  for (const int status : {408, 429, 500, 502, 503, 504}) EXPECT_TRUE(IsTransient(status));
  for (const int status : {200, 302, 400, 401, 403, 404, 416, 501, 505}) {
    EXPECT_FALSE(IsTransient(status)) << status;
  }
}

}  // namespace
}  // namespace podium::hub
