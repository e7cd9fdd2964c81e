// For tests: one lane under a simulated clock and seeded traffic, beside an even sharer that is the
// yardstick.
#ifndef PODIUM_BATCH_SIMULATION_H_
#define PODIUM_BATCH_SIMULATION_H_

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "batch/waiting.h"

namespace podium::simulation {

using TimePoint = WaitingPairs::TimePoint;

TimePoint At(double seconds);

constexpr BatchBudget kBudget{.tokens_max = 2048, .sequences_max = 512, .attention_cost = 1e-3};
constexpr double kSpeed = 50'000;                       // cost per second
constexpr double kBatch = kBudget.tokens_max / kSpeed;  // seconds of a full batch

/// Of the first model, of one that is five times as slow, and of a quick one of small batches.
constexpr double kWorkPerCost[] = {1, 5, 0.25};
const std::vector<BatchBudget>& Budgets();
const std::vector<double>& Speeds();

struct Arrival {
  double time = 0;
  int model = 0;
  double share = 1;
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

/// One lane that takes a batch the moment it is free, or waits up to `patience` for a fuller one.
/// Checks each batch: pairs in order and none twice, one slice of a request, one model, the budget.
std::vector<Outcome> Simulate(const std::vector<Arrival>& arrivals,
                              std::chrono::microseconds patience = std::chrono::microseconds(0),
                              int* batches = nullptr);

double WorkOf(const Arrival& arrival);

/// When each would have finished had the engine been shared in proportion, without batches.
std::vector<double> EvenSharing(const std::vector<Arrival>& arrivals);

/// Requests of 1 to 1,000 pairs, most of them small, at a share of the capacity.
std::vector<Arrival> Traffic(uint32_t seed, size_t count, double load, uint32_t models = 1);

/// Seconds; the longest pair alone may be a batch of its own, longer than a full one.
double LongestBatch(const std::vector<Arrival>& arrivals);

}  // namespace podium::simulation

#endif  // PODIUM_BATCH_SIMULATION_H_
