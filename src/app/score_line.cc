#include "app/score_line.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "app/rank_output.h"
#include "base/concat.h"
#include "evaluation/columns.h"
#include "evaluation/document_text.h"
#include "evaluation/json_line.h"
#include "json/writer.h"

namespace podium {
namespace {

constexpr std::string_view kJsonSpace = " \t\r\n";

std::string_view WithoutSpaceBehind(std::string_view line) {
  return line.substr(0, line.find_last_not_of(kJsonSpace) + 1);
}

struct Names {
  std::string score;
  std::string tokens;
  std::string truncated;
};

Names MemberNames(const ScoreFormat& format, bool is_list) {
  if (!format.score_field.empty()) {
    return {format.score_field, format.score_field + "_tokens", format.score_field + "_truncated"};
  }
  return {is_list ? "scores" : "score", "tokens", "truncated"};
}

Result<std::optional<json::Value>> FindDocument(json::Value object, const ScoreFormat& format) {
  if (!format.document_field.empty()) return object.Find(format.document_field);
  return FindFirst(object, {"document", "text", "passage", "content"});
}

}  // namespace

Result<ScoreLine> ScoreLine::Parse(std::string_view line, const std::string& where,
                                   const ScoreFormat& format) {
  ScoreLine parsed;
  parsed.where_ = where;
  parsed.text_ = std::make_unique<const std::string>(line);
  PODIUM_RETURN_IF_ERROR(format.tsv ? parsed.ReadTsv(format) : parsed.ReadJson(format));
  return parsed;
}

Status ScoreLine::ReadJson(const ScoreFormat& format) {
  PODIUM_ASSIGN_OR_RETURN(parsed_, json::Document::Parse(*text_, where_));
  const json::Value object = parsed_->root();
  if (!object.is(json::Type::kObject)) {
    return InvalidArgument(Concat(where_, ": expected an object, got ", object.type_name()));
  }
  if (format.query) {
    query_ = *format.query;
  } else {
    PODIUM_ASSIGN_OR_RETURN(query_, TextMember(object, format.query_field.c_str(), where_));
  }
  const auto list = object.Find(format.documents_field);
  is_list_ = list.has_value();
  if (list) {
    if (!list->is(json::Type::kArray)) {
      return InvalidArgument(Concat(where_, ": \"", format.documents_field,
                                    "\" must be an array, got ", list->type_name()));
    }
    Status status;
    list->ForEachElement([&](json::Value element) {
      const auto text = DocumentText(element, Concat(where_, ": document ", documents_.size()),
                                     format.document_field);
      if (text.ok()) documents_.push_back(*text);
      status = text.status();
      return status.ok();
    });
    PODIUM_RETURN_IF_ERROR(status);
  } else {
    PODIUM_ASSIGN_OR_RETURN(const auto document, FindDocument(object, format));
    if (!document) {
      const std::string wanted = format.document_field.empty()
                                     ? "\"document\", \"text\", \"passage\" or \"content\""
                                     : Concat("\"", format.document_field, "\"");
      return InvalidArgument(
          Concat(where_, ": no ", wanted, ", and no \"", format.documents_field, "\""));
    }
    PODIUM_ASSIGN_OR_RETURN(const std::string_view text, DocumentText(*document, where_, ""));
    documents_.push_back(text);
  }
  if (format.ids) return ReadJsonIds(object, list, format);
  const Names names = MemberNames(format, is_list_);
  for (const std::string& name : {names.score, names.tokens, names.truncated}) {
    if (object.Find(name)) {
      return InvalidArgument(Concat(where_, ": the line has a member \"", name,
                                    "\" already; name another with --score-field"));
    }
  }
  return OkStatus();
}

Status ScoreLine::ReadJsonIds(json::Value object, const std::optional<json::Value>& list,
                              const ScoreFormat& format) {
  const auto query_id = format.query_id_field.empty()
                            ? FindFirst(object, {"query_id", "qid", "id", "_id"})
                            : object.Find(format.query_id_field);
  if (!query_id) {
    return InvalidArgument(Concat(where_,
                                  ": no id of the query, which a run needs; name it with "
                                  "--query-id-field"));
  }
  PODIUM_ASSIGN_OR_RETURN(query_id_, IdOf(*query_id, where_));
  if (!list) {
    const auto id = format.document_id_field.empty()
                        ? FindFirst(object, {"document_id", "doc_id", "docid", "passage_id", "pid"})
                        : object.Find(format.document_id_field);
    if (!id) {
      return InvalidArgument(Concat(where_,
                                    ": no id of the document, which a run needs; name it "
                                    "with --document-id-field"));
    }
    PODIUM_ASSIGN_OR_RETURN(std::string text, IdOf(*id, where_));
    document_ids_.push_back(std::move(text));
    return OkStatus();
  }
  Status status;
  list->ForEachElement([&](json::Value element) {
    const auto id = format.document_id_field.empty() ? FindFirst(element, {"id", "_id"})
                                                     : element.Find(format.document_id_field);
    auto text = id ? IdOf(*id, where_) : Result<std::string>(Concat(document_ids_.size()));
    status = text.status();
    if (text.ok()) document_ids_.push_back(std::move(text).value());
    return status.ok();
  });
  return status;
}

Status ScoreLine::ReadTsv(const ScoreFormat& format) {
  std::vector<std::string_view> columns;
  SplitAtTabs(*text_, &columns);
  size_t needed = format.document_column;
  if (!format.query) needed = std::max(needed, format.query_column);
  if (format.ids) needed = std::max({needed, format.query_id_column, format.document_id_column});
  if (columns.size() <= needed) {
    return InvalidArgument(Concat(where_, ": ", columns.size(), " column",
                                  columns.size() == 1 ? "" : "s", " with tabs between; expected ",
                                  needed + 1, " or more"));
  }
  query_ = format.query ? std::string_view(*format.query) : columns[format.query_column];
  documents_.push_back(columns[format.document_column]);
  if (!format.ids) return OkStatus();
  query_id_ = columns[format.query_id_column];
  document_ids_.emplace_back(columns[format.document_id_column]);
  return OkStatus();
}

std::vector<RunEntry> ScoreLine::RunEntries(std::span<const Score> scores) const {
  std::vector<RunEntry> entries;
  for (size_t i = 0; i < scores.size(); ++i) entries.push_back({document_ids_[i], scores[i].logit});
  return entries;
}

std::string ScoreLine::WithScores(std::span<const Score> scores, const ScoreFormat& format) const {
  std::string out = ScoredPrefix(*text_, format);
  if (format.tsv) {
    json::Writer writer(out);
    WriteScore(format.scores, scores[0].logit, writer);
    out += Concat("\t", scores[0].tokens, scores[0].truncated ? "\t1\n" : "\t0\n");
    return out;
  }
  const Names names = MemberNames(format, is_list_);
  std::string members;
  json::Writer writer(members);
  writer.BeginObject();
  writer.Key(names.score);
  if (is_list_) writer.BeginArray();
  for (const Score& score : scores) WriteScore(format.scores, score.logit, writer);
  if (is_list_) writer.EndArray();
  writer.Key(names.tokens);
  if (is_list_) writer.BeginArray();
  for (const Score& score : scores) writer.Int(score.tokens);
  if (is_list_) writer.EndArray();
  writer.Key(names.truncated);
  if (is_list_) writer.BeginArray();
  for (const Score& score : scores) writer.Bool(score.truncated);
  if (is_list_) writer.EndArray();
  writer.EndObject();
  out.append(members, 1);
  out += '\n';
  return out;
}

std::string ScoredPrefix(std::string_view line, const ScoreFormat& format) {
  if (format.tsv) {
    std::string out;
    AppendTsvLine(line, out);
    out += '\t';
    return out;
  }
  std::string_view members = WithoutSpaceBehind(line);
  members.remove_suffix(members.empty() ? 0 : 1);  // the object's brace
  return Concat(members, members.ends_with('{') ? "" : ",");
}

Status ChooseColumns(const ScoreCommand& command, const std::string* header,
                     const std::string& where, ScoreFormat* format) {
  std::vector<std::string_view> names;
  if (header != nullptr) SplitAtTabs(*header, &names);
  const auto choose = [&](const char* flag, const std::string& asked, size_t* column) -> Status {
    if (asked.empty()) return OkStatus();
    const auto name = std::find(names.begin(), names.end(), asked);
    if (name != names.end()) {
      *column = static_cast<size_t>(name - names.begin());
      return OkStatus();
    }
    constexpr size_t kColumnMax = 10'000;
    size_t number = 0;
    const char* end = asked.data() + asked.size();
    const auto [stop, error] = std::from_chars(asked.data(), end, number);
    if (error != std::errc() || stop != end || number < 1 || number > kColumnMax) {
      std::string allowed;
      for (const std::string_view known : names) allowed += Concat(", ", Quoted(known));
      return InvalidArgument(Concat(where, ": ", flag, " ", Quoted(asked),
                                    "; allowed: a column's number from 1", allowed,
                                    header == nullptr ? ", or with --header its name" : ""));
    }
    *column = number - 1;
    return OkStatus();
  };
  format->query_column = 0;
  format->document_column = format->query ? 0 : 1;
  PODIUM_RETURN_IF_ERROR(choose("--query-field", command.query_field, &format->query_column));
  PODIUM_RETURN_IF_ERROR(
      choose("--document-field", command.document_field, &format->document_column));
  if (!format->ids) return OkStatus();
  if (command.query_id_field.empty() || command.document_id_field.empty()) {
    return InvalidArgument(Concat(where,
                                  ": a run of a TSV needs --query-id-field and "
                                  "--document-id-field"));
  }
  PODIUM_RETURN_IF_ERROR(
      choose("--query-id-field", command.query_id_field, &format->query_id_column));
  return choose("--document-id-field", command.document_id_field, &format->document_id_column);
}

std::string ScoredHeader(std::string_view header, const ScoreFormat& format) {
  const Names names = MemberNames(format, /*is_list=*/false);
  return Concat(ScoredPrefix(header, format), names.score, "\t", names.tokens, "\t",
                names.truncated, "\n");
}

}  // namespace podium
