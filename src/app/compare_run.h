// Scores the same lists with two models, by turns.
#ifndef PODIUM_APP_COMPARE_RUN_H_
#define PODIUM_APP_COMPARE_RUN_H_

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/compare_report.h"
#include "base/status.h"
#include "evaluation/rerank_set.h"
#include "podium/reranker.h"

namespace podium {

/// Pairs of a turn, unless a single list has more: a turn takes some tenths of a second, short
/// against what slows a shared machine, long against the clock.
constexpr size_t kTurnPairs = 64;

struct OpenedSide {
  std::unique_ptr<Reranker> reranker;
  ComparedSide about;
  std::vector<float> logits;  // of all pairs, list by list
};

/// Opens the model and scores `first`, so that its threads and memory are there before the clock
/// runs; notes how the process's memory grew.
Result<OpenedSide> OpenSide(const std::string& name, const OpenOptions& options,
                            std::span<const Pair> first, const std::atomic<bool>& cancel);

/// The pairs of one list.
std::vector<Pair> PairsOf(const RerankSet& set, const RerankList& list);

/// Scores every list with both sides, a turn each: A first in even turns, B in odd ones.
Result<SpeedRatio> ScoreByTurns(const RerankSet& set, OpenedSide& a, OpenedSide& b,
                                const std::atomic<bool>& cancel);

}  // namespace podium

#endif  // PODIUM_APP_COMPARE_RUN_H_
