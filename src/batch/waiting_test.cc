// The policy under a simulated clock and seeded traffic, beside an even sharer that is the
// yardstick.
#include "batch/waiting.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <queue>
#include <random>
#include <set>
#include <vector>

namespace podium {
namespace {

using TimePoint = WaitingPairs::TimePoint;

TimePoint At(double seconds) {
  return TimePoint(
      std::chrono::duration_cast<TimePoint::duration>(std::chrono::duration<double>(seconds)));
}

constexpr BatchBudget kBudget{.tokens_max = 2048, .sequences_max = 512, .attention_cost = 1e-3};
constexpr double kSpeed = 50'000;                       // cost per second
constexpr double kBatch = kBudget.tokens_max / kSpeed;  // seconds of a full batch

struct Arrival {
  double time = 0;
  std::vector<int> lengths;
  double deadline = INFINITY;  // absolute
  double cancel = INFINITY;    // when its client leaves
};

struct Outcome {
  double finish = -1;
  bool expired = false;
  bool cancelled = false;
  uint32_t taken = 0;
};

// One lane that takes a batch the moment it is free.
std::vector<Outcome> Simulate(const std::vector<Arrival>& arrivals) {
  WaitingPairs waiting(kBudget);
  std::vector<Outcome> outcomes(arrivals.size());
  std::priority_queue<std::pair<double, size_t>, std::vector<std::pair<double, size_t>>,
                      std::greater<>>
      leaving;
  std::vector<JobSlice> batch;
  std::vector<uint64_t> expired;
  double now = 0;
  size_t next = 0;
  const auto arrive_until = [&](double time) {
    while (next < arrivals.size() && arrivals[next].time <= time) {
      const Arrival& arrival = arrivals[next];
      waiting.Add(next, arrival.lengths,
                  std::isinf(arrival.deadline) ? TimePoint::max() : At(arrival.deadline));
      if (!std::isinf(arrival.cancel)) leaving.emplace(arrival.cancel, next);
      ++next;
    }
    while (!leaving.empty() && leaving.top().first <= time) {
      Outcome& outcome = outcomes[leaving.top().second];
      if (waiting.Remove(leaving.top().second)) outcome.cancelled = true;
      leaving.pop();
    }
  };
  while (next < arrivals.size() || waiting.requests() > 0) {
    if (waiting.requests() == 0) now = std::max(now, arrivals[next].time);
    arrive_until(now);
    if (waiting.requests() == 0) continue;
    waiting.TakeBatch(At(now), kSpeed, batch, expired);
    for (const uint64_t request : expired) outcomes[request].expired = true;
    double cost = 0;
    int pairs = 0;
    std::set<uint64_t> seen;
    for (const JobSlice& slice : batch) {
      Outcome& outcome = outcomes[slice.request];
      EXPECT_EQ(slice.begin, outcome.taken) << "pairs are taken in order, none twice";
      EXPECT_LT(slice.begin, slice.end);
      EXPECT_TRUE(seen.insert(slice.request).second) << "one slice of a request";
      EXPECT_FALSE(outcome.cancelled || outcome.expired);
      outcome.taken = slice.end;
      for (uint32_t i = slice.begin; i < slice.end; ++i) {
        cost += kBudget.Cost(arrivals[slice.request].lengths[i]);
        ++pairs;
      }
    }
    EXPECT_TRUE(pairs <= kBudget.sequences_max && (cost <= kBudget.tokens_max || pairs == 1));
    now += cost / kSpeed;
    for (const JobSlice& slice : batch) {
      Outcome& outcome = outcomes[slice.request];
      if (outcome.taken == arrivals[slice.request].lengths.size()) outcome.finish = now;
    }
  }
  EXPECT_EQ(waiting.pairs(), 0u);
  EXPECT_EQ(waiting.cost(), 0);
  return outcomes;
}

double CostOf(const Arrival& arrival) { return WaitingPairs(kBudget).Cost(arrival.lengths); }

// When each would have finished had the engine been shared evenly, without batches.
std::vector<double> EvenSharing(const std::vector<Arrival>& arrivals) {
  std::vector<double> finish(arrivals.size());
  std::set<std::pair<double, size_t>> sharing;  // by the clock at which it is done
  double clock = 0;
  double now = 0;
  const auto run_until = [&](double time) {
    while (!sharing.empty()) {
      const auto sharers = static_cast<double>(sharing.size());
      const double end = now + (sharing.begin()->first - clock) * sharers / kSpeed;
      if (end > time) {
        clock += (time - now) * kSpeed / sharers;
        break;
      }
      clock = sharing.begin()->first;
      finish[sharing.begin()->second] = end;
      sharing.erase(sharing.begin());
      now = end;
    }
    now = time;
  };
  for (size_t i = 0; i < arrivals.size(); ++i) {
    run_until(arrivals[i].time);
    sharing.emplace(clock + CostOf(arrivals[i]), i);
  }
  run_until(INFINITY);
  return finish;
}

// Requests of 1 to 1,000 pairs, most of them small, at a share of the capacity.
std::vector<Arrival> Traffic(uint32_t seed, size_t count, double load) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> share(0, 1);
  std::vector<Arrival> arrivals(count);
  double cost = 0;
  for (Arrival& arrival : arrivals) {
    const double kind = share(random);
    const size_t pairs = kind < 0.5    ? 1 + random() % 10
                         : kind < 0.98 ? 10 + random() % 50
                                       : 100 + random() % 900;
    const int longest = share(random) < 0.05 ? 2000 : 60;
    arrival.lengths.resize(pairs);
    for (int& length : arrival.lengths) length = 8 + static_cast<int>(random() % longest);
    cost += CostOf(arrival);
  }
  const double span = cost / kSpeed / load;
  for (Arrival& arrival : arrivals) arrival.time = span * share(random);
  std::sort(arrivals.begin(), arrivals.end(),
            [](const Arrival& a, const Arrival& b) { return a.time < b.time; });
  return arrivals;
}

// Of one run. PODIUM_SIMULATED_REQUESTS=120000 makes the nine runs more than a million: by hand.
size_t Requests() {
  const char* const asked = std::getenv("PODIUM_SIMULATED_REQUESTS");
  return asked != nullptr ? std::strtoull(asked, nullptr, 10) : 20000;
}

// The longest pair alone may be a batch of its own, longer than a full one.
double LongestBatch(const std::vector<Arrival>& arrivals) {
  double longest = kBudget.tokens_max;
  for (const Arrival& arrival : arrivals) {
    for (const int length : arrival.lengths) longest = std::max(longest, kBudget.Cost(length));
  }
  return longest / kSpeed;
}

TEST(Waiting, NothingIsLostNothingTwiceAndNobodyWaitsLongerThanUnderEvenSharing) {
  for (const double load : {0.5, 0.9, 1.5}) {
    for (uint32_t seed = 1; seed <= 3; ++seed) {
      const std::vector<Arrival> arrivals = Traffic(seed, Requests(), load);
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

TEST(Waiting, CostBeforeIsWhatWillBeComputedFirst) {
  WaitingPairs waiting(kBudget);
  const std::vector<int> large(1000, 60);
  const std::vector<int> small(10, 60);
  waiting.Add(1, large, TimePoint::max());
  waiting.Add(2, small, TimePoint::max());
  const double cost = waiting.Cost(small);
  EXPECT_DOUBLE_EQ(waiting.CostBefore(cost), cost);
  EXPECT_DOUBLE_EQ(waiting.CostBefore(1e9), waiting.cost());
}

}  // namespace
}  // namespace podium
