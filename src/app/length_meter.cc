#include "app/length_meter.h"

#include <algorithm>
#include <chrono>

namespace podium {
namespace {

using Clock = std::chrono::steady_clock;

struct Pass {
  double seconds = 0;
  double tokens = 0;
};

Result<Pass> TimeAt(const Ranker& ranker, std::span<const Pair> pairs,
                    std::span<const size_t> sample, int max_length, const Interrupt& interrupt) {
  const Clock::time_point start = Clock::now();
  const auto pair_at = [&](size_t i) { return pairs[sample[i]]; };
  PODIUM_ASSIGN_OR_RETURN(
      const std::vector<Score> scores,
      ranker.ScoreAll(sample.size(), pair_at, interrupt, "sampled pair", max_length));
  Pass pass;
  pass.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  for (const Score& score : scores) pass.tokens += score.tokens;
  return pass;
}

}  // namespace

Result<size_t> MeasureCosts(const Ranker& ranker, std::span<const Pair> pairs,
                            std::span<const PairLength> lengths, double seconds,
                            const std::atomic<bool>& cancel, std::span<LengthRow> rows) {
  constexpr int kRounds = 3;
  constexpr double kPairsMin = 8;
  const Interrupt interrupt{.cancel = &cancel};
  const Clock::time_point start = Clock::now();

  // Warms up, and tells how many pairs the time allows.
  std::vector<size_t> sample = SampleByLength(lengths, static_cast<size_t>(kPairsMin));
  PODIUM_ASSIGN_OR_RETURN(const Pass first,
                          TimeAt(ranker, pairs, sample, rows.back().max_length, interrupt));
  double tokens_per_pair = 0;  // at all lengths together
  for (const LengthRow& row : rows) tokens_per_pair += row.pair_tokens;
  const double tokens = first.tokens / first.seconds * seconds / kRounds;
  const double count = std::clamp(tokens / tokens_per_pair, kPairsMin, double{kTimedPairsMax});
  sample = SampleByLength(lengths, static_cast<size_t>(count));

  for (int round = 0; round < kRounds; ++round) {
    if (round > 1 && std::chrono::duration<double>(Clock::now() - start).count() > seconds) break;
    for (LengthRow& row : rows) {
      PODIUM_ASSIGN_OR_RETURN(const Pass pass,
                              TimeAt(ranker, pairs, sample, row.max_length, interrupt));
      const double ms = pass.seconds * 1000 / static_cast<double>(sample.size());
      if (!row.cost) row.cost = LengthCost{.ms_per_pair = ms, .ms_per_pair_max = ms};
      row.cost->ms_per_pair_max = std::max(row.cost->ms_per_pair_max, ms);
      if (ms <= row.cost->ms_per_pair) {
        row.cost->ms_per_pair = ms;
        row.cost->tokens_per_s = pass.tokens / pass.seconds;
      }
    }
  }
  return sample.size();
}

}  // namespace podium
