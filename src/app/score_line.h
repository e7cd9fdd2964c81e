// One line of what `podium score` reads, and the line that it writes for it. Pure.
#ifndef PODIUM_APP_SCORE_LINE_H_
#define PODIUM_APP_SCORE_LINE_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/options.h"
#include "base/status.h"
#include "evaluation/trec_run.h"
#include "json/json.h"
#include "podium/types.h"

namespace podium {

/// How lines are read and written.
struct ScoreFormat {
  bool tsv = false;                  // else JSON Lines
  std::optional<std::string> query;  // of every line, which then has none
  ScoreKind scores = ScoreKind::kSigmoid;
  bool ids = false;  // a run is written, so ids are needed

  // JSON Lines: names of members. "" for the usual ones.
  std::string query_field = "query";
  std::string document_field = {};
  std::string documents_field = "documents";
  std::string query_id_field = {};
  std::string document_id_field = {};
  std::string score_field = {};

  // TSV: columns, counted from 0.
  size_t query_column = 0;
  size_t document_column = 1;
  size_t query_id_column = 0;
  size_t document_id_column = 0;
};

class ScoreLine {
 public:
  /// `where` is put before messages. JSON Lines: {query, document} or {query, documents: […]}; TSV:
  /// a pair.
  static Result<ScoreLine> Parse(std::string_view line, const std::string& where,
                                 const ScoreFormat& format);

  const std::string& where() const { return where_; }
  size_t bytes() const { return text_->size(); }
  std::string_view query() const { return query_; }
  /// One of a pair.
  std::span<const std::string_view> documents() const { return documents_; }
  /// With ScoreFormat::ids.
  const std::string& query_id() const { return query_id_; }
  std::vector<RunEntry> RunEntries(std::span<const Score> scores) const;

  /// The line as it was read with the scores behind it: members "score", "tokens" and "truncated"
  /// (of a list "scores", "tokens" and "truncated", arrays in the documents' order), or three more
  /// columns, control characters of the others as AppendTsvLine has them.
  std::string WithScores(std::span<const Score> scores, const ScoreFormat& format) const;

 private:
  ScoreLine() = default;
  Status ReadJson(const ScoreFormat& format);
  Status ReadJsonIds(json::Value object, const std::optional<json::Value>& list,
                     const ScoreFormat& format);
  Status ReadTsv(const ScoreFormat& format);

  std::string where_;
  // At a fixed place, because the views below go into one of these two.
  std::unique_ptr<const std::string> text_;
  std::optional<json::Document> parsed_;
  bool is_list_ = false;
  std::string_view query_;
  std::vector<std::string_view> documents_;
  std::string query_id_;
  std::vector<std::string> document_ids_;
};

/// What a line of output starts with when it was written for this line of input.
std::string ScoredPrefix(std::string_view line, const ScoreFormat& format);

/// Finds the columns of a TSV: by number, from 1, or by the name in the header (null without one).
Status ChooseColumns(const ScoreCommand& command, const std::string* header,
                     const std::string& where, ScoreFormat* format);

/// The header's line of output.
std::string ScoredHeader(std::string_view header, const ScoreFormat& format);

}  // namespace podium

#endif  // PODIUM_APP_SCORE_LINE_H_
