// Scores → a ranking. Pure.
#ifndef PODIUM_RANKER_RESULTS_H_
#define PODIUM_RANKER_RESULTS_H_

#include <span>
#include <vector>

#include "podium/types.h"

namespace podium {

/// The best `top_n` (negative: all) by falling logit; equal logits stay in input order. Every logit
/// is finite.
std::vector<RankedDocument> BestFirst(std::span<const Score> scores, int top_n);

}  // namespace podium

#endif  // PODIUM_RANKER_RESULTS_H_
