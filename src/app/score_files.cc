#include "app/score_files.h"

#include <algorithm>
#include <utility>

#include "base/concat.h"
#include "evaluation/columns.h"

namespace podium {
namespace {

// A line of output is its line of input with a score behind it, or as many as it has documents.
constexpr size_t kScoredLineBytesMax = 4 * LineReader::Limits().line_bytes_max;

bool HasEnding(std::string_view path, std::initializer_list<std::string_view> endings) {
  return std::any_of(endings.begin(), endings.end(),
                     [&](std::string_view ending) { return path.ends_with(ending); });
}

ScoreFormat FormatOf(const ScoreCommand& command) {
  ScoreFormat format;
  format.query = command.query;
  format.scores = command.scores;
  format.ids = command.format == ScoreOutputFormat::kTrec;
  if (!command.query_field.empty()) format.query_field = command.query_field;
  if (!command.documents_field.empty()) format.documents_field = command.documents_field;
  format.document_field = command.document_field;
  format.query_id_field = command.query_id_field;
  format.document_id_field = command.document_id_field;
  format.score_field = command.score_field;
  return format;
}

}  // namespace

Result<ScoreInput> ScoreInput::Open(const ScoreCommand& command, const std::atomic<bool>* cancel) {
  PODIUM_ASSIGN_OR_RETURN(
      LineReader lines,
      LineReader::Open(command.file.empty() ? "-" : command.file, LineReader::Limits(), cancel));
  ScoreInput input(std::move(lines));
  input.format_ = FormatOf(command);
  std::string where = input.lines_.name();
  if (command.input == ScoreInputKind::kAuto || command.header) {
    PODIUM_ASSIGN_OR_RETURN(const auto first, input.Next());
    if (first) where = first->where;
    if (first) input.pending_ = std::string(first->text);
  }
  input.format_.tsv = command.input == ScoreInputKind::kTsv;
  if (command.input == ScoreInputKind::kAuto) {
    const bool named_json = HasEnding(command.file, {".jsonl", ".ndjson"});
    const bool named_tsv = HasEnding(command.file, {".tsv"});
    const std::string_view start =
        input.pending_ ? std::string_view(*input.pending_) : std::string_view();
    const bool looks_json =
        start.substr(std::min(start.find_first_not_of(" \t"), start.size())).starts_with('{');
    input.format_.tsv = named_tsv || (!named_json && !looks_json);
  }
  if (input.format_.tsv && command.header) input.header_ = std::exchange(input.pending_, {});
  if (!input.format_.tsv && command.header) {
    return InvalidArgument(Concat(where, ": --header is for TSV, this is JSON Lines"));
  }
  if (input.format_.tsv) {
    PODIUM_RETURN_IF_ERROR(
        ChooseColumns(command, input.header_ ? &*input.header_ : nullptr, where, &input.format_));
  }
  return input;
}

Result<std::optional<ScoreInput::Line>> ScoreInput::Next() {
  if (pending_) {
    // The reader's view of the line is gone, its number is not.
    shown_ = *std::exchange(pending_, {});
    return std::optional<Line>(Line{shown_, lines_.Where()});
  }
  std::string_view text;
  while (true) {
    PODIUM_ASSIGN_OR_RETURN(const bool more, lines_.Next(&text));
    if (!more) return std::optional<Line>();
    if (!IsBlank(text)) return std::optional<Line>(Line{text, lines_.Where()});
  }
}

Result<ResumePoint> FindResumePoint(const std::string& path, bool skip_bad_lines,
                                    ScoreInput& input) {
  ResumePoint point;
  auto opened = LineReader::Open(path, {.line_bytes_max = kScoredLineBytesMax});
  if (opened.status().code() == StatusCode::kNotFound) return point;
  PODIUM_RETURN_IF_ERROR(opened.status());
  LineReader written = *std::move(opened);
  std::string_view line;
  while (true) {
    PODIUM_ASSIGN_OR_RETURN(const bool more, written.Next(&line));
    if (!more || !written.has_end()) return point;
    const auto differs = [&](const std::string& where) {
      return InvalidArgument(Concat(written.Where(), ": this line was not written for ", where,
                                    "; --resume goes on only with the same input and options"));
    };
    if (written.number() == 1 && input.header()) {
      if (Concat(line, "\n") != ScoredHeader(*input.header(), input.format())) {
        return differs("the input's header");
      }
    } else {
      while (true) {
        const auto next = input.Next();
        const bool too_long = next.status().code() == StatusCode::kResourceExhausted;
        if (!next.ok() && !(too_long && skip_bad_lines)) return next.status();
        if (next.ok() && !*next) return differs("any line of the input, which has ended");
        if (next.ok() && line.starts_with(ScoredPrefix((*next)->text, input.format()))) {
          point.last_input = (*next)->text;
          point.last_where = (*next)->where;
          break;
        }
        // Only a line that could not be scored has none of its own.
        if (next.ok() && (!skip_bad_lines ||
                          ScoreLine::Parse((*next)->text, (*next)->where, input.format()).ok())) {
          return differs((*next)->where);
        }
        ++point.skipped;
      }
      point.last_scored = Concat(line, "\n");
    }
    ++point.lines;
    point.bytes = written.bytes_read();
  }
}

Status RunWriter::Add(const ScoreLine& line, std::span<const Score> scores) {
  if (line.query_id() != query_) PODIUM_RETURN_IF_ERROR(Finish());
  query_ = line.query_id();
  std::vector<RunEntry> entries = line.RunEntries(scores);
  if (entries_.size() + entries.size() > kRankedMax) {
    return ResourceExhausted(
        Concat(line.where(), ": more than ", kRankedMax, " documents of query ", Quoted(query_)));
  }
  std::move(entries.begin(), entries.end(), std::back_inserter(entries_));
  return OkStatus();
}

Status RunWriter::Finish() {
  std::sort(entries_.begin(), entries_.end(), RanksBefore);
  std::string text;
  for (size_t i = 0; i < entries_.size(); ++i) {
    PODIUM_ASSIGN_OR_RETURN(const std::string line,
                            RunLine(query_, entries_[i].document, i + 1, entries_[i].score, tag_));
    text += line;
  }
  out_.Write(text);
  entries_.clear();
  return OkStatus();
}

}  // namespace podium
