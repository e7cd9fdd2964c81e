#include "app/compare_run.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>

#include "app/progress.h"
#include "base/concat.h"
#include "base/heap.h"
#include "evaluation/summary.h"

namespace podium {
namespace {

using Clock = std::chrono::steady_clock;

double Seconds(Clock::time_point since) {
  return std::chrono::duration<double>(Clock::now() - since).count();
}

// Freed memory is handed back first: what the allocator keeps for later belongs to no side.
int64_t ResidentBytes() {
  ReturnFreeMemory();
  std::ifstream statm("/proc/self/statm");
  int64_t size = 0;
  int64_t resident = 0;
  statm >> size >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

// Scores the pairs and adds to the side; returns its tokens per second.
Result<double> Turn(std::span<const Pair> pairs, const std::atomic<bool>& cancel,
                    OpenedSide& side) {
  const Clock::time_point start = Clock::now();
  PODIUM_ASSIGN_OR_RETURN(const std::vector<Score> scores,
                          side.reranker->ScorePairs(pairs, {.cancel = &cancel}));
  const double seconds = Seconds(start);
  int64_t tokens = 0;
  for (const Score& score : scores) {
    side.logits.push_back(score.logit);
    side.about.truncated += score.truncated ? 1 : 0;
    tokens += score.tokens;
  }
  side.about.seconds += seconds;
  side.about.tokens += tokens;
  return static_cast<double>(tokens) / seconds;
}

}  // namespace

std::vector<Pair> PairsOf(const RerankSet& set, const RerankList& list) {
  std::vector<Pair> pairs;
  pairs.reserve(list.documents.size());
  for (const size_t document : list.documents) pairs.push_back({list.query, set.texts[document]});
  return pairs;
}

Result<OpenedSide> OpenSide(const std::string& name, const OpenOptions& options,
                            std::span<const Pair> first, const std::atomic<bool>& cancel) {
  OpenedSide side;
  side.about.name = name;
  const int64_t before = ResidentBytes();
  const Clock::time_point start = Clock::now();
  PODIUM_ASSIGN_OR_RETURN(side.reranker, Reranker::Open(options));
  side.about.open_s = Seconds(start);
  side.about.info = side.reranker->info();
  PODIUM_RETURN_IF_ERROR(side.reranker->ScorePairs(first, {.cancel = &cancel}).status());
  side.about.memory_bytes = ResidentBytes() - before;
  return side;
}

Result<SpeedRatio> ScoreByTurns(const RerankSet& set, OpenedSide& a, OpenedSide& b,
                                const std::atomic<bool>& cancel) {
  std::vector<double> ratios;
  std::vector<Pair> pairs;
  ProgressLine progress(/*quiet=*/isatty(STDERR_FILENO) == 0);
  RateMeter rate;
  for (size_t i = 0; i < set.lists.size(); ++i) {
    const std::vector<Pair> more = PairsOf(set, set.lists[i]);
    pairs.insert(pairs.end(), more.begin(), more.end());
    if ((pairs.size() < kTurnPairs && i + 1 < set.lists.size()) || pairs.empty()) continue;
    const bool a_first = ratios.size() % 2 == 0;
    PODIUM_ASSIGN_OR_RETURN(const double first, Turn(pairs, cancel, a_first ? a : b));
    PODIUM_ASSIGN_OR_RETURN(const double second, Turn(pairs, cancel, a_first ? b : a));
    ratios.push_back(a_first ? second / first : first / second);
    pairs.clear();
    const Clock::time_point now = Clock::now();
    const auto done = static_cast<double>(i + 1);
    rate.Add(now, done);
    if (!progress.IsDue(now)) continue;
    const auto left = static_cast<double>(set.lists.size()) - done;
    const std::string time_left = TimeLeft(rate.rate(), left);
    progress.Show(
        now, Concat(i + 1, " of ", set.lists.size(), " lists  ", 100 * (i + 1) / set.lists.size(),
                    "%", time_left.empty() ? "" : Concat("  ", time_left, " left")));
  }
  SpeedRatio speed;
  speed.ratio = b.about.tokens_per_s() / a.about.tokens_per_s();
  const SortedValues sorted(std::move(ratios));
  speed.median = sorted.Quantile(0.5);
  speed.low = sorted.Quantile(0.1);
  speed.high = sorted.Quantile(0.9);
  speed.turns = sorted.values().size();
  return speed;
}

}  // namespace podium
