// A ranking as a table, JSON, JSON Lines or TSV. Pure.
#ifndef PODIUM_APP_RANK_OUTPUT_H_
#define PODIUM_APP_RANK_OUTPUT_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/options.h"
#include "json/writer.h"
#include "podium/reranker.h"

namespace podium {

struct RankingView {
  std::string_view query;
  std::string_view model;
  std::string_view precision;
  std::string_view isa;  // kernel table
  std::span<const std::string_view> documents;
  std::span<const RankedDocument> ranking;
  ScoreKind scores = ScoreKind::kSigmoid;  // or kRaw
};

/// What kModel means for a model: kRaw where its own files say that a score is the logit.
ScoreKind ChosenScores(ScoreKind asked, const ModelInfo& model);
/// The logit as it is, or its sigmoid in double: near 0 and 1 that keeps scores apart which float
/// would make equal.
void WriteScore(ScoreKind kind, float logit, json::Writer& writer);
/// Tabs, line ends, backslashes and control characters as \t, \n, \r, \\ and \xHH; invalid UTF-8 as
/// U+FFFD.
void AppendTsvText(std::string_view text, std::string& out);

/// A line of a TSV that was read: its tabs and all else as they are, but control characters as
/// \xHH.
void AppendTsvLine(std::string_view line, std::string& out);

/// {"query", "model", "precision", "isa", "results": [{"index", "score", "document", "tokens",
/// "truncated"}]}
std::string RankingJson(const RankingView& view);
/// One result as a line of JSON.
std::string ResultJsonLine(const RankingView& view, const RankedDocument& result);
/// index, score, tokens, truncated (0 or 1) and document, tabs between; the document as
/// AppendTsvText has it.
std::string ResultTsvLine(const RankingView& view, const RankedDocument& result);
/// Rank, score, a bar of the score's sigmoid, index, tokens of the pair, "cut" where something was
/// left out, and the document's start.
std::string RankingTable(const RankingView& view, int columns, bool style);

}  // namespace podium

#endif  // PODIUM_APP_RANK_OUTPUT_H_
