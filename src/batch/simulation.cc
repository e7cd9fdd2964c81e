#include "batch/simulation.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <random>
#include <set>
#include <utility>

#include "base/check.h"
#include "batch/fill_wait.h"

namespace podium::simulation {

TimePoint At(double seconds) {
  return TimePoint(
      std::chrono::duration_cast<TimePoint::duration>(std::chrono::duration<double>(seconds)));
}

const std::vector<BatchBudget>& Budgets() {
  static const std::vector<BatchBudget> budgets = {
      kBudget, kBudget, {.tokens_max = 512, .sequences_max = 64}};
  return budgets;
}

const std::vector<double>& Speeds() {
  static const std::vector<double> speeds = {kSpeed / kWorkPerCost[0], kSpeed / kWorkPerCost[1],
                                             kSpeed / kWorkPerCost[2]};
  return speeds;
}

std::vector<Outcome> Simulate(const std::vector<Arrival>& arrivals,
                              std::chrono::microseconds patience, int* batches) {
  FillWait fill_wait(patience);
  const std::vector<double>& speeds = Speeds();
  WaitingPairs waiting(Budgets());
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
      waiting.Add(
          next, {.lengths = arrival.lengths,
                 .deadline = std::isinf(arrival.deadline) ? TimePoint::max() : At(arrival.deadline),
                 .model = arrival.model,
                 .share = arrival.share,
                 .work_per_cost = kWorkPerCost[arrival.model]});
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
    arrive_until(now);
    fill_wait.LaneFree(At(now), waiting.requests() > 0);
    if (waiting.requests() == 0) {
      if (next == arrivals.size()) break;
      now = std::max(now, arrivals[next].time);
      arrive_until(now);
    }
    const double end = std::chrono::duration<double>(fill_wait.until().time_since_epoch()).count();
    while (fill_wait.Waits(At(now), waiting.BatchIsFull())) {
      const bool comes = next < arrivals.size() && arrivals[next].time < end;
      now = comes ? std::max(now, arrivals[next].time) : std::nextafter(end, INFINITY) + 1e-9;
      arrive_until(now);
    }
    if (waiting.requests() == 0) continue;
    if (batches != nullptr) ++*batches;
    const int model = waiting.TakeBatch(At(now), speeds, batch, expired);
    const BatchBudget& budget = Budgets()[static_cast<size_t>(model)];
    for (const uint64_t request : expired) outcomes[request].expired = true;
    double cost = 0;
    int pairs = 0;
    std::set<uint64_t> seen;
    for (const JobSlice& slice : batch) {
      Outcome& outcome = outcomes[slice.request];
      PODIUM_CHECK(slice.begin == outcome.taken);  // pairs are taken in order, none twice
      PODIUM_CHECK(slice.begin < slice.end);
      PODIUM_CHECK(seen.insert(slice.request).second);  // one slice of a request
      PODIUM_CHECK(!outcome.cancelled && !outcome.expired);
      PODIUM_CHECK(arrivals[slice.request].model == model);
      outcome.taken = slice.end;
      for (uint32_t i = slice.begin; i < slice.end; ++i) {
        cost += budget.Cost(arrivals[slice.request].lengths[i]);
        ++pairs;
      }
    }
    PODIUM_CHECK(pairs <= budget.sequences_max && (cost <= budget.tokens_max || pairs == 1));
    now += cost / speeds[static_cast<size_t>(model)];
    for (const JobSlice& slice : batch) {
      Outcome& outcome = outcomes[slice.request];
      if (outcome.taken == arrivals[slice.request].lengths.size()) outcome.finish = now;
    }
  }
  for (int model = 0; model < static_cast<int>(speeds.size()); ++model) {
    PODIUM_CHECK(waiting.pairs(model) == 0 && waiting.cost(model) == 0);
  }
  return outcomes;
}

double WorkOf(const Arrival& arrival) {
  return Budgets()[static_cast<size_t>(arrival.model)].Cost(arrival.lengths) *
         kWorkPerCost[arrival.model];
}

std::vector<double> EvenSharing(const std::vector<Arrival>& arrivals) {
  std::vector<double> finish(arrivals.size());
  std::set<std::pair<double, size_t>> sharing;  // by the clock at which it is done
  double shares = 0;
  double clock = 0;
  double now = 0;
  const auto run_until = [&](double time) {
    while (!sharing.empty()) {
      const double end = now + (sharing.begin()->first - clock) * shares / kSpeed;
      if (end > time) {
        clock += (time - now) * kSpeed / shares;
        break;
      }
      clock = sharing.begin()->first;
      finish[sharing.begin()->second] = end;
      shares -= arrivals[sharing.begin()->second].share;
      sharing.erase(sharing.begin());
      if (sharing.empty()) shares = 0;
      now = end;
    }
    now = time;
  };
  for (size_t i = 0; i < arrivals.size(); ++i) {
    run_until(arrivals[i].time);
    sharing.emplace(clock + WorkOf(arrivals[i]) / arrivals[i].share, i);
    shares += arrivals[i].share;
  }
  run_until(INFINITY);
  return finish;
}

std::vector<Arrival> Traffic(uint32_t seed, size_t count, double load, uint32_t models) {
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
    if (models > 1) arrival.model = static_cast<int>(random() % models);
    arrival.lengths.resize(pairs);
    for (int& length : arrival.lengths) length = 8 + static_cast<int>(random() % longest);
    cost += WorkOf(arrival);
  }
  const double span = cost / kSpeed / load;
  for (Arrival& arrival : arrivals) arrival.time = span * share(random);
  std::sort(arrivals.begin(), arrivals.end(),
            [](const Arrival& a, const Arrival& b) { return a.time < b.time; });
  return arrivals;
}

double LongestBatch(const std::vector<Arrival>& arrivals) {
  double longest = 0;
  for (const Arrival& arrival : arrivals) {
    const BatchBudget& budget = Budgets()[static_cast<size_t>(arrival.model)];
    double cost = budget.tokens_max;
    for (const int length : arrival.lengths) cost = std::max(cost, budget.Cost(length));
    longest = std::max(longest, cost * kWorkPerCost[arrival.model]);
  }
  return longest / kSpeed;
}

}  // namespace podium::simulation
