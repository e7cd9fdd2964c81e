// A run: for each query the documents that some system found, with its scores.
#ifndef PODIUM_EVALUATION_TREC_RUN_H_
#define PODIUM_EVALUATION_TREC_RUN_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/line_reader.h"
#include "base/status.h"
#include "evaluation/judgements.h"

namespace podium {

/// A score is kept as a float because trec_eval keeps it so: two that differ in their ninth digit
/// are a tie there, and here.
struct RunEntry {
  std::string document;
  float score = 0;
};

/// The rule of trec_eval, which every metric here goes by: falling score, ties by falling document
/// id (bytes compared). The rank that a run's file states is not looked at.
bool RanksBefore(const RunEntry& a, const RunEntry& b);

class TrecRun {
 public:
  struct Query {
    std::string id;
    std::vector<RunEntry> entries;  // best first
  };

  /// Documents of a query as they come, each once; sorted here. A query that is there already
  /// is replaced.
  void Add(std::string_view query, std::vector<RunEntry> entries);

  /// In the order of their first appearance.
  const std::vector<Query>& queries() const { return queries_; }
  /// nullptr when the run has no such query.
  const Query* Find(std::string_view query) const;

 private:
  std::vector<Query> queries_;
  TextMap<size_t> index_;
};

/// TREC's six columns: query, Q0, document, rank, score, tag, white space between; lines in any
/// order. Of queries outside `only` (null: none is outside) no more than a look is kept. Errors
/// name file and line: another number of columns, a score that is no number (NaN included), the
/// same document twice for a query.
Result<TrecRun> ReadRun(LineReader lines, const Judgements* only);
Result<TrecRun> ReadRun(const std::string& path, const Judgements* only);

/// One line of a TREC run; ids with white space in them are refused. `rank` counts from 1.
Result<std::string> RunLine(std::string_view query, std::string_view document, size_t rank,
                            float score, std::string_view tag);

}  // namespace podium

#endif  // PODIUM_EVALUATION_TREC_RUN_H_
