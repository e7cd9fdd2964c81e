#include "evaluation/judgements.h"

#include <charconv>

#include "base/concat.h"
#include "evaluation/columns.h"

namespace podium {

Judgements::Query& Judgements::FindOrAdd(std::string_view query) {
  const auto found = index_.find(query);
  if (found != index_.end()) return queries_[found->second];
  index_.emplace(query, queries_.size());
  queries_.push_back({std::string(query), {}});
  return queries_.back();
}

void Judgements::AddQuery(std::string_view query) { FindOrAdd(query); }

void Judgements::AddQuery(const Query& query) { FindOrAdd(query.id).grades = query.grades; }

Status Judgements::Add(std::string_view query, std::string_view document, int grade) {
  if (grade > kGradeMax || grade < -kGradeMax) {
    return InvalidArgument(Concat("grade ", grade, "; allowed: ", -kGradeMax, " to ", kGradeMax));
  }
  const auto [entry, added] = FindOrAdd(query).grades.emplace(document, grade);
  if (!added) {
    return InvalidArgument(Concat("document ", Quoted(document), " of query ", Quoted(query),
                                  " has grade ", grade, " here and ", entry->second, " before"));
  }
  return OkStatus();
}

const Judgements::Query* Judgements::Find(std::string_view query) const {
  const auto found = index_.find(query);
  return found == index_.end() ? nullptr : &queries_[found->second];
}

Result<int> ParseGrade(std::string_view text) {
  int grade = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, grade);
  if (text.empty() || error == std::errc::invalid_argument || stop != end) {
    return InvalidArgument(Concat("grade ", Quoted(text), "; allowed: a whole number"));
  }
  if (error != std::errc() || grade > kGradeMax || grade < -kGradeMax) {
    return InvalidArgument(
        Concat("grade ", Quoted(text), "; allowed: ", -kGradeMax, " to ", kGradeMax));
  }
  return grade;
}

Result<Judgements> ReadJudgements(LineReader lines) {
  enum class Form { kUnknown, kTrec, kTabs };
  Form form = Form::kUnknown;
  Judgements judgements;
  std::vector<std::string_view> columns;
  std::string_view line;
  while (true) {
    PODIUM_ASSIGN_OR_RETURN(const bool more, lines.Next(&line));
    if (!more) return judgements;
    if (IsBlank(line)) continue;
    const auto fail = [&](const std::string& message) {
      return InvalidArgument(Concat(lines.Where(), ": ", message));
    };
    bool header = false;
    if (form == Form::kUnknown) {
      SplitAtTabs(line, &columns);
      form = columns.size() == 3 ? Form::kTabs : Form::kTrec;
      header = form == Form::kTabs && !ParseGrade(columns[2]).ok();
    }
    if (header) continue;
    const bool trec = form == Form::kTrec;
    if (trec) {
      SplitAtBlanks(line, &columns);
    } else {
      SplitAtTabs(line, &columns);
    }
    if (columns.size() != (trec ? 4 : 3)) {
      return fail(Concat(columns.size(), " columns; expected ",
                         trec ? "4 (query, iteration, document, grade), or 3 with tabs between"
                              : "3 with tabs between (query, document, grade)"));
    }
    const std::string_view query = columns[0];
    const std::string_view document = columns[trec ? 2 : 1];
    if (query.empty() || document.empty()) {
      return fail(query.empty() ? "empty query id" : "empty document id");
    }
    const auto grade = ParseGrade(columns.back());
    if (!grade.ok()) return fail(grade.status().message());
    if (Status status = judgements.Add(query, document, *grade); !status.ok()) {
      return fail(status.message());
    }
  }
}

Result<Judgements> ReadJudgements(const std::string& path) {
  PODIUM_ASSIGN_OR_RETURN(LineReader lines, LineReader::Open(path));
  return ReadJudgements(std::move(lines));
}

}  // namespace podium
