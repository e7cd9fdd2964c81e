#include "evaluation/lengths.h"

#include <algorithm>
#include <cstdio>
#include <numeric>

#include "base/check.h"
#include "base/concat.h"

namespace podium {
namespace {

int64_t Tokens(const PairLength& pair) { return int64_t{pair.query} + pair.document; }

// "97.2 %"; a share that is not all never reads "100 %", one that is not nothing never "0 %".
std::string Percent(double share) {
  char text[32];
  const double percent = share * 100;
  if (percent > 0 && percent < 0.1) return "less than 0.1 %";
  if (percent < 100 && percent > 99.9) return "more than 99.9 %";
  std::snprintf(text, sizeof text, "%.1f", percent);
  std::string digits = text;
  if (digits.size() > 2 && digits.ends_with(".0")) digits.resize(digits.size() - 2);
  return digits + " %";
}

std::string Milliseconds(double ms) {
  char text[32];
  std::snprintf(text, sizeof text, ms < 10 ? "%.2f ms" : "%.1f ms", ms);
  return text;
}

std::string Times(double ratio) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", ratio);
  return text;
}

std::string WhatItKeeps(const LengthRow& row) {
  if (row.cut_pairs == 0) return Concat(row.max_length, " cuts none of the pairs.");
  return Concat(row.max_length, " leaves ", Percent(row.covered), " of the pairs uncut and loses ",
                Percent(row.lost_share), " of the tokens.");
}

}  // namespace

std::vector<int> LengthsToTry(std::span<const int> asked, int model_max, int64_t longest_pair) {
  std::vector<int> lengths(asked.begin(), asked.end());
  lengths.push_back(model_max);
  std::sort(lengths.begin(), lengths.end());
  lengths.erase(std::unique(lengths.begin(), lengths.end()), lengths.end());
  lengths.erase(std::upper_bound(lengths.begin(), lengths.end(), model_max), lengths.end());
  const auto enough = std::lower_bound(lengths.begin(), lengths.end(), longest_pair);
  if (enough != lengths.end()) lengths.erase(enough + 1, lengths.end());
  return lengths;
}

std::vector<LengthRow> LengthRows(std::span<const PairLength> pairs, int special_tokens,
                                  std::span<const int> lengths, FunctionRef<int(int)> query_max) {
  const auto count = static_cast<double>(pairs.size());
  int64_t all = 0;
  for (const PairLength& pair : pairs) all += Tokens(pair);
  std::vector<LengthRow> rows;
  for (const int length : lengths) {
    LengthRow row;
    row.max_length = length;
    const int query_stays = query_max(length);
    for (const PairLength& pair : pairs) {
      const int64_t of_query = std::max<int64_t>(0, pair.query - query_stays);
      const int64_t rest = Tokens(pair) - of_query + special_tokens - length;
      const int64_t lost = of_query + std::max<int64_t>(0, rest);
      if (lost == 0) continue;
      ++row.cut_pairs;
      row.lost_tokens += lost;
    }
    row.covered = (count - static_cast<double>(row.cut_pairs)) / count;
    row.lost_share = all == 0 ? 0 : static_cast<double>(row.lost_tokens) / static_cast<double>(all);
    row.pair_tokens = static_cast<double>(all - row.lost_tokens) / count + special_tokens;
    rows.push_back(row);
  }
  return rows;
}

LengthAdvice AdviseLength(std::span<const LengthRow> rows, double cover, int special_tokens,
                          const SortedValues& query_tokens) {
  PODIUM_CHECK(!rows.empty());
  // Less of a saving than this is no reason to cut texts.
  constexpr double kWorthSaying = 1.05;
  auto chosen = std::find_if(rows.begin(), rows.end(),
                             [&](const LengthRow& row) { return row.covered >= cover; });
  const bool enough = chosen != rows.end();
  if (!enough) --chosen;
  const LengthRow& row = *chosen;
  LengthAdvice advice;
  advice.max_length = row.max_length;
  if (enough) {
    advice.reasons.push_back(Concat(WhatItKeeps(row),
                                    " It is the shortest length tried that leaves ", Percent(cover),
                                    " uncut."));
  } else {
    advice.reasons.push_back(Concat(
        WhatItKeeps(row), " It is the longest that the model has, and still cuts more than the ",
        Percent(1 - cover), " that were allowed."));
    const double room = row.max_length - special_tokens - query_tokens.Quantile(0.99);
    if (room >= 1) {
      advice.reasons.push_back(Concat(
          "Splitting the documents into passages of at most ", static_cast<int64_t>(room),
          " tokens would leave 99 % of the pairs whole: the limit less the special tokens and the "
          "99th percentile of the queries."));
    } else {
      advice.reasons.push_back("The queries alone fill the limit: shorten them first.");
    }
  }
  if (row.cost && chosen != rows.begin()) {
    const LengthRow& shorter = *(chosen - 1);
    const double ratio = row.cost->ms_per_pair / shorter.cost->ms_per_pair;
    advice.reasons.push_back(
        ratio < kWorthSaying
            ? Concat("Going down to ", shorter.max_length, " would save next to no time (",
                     Milliseconds(row.cost->ms_per_pair), " a pair against ",
                     Milliseconds(shorter.cost->ms_per_pair), ").")
            : Concat("Going down to ", shorter.max_length, " would be ", Times(ratio),
                     " times as fast (", Milliseconds(shorter.cost->ms_per_pair),
                     " a pair against ", Milliseconds(row.cost->ms_per_pair), "), but cut ",
                     Percent(1 - shorter.covered), " of the pairs and lose ",
                     Percent(shorter.lost_share), " of the tokens."));
  }
  if (enough && row.cut_pairs > 0 && row.cost && chosen + 1 != rows.end()) {
    const LengthRow& longest = rows.back();
    advice.reasons.push_back(Concat(
        "Going up to ", longest.max_length, " would take ", Milliseconds(longest.cost->ms_per_pair),
        " a pair, ", Times(longest.cost->ms_per_pair / row.cost->ms_per_pair),
        " times as much, and leave ", Percent(longest.covered), " uncut."));
  }
  advice.reasons.push_back(
      "Batches carry no padding: a higher limit costs time for the pairs that are longer, nothing "
      "for the others.");
  return advice;
}

std::vector<size_t> SampleByLength(std::span<const PairLength> pairs, size_t count) {
  std::vector<size_t> order(pairs.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t i, size_t j) {
    return Tokens(pairs[i]) != Tokens(pairs[j]) ? Tokens(pairs[i]) < Tokens(pairs[j]) : i < j;
  });
  if (count >= order.size()) return order;
  std::vector<size_t> sample(count);
  for (size_t i = 0; i < count; ++i) {
    sample[i] = order[(2 * i + 1) * order.size() / (2 * count)];  // the middle of each share
  }
  return sample;
}

}  // namespace podium
