#include "evaluation/trec_run.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/concat.h"
#include "evaluation/columns.h"

namespace podium {
namespace {

// What C's strtof takes, but for NaN, hexadecimal and trailing text. Beyond float's range a score
// is an infinity or zero, as for strtof.
bool ParseScore(std::string_view text, float* score) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double wide = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, wide);
  if (text.empty() || stop != end || error == std::errc::invalid_argument) return false;
  if (error == std::errc::result_out_of_range) {  // "1e999", "1e-999"
    const size_t exponent = text.find_first_of("eE");
    const bool tiny = exponent != std::string_view::npos && text[exponent + 1] == '-';
    wide = tiny ? 0 : (text[0] == '-' ? -HUGE_VAL : HUGE_VAL);
  }
  *score = static_cast<float>(wide);
  return !std::isnan(*score);
}

struct LineEntry {
  RunEntry entry;
  size_t line;
};

}  // namespace

bool RanksBefore(const RunEntry& a, const RunEntry& b) {
  return a.score != b.score ? a.score > b.score : a.document > b.document;
}

void TrecRun::Add(std::string_view query, std::vector<RunEntry> entries) {
  std::sort(entries.begin(), entries.end(), RanksBefore);
  const auto found = index_.find(query);
  if (found != index_.end()) {
    queries_[found->second].entries = std::move(entries);
    return;
  }
  index_.emplace(query, queries_.size());
  queries_.push_back({std::string(query), std::move(entries)});
}

const TrecRun::Query* TrecRun::Find(std::string_view query) const {
  const auto found = index_.find(query);
  return found == index_.end() ? nullptr : &queries_[found->second];
}

Result<TrecRun> ReadRun(LineReader lines, const Judgements* only) {
  std::vector<std::pair<std::string, std::vector<LineEntry>>> queries;
  TextMap<size_t> index;
  std::vector<std::string_view> columns;
  std::string_view line;
  while (true) {
    PODIUM_ASSIGN_OR_RETURN(const bool more, lines.Next(&line));
    if (!more) break;
    SplitAtBlanks(line, &columns);
    if (columns.empty()) continue;
    if (columns.size() != 6) {
      return InvalidArgument(Concat(lines.Where(), ": ", columns.size(),
                                    " columns; expected 6 (query, Q0, document, rank, score, "
                                    "tag)"));
    }
    LineEntry entry{{std::string(columns[2]), 0}, lines.number()};
    if (!ParseScore(columns[4], &entry.entry.score)) {
      return InvalidArgument(
          Concat(lines.Where(), ": score ", Quoted(columns[4]), "; allowed: a number"));
    }
    if (only != nullptr && only->Find(columns[0]) == nullptr) continue;
    const auto found = index.find(columns[0]);
    if (found != index.end()) {
      queries[found->second].second.push_back(std::move(entry));
    } else {
      index.emplace(columns[0], queries.size());
      queries.emplace_back(columns[0], std::vector<LineEntry>()).second.push_back(std::move(entry));
    }
  }
  TrecRun run;
  for (auto& [query, entries] : queries) {
    std::sort(entries.begin(), entries.end(), [](const LineEntry& a, const LineEntry& b) {
      return a.entry.document != b.entry.document ? a.entry.document < b.entry.document
                                                  : a.line < b.line;
    });
    const auto same = std::adjacent_find(entries.begin(), entries.end(),
                                         [](const LineEntry& a, const LineEntry& b) {
                                           return a.entry.document == b.entry.document;
                                         });
    if (same != entries.end()) {
      return InvalidArgument(Concat(lines.name(), ":", (same + 1)->line, ": document ",
                                    Quoted(same->entry.document), " of query ", Quoted(query),
                                    " is in line ", same->line, " already"));
    }
    std::vector<RunEntry> kept;
    kept.reserve(entries.size());
    for (LineEntry& entry : entries) kept.push_back(std::move(entry.entry));
    entries = {};
    run.Add(query, std::move(kept));
  }
  return run;
}

Result<TrecRun> ReadRun(const std::string& path, const Judgements* only) {
  PODIUM_ASSIGN_OR_RETURN(LineReader lines, LineReader::Open(path));
  return ReadRun(std::move(lines), only);
}

Result<std::string> RunLine(std::string_view query, std::string_view document, size_t rank,
                            float score, std::string_view tag) {
  for (const std::string_view id : {query, document, tag}) {
    if (id.empty() || id.find_first_of(" \t\r\n\f\v") != std::string_view::npos) {
      return InvalidArgument(Concat("id ", Quoted(id),
                                    " has no place in a TREC run: its columns are words without "
                                    "white space"));
    }
  }
  return Concat(query, " Q0 ", document, " ", rank, " ", score, " ", tag, "\n");
}

}  // namespace podium
