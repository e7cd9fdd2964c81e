#include "app/progress.h"

#include <gtest/gtest.h>

#include <chrono>

namespace podium {
namespace {

using std::chrono::milliseconds;

TEST(RateMeter, TellsTheSpeedOfTheLastSeconds) {
  const RateMeter::Time start{};
  RateMeter meter;
  EXPECT_FALSE(meter.rate());
  meter.Add(start, 0);
  meter.Add(start + milliseconds(10), 1000);
  EXPECT_FALSE(meter.rate());  // too close to tell
  double done = 0;
  for (int ms = 0; ms <= 60000; ms += 5) meter.Add(start + milliseconds(ms), done += 5);
  EXPECT_NEAR(*meter.rate(), 1000, 10);
  for (int ms = 60000; ms <= 75000; ms += 5) meter.Add(start + milliseconds(ms), done += 10);
  EXPECT_NEAR(*meter.rate(), 2000, 20);
  meter.Add(start + milliseconds(75001), 0);  // the work started again
  EXPECT_FALSE(meter.rate());
  meter.Add(start + milliseconds(76001), 300);
  EXPECT_NEAR(*meter.rate(), 300, 1);
}

TEST(TimeLeft, IsShort) {
  EXPECT_EQ(TimeLeft(std::nullopt, 10), "");
  EXPECT_EQ(TimeLeft(0.0, 10), "");
  EXPECT_EQ(TimeLeft(1e-9, 10), "");
  EXPECT_EQ(TimeLeft(2.0, 10), "0:05");
  EXPECT_EQ(TimeLeft(1.0, 754), "12:34");
  EXPECT_EQ(TimeLeft(1.0, 10800), "3:00:00");
}

}  // namespace
}  // namespace podium
