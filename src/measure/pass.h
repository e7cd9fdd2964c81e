// Batches of made-up sequences, the work they are by count, and the time they take.
#ifndef PODIUM_MEASURE_PASS_H_
#define PODIUM_MEASURE_PASS_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/function_ref.h"
#include "base/status.h"
#include "batch/former.h"
#include "engine/batch.h"
#include "engine/engine.h"
#include "model/encoder_spec.h"

namespace podium::measure {

constexpr int kWorkloadPairsMax = 4096;
constexpr int kTimedRoundsMax = 10000;

/// Lengths of the pairs of one task, in tokens.
struct Workload {
  std::string name;
  std::vector<int> lengths;
};

/// "128": 50 pairs of 128 tokens, 8 from 512 tokens on. "10x30": 10 pairs of 30. "var": 50 pairs of
/// log-normal length (median 150, σ 0.6, 24 to 512), the same each time. "short": 10 documents of
/// 20 to 40 tokens, with 10 for the query and the special tokens of each pair.
Result<Workload> ParseWorkload(const std::string& name);

/// Nominal operations of a pass, two for a multiply-add: for each of a sequence's L tokens and each
/// layer 8·h² + 4·h·ffn in the products and 4·h·L in attention. All layers count for all tokens,
/// so what the last layer saves counts as speed; embeddings, norms and head do not count.
double NominalOperations(const EncoderSpec& spec, std::span<const int> lengths);

/// A batch with its own memory.
struct MadeBatch {
  std::vector<int32_t> ids;
  std::vector<int32_t> starts = {0};
  Batch view() const { return {ids, {}, starts, {}}; }
};

/// Sequences of these lengths with random ids by Zipf's law, in order, cut into batches as a ranker
/// cuts them.
std::vector<MadeBatch> MakeBatches(int vocabulary, std::span<const int> lengths,
                                   const BatchBudget& budget);

/// Seconds, each list by rising value; at least one round.
struct PassTimes {
  std::vector<double> rounds;  // all batches
  std::vector<double> batches;

  double best() const { return rounds.front(); }
  double median() const { return rounds[rounds.size() / 2]; }
  double worst() const { return rounds.back(); }
};

/// Scores one batch to warm up, then all of them again and again for about `seconds`, at least
/// once. `between` runs before each round and is not timed.
Result<PassTimes> TimePass(Lane& lane, std::span<const MadeBatch> batches, double seconds,
                           const Interrupt& interrupt, FunctionRef<void()> between);

/// Operations per second, from short passes that grow while they are expected to take less than a
/// second: enough to plan a measurement by, on any machine.
Result<double> RoughSpeed(Lane& lane, const EncoderSpec& spec, const Interrupt& interrupt);

}  // namespace podium::measure

#endif  // PODIUM_MEASURE_PASS_H_
