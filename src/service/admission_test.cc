#include "service/admission.h"

#include <gtest/gtest.h>

namespace podium {
namespace {

using std::chrono::seconds;

constexpr seconds kNow{0};
constexpr seconds kLong{30};

TEST(Admission, BoundsRequestsAndCost) {
  Admission admission({.requests_max = 2, .cost_max = 100});
  EXPECT_EQ(admission.Enter("", 60, kNow, kLong), Refusal::kNone);
  EXPECT_EQ(admission.Enter("", 60, kNow, kLong), Refusal::kCost);
  EXPECT_EQ(admission.Enter("", 40, kNow, kLong), Refusal::kNone);
  EXPECT_EQ(admission.Enter("", 0, kNow, kLong), Refusal::kRequests);
  admission.Leave("", 60);
  EXPECT_EQ(admission.cost(), 40);
  admission.Correct("", 40, 70);
  EXPECT_EQ(admission.Enter("", 40, kNow, kLong), Refusal::kCost);
  admission.Leave("", 70);
  EXPECT_EQ(admission.cost(), 0);
  // Alone, whatever it costs.
  EXPECT_EQ(admission.Enter("", 1000, kNow, kLong), Refusal::kNone);
}

TEST(Admission, RefusesWhatCannotBeInTime) {
  Admission admission{AdmissionOptions()};
  EXPECT_EQ(admission.Enter("", 1, seconds(31), kLong), Refusal::kDeadline);
  EXPECT_EQ(admission.Enter("", 1, seconds(29), kLong), Refusal::kNone);
  EXPECT_EQ(admission.Enter("", 1, kNow, seconds(0)), Refusal::kDeadline);
}

TEST(Admission, AKeyLeavesRoomForOthers) {
  Admission admission({.requests_max = 10, .cost_max = 100, .key_share = 0.5});
  admission.set_several_keys(true);
  EXPECT_EQ(admission.Enter("a", 40, kNow, kLong), Refusal::kNone);
  EXPECT_EQ(admission.Enter("a", 20, kNow, kLong), Refusal::kKeyShare);
  EXPECT_EQ(admission.Enter("b", 20, kNow, kLong), Refusal::kNone);
  admission.Leave("a", 40);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(admission.Enter("a", 1, kNow, kLong), Refusal::kNone);
  EXPECT_EQ(admission.Enter("a", 1, kNow, kLong), Refusal::kKeyShare);
}

TEST(Admission, Stopping) {
  Admission admission{AdmissionOptions()};
  admission.Stop();
  EXPECT_EQ(admission.Enter("", 1, kNow, kLong), Refusal::kStopping);
}

TEST(RetryAfter, IsWithinAMinuteAndSpread) {
  EXPECT_EQ(RetryAfter(0, 1000, 0).count(), 1000);
  EXPECT_EQ(RetryAfter(10'000, 1000, 0).count(), 10'000);
  EXPECT_GT(RetryAfter(10'000, 1000, 1023).count(), 12'000);
  EXPECT_EQ(RetryAfter(1e9, 1000, 5).count(), 60'000);
  EXPECT_GE(RetryAfter(1e9, 0, 5).count(), 1000);
}

}  // namespace
}  // namespace podium
