#include "service/admission.h"

#include <gtest/gtest.h>

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

TEST(Admission, AKeyHoldsNoMoreThanItLeaves) {
  Admission admission({.requests_max = 10, .cost_max = 100});
  admission.set_several_keys(true);
  EXPECT_EQ(admission.Enter("a", 40, kNow, kLong), Refusal::kNone);
  EXPECT_EQ(admission.Enter("a", 20, kNow, kLong), Refusal::kKeyShare);
  EXPECT_EQ(admission.Enter("a", 10, kNow, kLong), Refusal::kNone);
  EXPECT_EQ(admission.Enter("b", 20, kNow, kLong), Refusal::kNone);
  admission.Leave("a", 40);
  admission.Leave("a", 10);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(admission.Enter("a", 1, kNow, kLong), Refusal::kNone);
  EXPECT_EQ(admission.Enter("a", 1, kNow, kLong), Refusal::kKeyShare);
}

// However the places were filled, the next one that comes free is for who holds the least.
TEST(Admission, TheLastPlaceIsForAKeyThatHoldsNothing) {
  for (int keys = 1; keys <= 12; ++keys) {
    Admission admission({.requests_max = 64, .cost_max = 1'000'000});
    admission.set_several_keys(true);
    std::vector<int> held(static_cast<size_t>(keys));
    for (int key = 0; key < keys; ++key) {  // one after the other takes all that it is given
      while (admission.Enter(std::to_string(key), 1, kNow, kLong) == Refusal::kNone) {
        ++held[static_cast<size_t>(key)];
      }
    }
    if (admission.requests() == 64) {
      admission.Leave("0", 1);
      --held[0];
    }
    for (int key = 0; key < keys; ++key) {
      if (held[static_cast<size_t>(key)] > 0) {
        EXPECT_EQ(admission.Enter(std::to_string(key), 1, kNow, kLong), Refusal::kKeyShare) << key;
      }
    }
    EXPECT_EQ(admission.Enter("new", 1, kNow, kLong), Refusal::kNone) << keys << " keys before it";
  }
}

TEST(Admission, RequestsOfAKeyShareWhatOneKeyHas) {
  Admission admission{AdmissionOptions()};
  EXPECT_EQ(admission.Enter("a", 1, kNow, kLong), Refusal::kNone);
  EXPECT_EQ(admission.ShareOfNext("a"), 1) << "keys are not told apart";
  admission.set_several_keys(true);
  EXPECT_EQ(admission.ShareOfNext("a"), 0.5);
  EXPECT_EQ(admission.ShareOfNext("b"), 1);
}

TEST(Admission, Stopping) {
  Admission admission{AdmissionOptions()};
  admission.Stop();
  EXPECT_EQ(admission.Enter("", 1, kNow, kLong), Refusal::kStopping);
}

TEST(RefusalMessage, SaysWhatIsInTheWay) {
  using S = TimeEstimate::Seconds;
  const auto missed = [](double own, double wait, double left) {
    return RefusalMessage(Refusal::kDeadline, {.own = S(own), .wait = S(wait), .left = S(left)});
  };
  EXPECT_EQ(missed(0.0123, 0.0123, 0.00098),
            "the request's time limit is too short: it takes about 12 ms also when nothing else "
            "runs, and has 1.0 ms left");
  EXPECT_EQ(missed(0.002, 1.5, 1),
            "the server is busy: the answer would take about 1500 ms, 2.0 ms of it for the request "
            "itself, which has 1000 ms left");
  EXPECT_EQ(missed(1, 2, 0), "the request's time limit was over before it was let in");
  EXPECT_EQ(missed(1, 2, -5), "the request's time limit was over before it was let in");
  EXPECT_NE(missed(1e300, 1e300, 1), "");
}

TEST(RetryAfter, IsWithinAMinuteAndSpread) {
  EXPECT_EQ(RetryAfter(0, 0).count(), 1000);
  EXPECT_EQ(RetryAfter(10, 0).count(), 10'000);
  EXPECT_GT(RetryAfter(10, 1023).count(), 12'000);
  EXPECT_EQ(RetryAfter(1e9, 5).count(), 60'000);
}

}  // namespace
}  // namespace podium
