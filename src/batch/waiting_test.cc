// The policy in simulated traffic of one model.
#include "batch/waiting.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "batch/simulation.h"

namespace podium {
namespace {

using namespace simulation;  // NOLINT(google-build-using-namespace)

// Of one run; the nine runs are more than a million requests: some three seconds, and half a minute
// under sanitizers, which get fewer.
constexpr size_t kRequests = PODIUM_SANITIZED != 0 ? 12'000 : 120'000;

TEST(Waiting, NothingIsLostNothingTwiceAndNobodyWaitsLongerThanUnderEvenSharing) {
  for (const double load : {0.5, 0.9, 1.5}) {
    for (uint32_t seed = 1; seed <= 3; ++seed) {
      const std::vector<Arrival> arrivals = Traffic(seed, kRequests, load);
      const std::vector<Outcome> outcomes = Simulate(arrivals);
      const std::vector<double> even = EvenSharing(arrivals);
      // A batch that had begun, the one it ends in, and the clock's step of a batch.
      const double slack = 3 * LongestBatch(arrivals);
      for (size_t i = 0; i < arrivals.size(); ++i) {
        ASSERT_EQ(outcomes[i].taken, arrivals[i].lengths.size()) << "seed " << seed;
        ASSERT_LE(outcomes[i].finish, even[i] + slack)
            << "seed " << seed << ", load " << load << ", request " << i;
      }
    }
  }
}

TEST(Waiting, NobodyWaitsLongerThanItsShareSays) {
  constexpr double kShares[] = {1, 1, 0.5, 0.1, 1.0 / 64};
  for (uint32_t seed = 1; seed <= 3; ++seed) {
    std::vector<Arrival> arrivals = Traffic(seed, kRequests / 4, 1.2);
    std::mt19937 random(seed);
    for (Arrival& arrival : arrivals) arrival.share = kShares[random() % std::size(kShares)];
    const std::vector<Outcome> outcomes = Simulate(arrivals);
    const std::vector<double> even = EvenSharing(arrivals);
    const double slack = 3 * LongestBatch(arrivals);
    double sum = 0;
    double small_sum = 0;
    for (size_t i = 0; i < arrivals.size(); ++i) {
      ASSERT_EQ(outcomes[i].taken, arrivals[i].lengths.size()) << "seed " << seed;
      ASSERT_LE(outcomes[i].finish, even[i] + slack)
          << "seed " << seed << ", request " << i << ", share " << arrivals[i].share;
      const double sojourn = outcomes[i].finish - arrivals[i].time;
      if (arrivals[i].share == 1) sum += sojourn;
      if (arrivals[i].share < 0.05) small_sum += sojourn;
    }
    EXPECT_GT(small_sum, sum)
        << "half as many of them wait longer than all that have a whole share";
  }
}

TEST(Waiting, RequestsThatShareABatch) {
  BatchBudget alone = kBudget;
  alone.requests_max = 1;
  for (const BatchBudget& budget : {kBudget, alone}) {
    WaitingPairs waiting({&budget, 1});
    const std::vector<int> lengths(10, 60);
    for (uint64_t request = 1; request <= 3; ++request) waiting.Add(request, {.lengths = lengths});
    std::vector<JobSlice> batch;
    std::vector<uint64_t> expired;
    const double speed = kSpeed;
    waiting.TakeBatch(At(0), {&speed, 1}, batch, expired);
    EXPECT_EQ(batch.size(), budget.requests_max == 1 ? 1u : 3u);
  }
}

TEST(Waiting, AWaitForFullerBatchesIsBoundedAndUnderLoadOnly) {
  constexpr auto kWait = std::chrono::milliseconds(20);  // half of a full batch's time
  for (uint32_t seed = 1; seed <= 3; ++seed) {
    // A request at a time: the lane is always idle when one comes.
    std::vector<Arrival> arrivals(4000);
    for (size_t i = 0; i < arrivals.size(); ++i) {
      arrivals[i].time = 1 + static_cast<double>(i);
      arrivals[i].lengths = {40};
    }
    std::vector<Outcome> outcomes = Simulate(arrivals, kWait);
    for (size_t i = 0; i < arrivals.size(); ++i) {
      ASSERT_NEAR(outcomes[i].finish, arrivals[i].time + WorkOf(arrivals[i]) / kSpeed, 1e-6);
    }
    // Under load: fewer batches, and none is more than a wait late for each batch it waited for.
    std::mt19937 random(seed);
    std::exponential_distribution<double> gap(0.8 * kSpeed / WorkOf(arrivals[0]));
    double now = 1;
    for (Arrival& arrival : arrivals) arrival.time = now += gap(random);
    int plain = 0;
    int waited = 0;
    Simulate(arrivals, std::chrono::microseconds(0), &plain);
    outcomes = Simulate(arrivals, kWait, &waited);
    EXPECT_LT(waited, plain);
    const std::vector<double> even = EvenSharing(arrivals);
    for (size_t i = 0; i < arrivals.size(); ++i) {
      ASSERT_GE(outcomes[i].finish, 0);
      ASSERT_LE(outcomes[i].finish, even[i] + 3 * (kBatch + 0.02));
    }
  }
}

TEST(Waiting, CancelledAndExpiredRequestsTakeNoMoreBatches) {
  for (uint32_t seed = 1; seed <= 5; ++seed) {
    std::vector<Arrival> arrivals = Traffic(seed, 3000, 1.3);
    std::mt19937 random(seed);
    for (Arrival& arrival : arrivals) {
      if (random() % 3 == 0)
        arrival.cancel = arrival.time + 1e-3 * static_cast<double>(random() % 2000);
      if (random() % 3 == 0)
        arrival.deadline = arrival.time + 1e-3 * static_cast<double>(random() % 3000);
    }
    size_t complete = 0;
    size_t cancelled = 0;
    size_t expired = 0;
    for (const Outcome& outcome : Simulate(arrivals)) {
      const int ends = (outcome.finish >= 0) + outcome.cancelled + outcome.expired;
      ASSERT_EQ(ends, 1) << "seed " << seed;
      complete += outcome.finish >= 0;
      cancelled += outcome.cancelled;
      expired += outcome.expired;
    }
    EXPECT_GT(complete, 500u);
    EXPECT_GT(cancelled, 20u);
    EXPECT_GT(expired, 20u);
  }
}

TEST(Waiting, ASmallRequestGoesBeforeALargeOne) {
  std::vector<Arrival> arrivals(2);
  arrivals[0].lengths.assign(1000, 60);
  arrivals[1] = {.time = 0.5 * kBatch, .lengths = std::vector<int>(10, 60)};
  const std::vector<Outcome> outcomes = Simulate(arrivals);
  EXPECT_LE(outcomes[1].finish, 2 * kBatch + 1e-9);  // the batch that runs, and its own
  EXPECT_GT(outcomes[0].finish, 20 * kBatch);
}

// With equal requests their mean wait is a plain queue's: they end in the order in which they came.
TEST(Waiting, EqualRequestsAreServedAsTheyCame) {
  std::vector<Arrival> arrivals(200);
  for (size_t i = 0; i < arrivals.size(); ++i) {
    arrivals[i].time = 1e-3 * static_cast<double>(i);
    arrivals[i].lengths.assign(50, 40);
  }
  const std::vector<Outcome> outcomes = Simulate(arrivals);
  for (size_t i = 1; i < outcomes.size(); ++i) {
    EXPECT_LE(outcomes[i - 1].finish, outcomes[i].finish);
  }
}

// Sum of the times from arrival to end under a plain queue: full batches in the order of arrival.
double PlainQueueSojourn(const std::vector<Arrival>& arrivals) {
  double sum = 0;
  double now = 0;
  size_t pair = 0;  // of request `i`
  for (size_t i = 0; i < arrivals.size();) {
    now = std::max(now, arrivals[i].time);
    double cost = 0;
    std::vector<size_t> ended;
    size_t next = i;
    while (next < arrivals.size() && arrivals[next].time <= now) {
      const double added = kBudget.Cost(arrivals[next].lengths[pair]);
      if (cost + added > kBudget.tokens_max) break;
      cost += added;
      if (++pair < arrivals[next].lengths.size()) continue;
      ended.push_back(next++);
      pair = 0;
    }
    now += cost / kSpeed;
    for (const size_t one : ended) sum += now - arrivals[one].time;
    i = next;
  }
  return sum;
}

TEST(Waiting, EqualRequestsWaitNoLongerThanInAPlainQueue) {
  for (uint32_t seed = 1; seed <= 3; ++seed) {
    std::mt19937 random(seed);
    std::vector<Arrival> arrivals(20'000);
    for (Arrival& arrival : arrivals) arrival.lengths.assign(30, 40);
    std::exponential_distribution<double> gap(0.9 * kSpeed / WorkOf(arrivals[0]));
    double now = 1;
    for (Arrival& arrival : arrivals) arrival.time = now += gap(random);
    const std::vector<Outcome> outcomes = Simulate(arrivals);
    double sum = 0;
    for (size_t i = 0; i < arrivals.size(); ++i) sum += outcomes[i].finish - arrivals[i].time;
    EXPECT_LE(sum, PlainQueueSojourn(arrivals) * (1 + 1e-6)) << "seed " << seed;
  }
}

TEST(Waiting, ALargeRequestIsNotStarvedBySmallOnes) {
  std::vector<Arrival> arrivals(1);
  arrivals[0].lengths.assign(1000, 60);  // 1.27 s alone
  for (int i = 0; i < 20'000; ++i) {     // 95 % of the capacity for ever
    arrivals.push_back(
        {.time = 1e-9 + i * 10 * 63.6 / kSpeed / 0.95, .lengths = std::vector<int>(10, 60)});
  }
  const std::vector<Outcome> outcomes = Simulate(arrivals);
  const std::vector<double> even = EvenSharing(arrivals);
  EXPECT_LE(outcomes[0].finish, even[0] + 3 * kBatch);
  EXPECT_LT(outcomes[0].finish, 60);
}

TEST(Waiting, AnUrgentRequestGoesFirstWhileItCanBeMet) {
  std::vector<Arrival> arrivals(3);
  for (Arrival& arrival : arrivals) arrival.lengths.assign(300, 60);
  arrivals[2].deadline = 20 * kBatch;  // it needs 9.3 batches, in its turn it would end at 28
  const std::vector<Outcome> outcomes = Simulate(arrivals);
  EXPECT_GT(outcomes[2].finish, 0);
  EXPECT_LE(outcomes[2].finish, arrivals[2].deadline);
  EXPECT_GT(outcomes[0].finish, 0);
  EXPECT_GT(outcomes[1].finish, 0);
}

TEST(Waiting, SecondsBeforeAreOfWhatWillBeComputedFirst) {
  WaitingPairs waiting(Budgets());
  const std::vector<double>& speeds = Speeds();
  const std::vector<int> large(1000, 60);
  const std::vector<int> small(10, 60);
  waiting.Add(1, {.lengths = large});
  waiting.Add(2, {.lengths = small});
  const double cost = kBudget.Cost(small);
  EXPECT_DOUBLE_EQ(waiting.SecondsBefore(cost, speeds), cost / kSpeed);
  EXPECT_DOUBLE_EQ(waiting.SecondsBefore(1e9, speeds), waiting.cost(0) / kSpeed);
  // The slow model's small request takes five times as long, and comes behind that of the first.
  waiting.Add(3, {.lengths = small, .model = 1, .work_per_cost = 5});
  EXPECT_DOUBLE_EQ(waiting.SecondsBefore(cost, speeds), cost / kSpeed);
  EXPECT_DOUBLE_EQ(waiting.SecondsBefore(5 * cost, speeds), 6 * cost / kSpeed);
}

}  // namespace
}  // namespace podium
