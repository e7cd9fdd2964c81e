// The policy in simulated traffic of several models.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "batch/simulation.h"
#include "batch/waiting.h"

namespace podium {
namespace {

using namespace simulation;  // NOLINT(google-build-using-namespace)

// Of one run; the nine runs are fewer
// under sanitizers.
constexpr size_t kRequests = PODIUM_SANITIZED != 0 ? 2'000 : 24'000;

// The same across models: time is what is shared evenly.
TEST(Waiting, SeveralModelsShareTheTimeOfTheEngineEvenly) {
  for (const double load : {0.5, 0.9, 1.5}) {
    for (uint32_t seed = 1; seed <= 3; ++seed) {
      const std::vector<Arrival> arrivals = Traffic(seed, kRequests, load, 3);
      const std::vector<Outcome> outcomes = Simulate(arrivals);
      const std::vector<double> even = EvenSharing(arrivals);
      const double slack = 3 * LongestBatch(arrivals);  // found: 1.2 of them
      for (size_t i = 0; i < arrivals.size(); ++i) {
        ASSERT_EQ(outcomes[i].taken, arrivals[i].lengths.size()) << "seed " << seed;
        ASSERT_LE(outcomes[i].finish, even[i] + slack)
            << "seed " << seed << ", load " << load << ", request " << i;
      }
    }
  }
}

// One model's queue is never empty: its batches are filled with pairs whose turn is far away. A
// request of another model is passed over once and then served.
TEST(Waiting, FullBatchesOfOneModelDoNotHoldUpAnother) {
  std::vector<Arrival> arrivals;
  for (int i = 0; i < 40; ++i) arrivals.push_back({.lengths = std::vector<int>(1000, 60)});
  arrivals.push_back({.time = 1e-6, .model = 1, .lengths = std::vector<int>(40, 60)});
  const double start = 1e-6 + kBatch;
  for (int i = 0; i < 4000; ++i) {  // each at once before the large ones in its turn
    arrivals.push_back({.time = start + i * 0.2 * kBatch, .lengths = {8}});
  }
  const std::vector<Outcome> outcomes = Simulate(arrivals);
  // The batch that runs, one that passes it over, and its own two, five times as long, with one
  // between them.
  EXPECT_LE(outcomes[40].finish, (1 + 1 + 2 * 5 + 1) * kBatch);
}

}  // namespace
}  // namespace podium
