// Which documents answer which query, and how well: the grades that people gave.
#ifndef PODIUM_EVALUATION_JUDGEMENTS_H_
#define PODIUM_EVALUATION_JUDGEMENTS_H_

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/line_reader.h"
#include "base/status.h"

namespace podium {

/// Hash for maps that are asked with a view.
struct TextHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};
template <typename T>
using TextMap = std::unordered_map<std::string, T, TextHash, std::equal_to<>>;

/// A grade at most, and the negative of one at least: 2^grade - 1 stays a number.
constexpr int kGradeMax = 100;

/// A document is relevant to a query when its grade is 1 or more; 0 and negative grades say that
/// it is not, as for trec_eval.
class Judgements {
 public:
  struct Query {
    std::string id;
    TextMap<int> grades;  // by document
  };

  /// kInvalidArgument when the document was judged for this query before, or the grade is beyond
  /// kGradeMax; the message names neither file nor line.
  Status Add(std::string_view query, std::string_view document, int grade);
  /// A query, be it without any grade.
  void AddQuery(std::string_view query);
  /// A query with its grades; it was not there before.
  void AddQuery(const Query& query);

  /// In the order of their first appearance.
  const std::vector<Query>& queries() const { return queries_; }
  /// nullptr when the query was never judged.
  const Query* Find(std::string_view query) const;

 private:
  Query& FindOrAdd(std::string_view query);

  std::vector<Query> queries_;
  TextMap<size_t> index_;
};

/// A file of judgements, in one of two forms, told apart by the first line: TREC qrels (query,
/// iteration, document, grade, white space between) or tab-separated as BEIR has it (query,
/// document, grade, with or without a header). Empty lines are skipped. Errors name file and line,
/// what was found and what is allowed.
Result<Judgements> ReadJudgements(LineReader lines);
Result<Judgements> ReadJudgements(const std::string& path);

/// A whole number within ±kGradeMax, or what was found instead.
Result<int> ParseGrade(std::string_view text);

}  // namespace podium

#endif  // PODIUM_EVALUATION_JUDGEMENTS_H_
