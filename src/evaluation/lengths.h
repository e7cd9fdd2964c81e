// Token lengths of real pairs, and the maximum length that fits them.
#ifndef PODIUM_EVALUATION_LENGTHS_H_
#define PODIUM_EVALUATION_LENGTHS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/function_ref.h"
#include "evaluation/summary.h"

namespace podium {

/// Tokens of one pair before any cut, without the special tokens of the template.
struct PairLength {
  int32_t query = 0;
  int32_t document = 0;
};

/// What the engine took for a sample of the pairs, cut to a length.
struct LengthCost {
  double ms_per_pair = 0;      // of the fastest round
  double ms_per_pair_max = 0;  // of the slowest
  double tokens_per_s = 0;     // of the fastest
};

/// What a maximum length does to the pairs.
struct LengthRow {
  int max_length = 0;     // special tokens included
  double covered = 0;     // share of the pairs that stay uncut
  int64_t cut_pairs = 0;  // the others
  int64_t lost_tokens = 0;
  double lost_share = 0;   // of all tokens of the texts
  double pair_tokens = 0;  // mean length after the cut, special tokens included
  std::optional<LengthCost> cost;
};

/// The asked lengths that the model has, rising and once each; the model's own limit is among them.
/// Those past the first that cuts nothing say nothing new and are left out.
std::vector<int> LengthsToTry(std::span<const int> asked, int model_max, int64_t longest_pair);

/// One row a length. `query_max` is the most tokens of a query that stay at a length; beyond that,
/// what is lost is the same number of tokens whichever side is cut.
std::vector<LengthRow> LengthRows(std::span<const PairLength> pairs, int special_tokens,
                                  std::span<const int> lengths, FunctionRef<int(int)> query_max);

struct LengthAdvice {
  int max_length = 0;
  std::vector<std::string> reasons;  // sentences
};

/// The shortest row that leaves at least `cover` of the pairs uncut, else the longest; with what
/// it loses, what it costs against its neighbours, and what to do where even the longest cuts much.
/// `rows` is not empty. `query_tokens` are those of the pairs' queries.
LengthAdvice AdviseLength(std::span<const LengthRow> rows, double cover, int special_tokens,
                          const SortedValues& query_tokens);

/// `count` of the pairs' indices, evenly spaced over the pairs in order of their length, so that a
/// few stand for all: their mean length is near that of all.
std::vector<size_t> SampleByLength(std::span<const PairLength> pairs, size_t count);

}  // namespace podium

#endif  // PODIUM_EVALUATION_LENGTHS_H_
