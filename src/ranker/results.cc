#include "ranker/results.h"

#include <algorithm>

namespace podium {

std::vector<RankedDocument> BestFirst(std::span<const Score> scores, int top_n) {
  std::vector<RankedDocument> ranking(scores.size());
  for (size_t i = 0; i < scores.size(); ++i) ranking[i] = {static_cast<uint32_t>(i), scores[i]};
  const size_t kept =
      top_n < 0 ? ranking.size() : std::min(ranking.size(), static_cast<size_t>(top_n));
  const auto better = [](const RankedDocument& a, const RankedDocument& b) {
    if (a.score.logit != b.score.logit) return a.score.logit > b.score.logit;
    return a.index < b.index;
  };
  std::partial_sort(ranking.begin(), ranking.begin() + static_cast<std::ptrdiff_t>(kept),
                    ranking.end(), better);
  ranking.resize(kept);
  return ranking;
}

}  // namespace podium
