#include "service/admission.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

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

// One tenant asks for twenty times the capacity, another for a fifth of it, on an engine that is
// shared evenly: the second is never refused and never waits for more than its share of the queue.
TEST(Admission, ATenantThatFloodsDoesNotStarveAnother) {
  constexpr double kSpeed = 50'000;
  constexpr double kCost = 1'700;
  constexpr double kStep = 0.005;
  struct Inside {
    std::string key;
    double left;
    double entered;
  };
  for (uint32_t seed = 1; seed <= 3; ++seed) {
    Admission admission({.requests_max = 64, .cost_max = 4'000'000, .key_share = 0.5});
    admission.set_several_keys(true);
    std::mt19937 random(seed);
    std::vector<Inside> inside;
    int answered[2] = {0, 0};
    int refused[2] = {0, 0};
    double longest = 0;
    for (double now = 0; now < 300; now += kStep) {
      for (const int tenant : {0, 1}) {
        const double rate = (tenant == 0 ? 20 : 0.2) * kSpeed / kCost;
        for (int i = std::poisson_distribution<int>(rate * kStep)(random); i > 0; --i) {
          const std::string key = tenant == 0 ? "flood" : "modest";
          const Refusal refusal = admission.Enter(key, kCost, kNow, kLong);
          if (refusal == Refusal::kNone) {
            inside.push_back({key, kCost, now});
          } else {
            ++refused[tenant];
            ASSERT_EQ(refusal, Refusal::kKeyShare);
          }
        }
      }
      const double share = kSpeed * kStep / static_cast<double>(inside.size());
      std::erase_if(inside, [&](Inside& one) {
        one.left -= share;
        if (one.left > 0) return false;
        admission.Leave(one.key, kCost);
        ++answered[one.key == "modest" ? 1 : 0];
        if (one.key == "modest") longest = std::max(longest, now - one.entered);
        return true;
      });
    }
    EXPECT_EQ(refused[1], 0) << "seed " << seed;
    EXPECT_GT(refused[0], 100'000);
    EXPECT_GT(answered[1], 1'500);
    EXPECT_GT(answered[0], 5'000) << "the rest of the engine is the other's";
    EXPECT_LT(longest, 64 * kCost / kSpeed);
  }
}

TEST(Admission, Stopping) {
  Admission admission{AdmissionOptions()};
  admission.Stop();
  EXPECT_EQ(admission.Enter("", 1, kNow, kLong), Refusal::kStopping);
}

TEST(RetryAfter, IsWithinAMinuteAndSpread) {
  EXPECT_EQ(RetryAfter(0, 0).count(), 1000);
  EXPECT_EQ(RetryAfter(10, 0).count(), 10'000);
  EXPECT_GT(RetryAfter(10, 1023).count(), 12'000);
  EXPECT_EQ(RetryAfter(1e9, 5).count(), 60'000);
}

}  // namespace
}  // namespace podium
