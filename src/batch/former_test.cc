#include "batch/former.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "base/concat.h"

namespace podium {
namespace {

// "0-3 3-4" for batches [0, 3) and [3, 4).
std::string Show(const std::vector<BatchRange>& batches) {
  std::string out;
  for (const BatchRange& batch : batches) {
    if (!out.empty()) out += ' ';
    out += Concat(batch.begin, "-", batch.end);
  }
  return out;
}

TEST(Former, Cases) {
  struct Case {
    std::vector<int> lengths;
    BatchBudget budget;
    const char* want;
  };
  const Case cases[] = {
      {{}, {10, 4, 0}, ""},
      {{3}, {10, 4, 0}, "0-1"},
      {{3, 3, 4}, {10, 4, 0}, "0-3"},                // exactly full
      {{3, 3, 4, 1}, {10, 4, 0}, "0-3 3-4"},         // one token too many
      {{1, 1, 1, 1, 1}, {10, 2, 0}, "0-2 2-4 4-5"},  // too many pairs
      {{50}, {10, 4, 0}, "0-1"},                     // above the budget: alone
      {{2, 50, 2, 2}, {10, 4, 0}, "0-1 1-2 2-4"},    // order is kept around it
      {{4, 4, 4}, {12, 4, 0.25}, "0-1 1-2 2-3"},     // cost 8 each
      {{4, 4, 4}, {16, 4, 0.25}, "0-2 2-3"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(Show(FormBatches(c.lengths, c.budget)), c.want);
  }
}

TEST(Former, NothingIsLostNothingTwiceAndTheBudgetHolds) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    const auto pick = [&](int low, int high) {
      return std::uniform_int_distribution<int>(low, high)(random);
    };
    const BatchBudget budget{pick(1, 600), pick(1, 40), pick(0, 1) * 1e-3};
    std::vector<int> lengths(static_cast<size_t>(pick(0, 400)));
    for (int& length : lengths) length = pick(1, pick(0, 9) == 0 ? 900 : 80);

    size_t next = 0;
    double previous_cost = 0;
    size_t previous_size = 0;
    for (const BatchRange& batch : FormBatches(lengths, budget)) {
      ASSERT_EQ(batch.begin, next) << "seed " << seed;
      ASSERT_LT(batch.begin, batch.end) << "seed " << seed;
      double cost = 0;
      for (size_t i = batch.begin; i < batch.end; ++i) cost += budget.Cost(lengths[i]);
      if (batch.end - batch.begin > 1) {
        ASSERT_LE(cost, budget.tokens_max) << "seed " << seed;
        ASSERT_LE(batch.end - batch.begin, static_cast<size_t>(budget.sequences_max));
      }
      // No batch ends while the next pair would still have fitted.
      if (batch.begin != 0) {
        ASSERT_TRUE(previous_size == static_cast<size_t>(budget.sequences_max) ||
                    previous_cost + budget.Cost(lengths[batch.begin]) > budget.tokens_max)
            << "seed " << seed;
      }
      previous_cost = cost;
      previous_size = batch.end - batch.begin;
      next = batch.end;
    }
    ASSERT_EQ(next, lengths.size()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace podium
