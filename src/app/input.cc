#include "app/input.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/concat.h"
#include "evaluation/document_text.h"
#include "json/json.h"

namespace podium {
namespace {

bool EndsWith(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

bool IsJsonSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::string_view FirstLine(std::string_view text) { return text.substr(0, text.find('\n')); }

bool IsBlank(std::string_view text) {
  for (const char c : text) {
    if (!IsJsonSpace(c)) return false;
  }
  return true;
}

Result<json::Document> ParseJson(std::string_view text, const std::string& origin) {
  json::Document::Limits limits;
  limits.bytes_max = kJsonBytesMax;
  return json::Document::Parse(text, origin, limits);
}

InputKind GuessKind(std::string_view text, const std::string& origin) {
  if (EndsWith(origin, ".jsonl") || EndsWith(origin, ".ndjson")) return InputKind::kJsonl;
  if (EndsWith(origin, ".json")) return InputKind::kJson;
  if (EndsWith(origin, ".txt")) return InputKind::kLines;
  size_t at = 0;
  while (at < text.size() && IsJsonSpace(text[at])) ++at;
  if (at == text.size()) return InputKind::kLines;
  if (text[at] == '[') return InputKind::kJson;
  if (text[at] != '{') return InputKind::kLines;
  // One object over several lines is JSON; one on each line is JSON Lines.
  const std::string_view rest = text.substr(at);
  const std::string_view line = FirstLine(rest);
  const auto first = ParseJson(line, origin);
  if (!first.ok()) return InputKind::kJson;
  return first->root().Find("documents") ? InputKind::kJson : InputKind::kJsonl;
}

Result<RankInput> ParseLines(std::string_view text) {
  RankInput input;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    input.documents.emplace_back(line);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return input;
}

Result<RankInput> ParseJsonLines(std::string_view text, const std::string& origin,
                                 const std::string& field) {
  RankInput input;
  for (size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = FirstLine(text);
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (IsBlank(line)) continue;
    const std::string where = Concat(origin, ":", number);
    PODIUM_ASSIGN_OR_RETURN(const json::Document parsed, ParseJson(line, where));
    PODIUM_ASSIGN_OR_RETURN(const std::string_view document,
                            DocumentText(parsed.root(), where, field));
    input.documents.emplace_back(document);
  }
  return input;
}

Result<RankInput> ParseWholeJson(std::string_view text, const std::string& origin,
                                 const std::string& field) {
  RankInput input;
  PODIUM_ASSIGN_OR_RETURN(const json::Document parsed, ParseJson(text, origin));
  json::Value list = parsed.root();
  if (list.is(json::Type::kObject)) {
    const auto documents = list.Find("documents");
    if (!documents) {
      return InvalidArgument(
          Concat(origin, ": expected \"documents\" in the object, or an array of documents"));
    }
    if (const auto query = list.Find("query")) {
      const auto query_text = query->AsString();
      if (!query_text) {
        return InvalidArgument(
            Concat(origin, ": \"query\" must be a string, got ", query->type_name()));
      }
      input.query = std::string(*query_text);
    }
    list = *documents;
  }
  if (!list.is(json::Type::kArray)) {
    return InvalidArgument(
        Concat(origin, ": expected an array of documents, got ", list.type_name()));
  }
  Status status;
  list.ForEachElement([&](json::Value value) {
    auto document =
        DocumentText(value, Concat(origin, ": document ", input.documents.size()), field);
    if (!document.ok()) {
      status = document.status();
      return false;
    }
    input.documents.emplace_back(*document);
    return true;
  });
  PODIUM_RETURN_IF_ERROR(status);
  return input;
}

}  // namespace

Result<std::string> ReadInput(const std::string& path, const std::atomic<bool>& cancel) {
  constexpr size_t kStep = size_t{1} << 20;
  const bool standard_input = path == "-";
  const std::string name = standard_input ? "standard input" : path;
  int descriptor = STDIN_FILENO;
  while (!standard_input && (descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC)) < 0) {
    if (errno == EINTR && !cancel) continue;
    if (errno == EINTR) return Status(StatusCode::kCancelled, "interrupted");
    const std::string message = Concat(path, ": ", std::strerror(errno));
    return errno == ENOENT ? NotFound(message) : IoError(message);
  }
  std::string text;
  struct stat about = {};
  if (fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode)) {
    // A known size is reserved once: growing would hold twice as much at its peak.
    text.reserve(std::min(static_cast<size_t>(about.st_size), kInputBytesMax) + kStep);
  }
  Status status;
  while (status.ok()) {
    const size_t size = text.size();
    text.resize(size + kStep);
    const ssize_t got = cancel ? -1 : read(descriptor, text.data() + size, kStep);
    const int error = errno;
    text.resize(size + static_cast<size_t>(got > 0 ? got : 0));
    if (cancel) {
      status = Status(StatusCode::kCancelled, "interrupted");
    } else if (got == 0) {
      break;
    } else if (got < 0 && error != EINTR) {
      status = IoError(Concat(name, ": ", std::strerror(error),
                              error == EISDIR ? "; expected a file of documents" : ""));
    } else if (text.size() > kInputBytesMax) {
      status = ResourceExhausted(Concat(name, ": more than ", kInputBytesMax, " bytes"));
    }
  }
  if (!standard_input) close(descriptor);
  if (!status.ok()) return status;
  return text;
}

Result<RankInput> ParseInput(std::string_view text, const std::string& origin, InputKind kind,
                             const std::string& text_field) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark) {
    text.remove_prefix(kByteOrderMark.size());
  }
  const bool guessed = kind == InputKind::kAuto;
  if (guessed) kind = GuessKind(text, origin);
  Result<RankInput> input = kind == InputKind::kLines   ? ParseLines(text)
                            : kind == InputKind::kJsonl ? ParseJsonLines(text, origin, text_field)
                                                        : ParseWholeJson(text, origin, text_field);
  if (!input.ok() && guessed) {
    return Status(input.status().code(), Concat(input.status().message(), " (it looks like ",
                                                kind == InputKind::kJson ? "JSON" : "JSON Lines",
                                                "; for plain text pass --input lines)"));
  }
  return input;
}

}  // namespace podium
