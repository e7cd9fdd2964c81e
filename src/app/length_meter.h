// What a maximum length costs: the engine itself, timed on a sample of the pairs.
#ifndef PODIUM_APP_LENGTH_METER_H_
#define PODIUM_APP_LENGTH_METER_H_

#include <atomic>
#include <span>
#include <vector>

#include "base/status.h"
#include "evaluation/lengths.h"
#include "podium/types.h"
#include "ranker/ranker.h"

namespace podium {

/// Pairs timed at each length, at most.
constexpr int kTimedPairsMax = 512;

/// Fills in the cost of each row. All lengths take turns in each round, so that a busy machine
/// slows them alike, and the fastest round counts. As many pairs, spread over the lengths that
/// occur, as three rounds of about `seconds` in all allow, at least 8; where even those take
/// longer, one round. Returns how many. `lengths` are those of the pairs.
Result<size_t> MeasureCosts(const Ranker& ranker, std::span<const Pair> pairs,
                            std::span<const PairLength> lengths, double seconds,
                            const std::atomic<bool>& cancel, std::span<LengthRow> rows);

}  // namespace podium

#endif  // PODIUM_APP_LENGTH_METER_H_
