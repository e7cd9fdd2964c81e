#include "evaluation/json_line.h"

#include <cmath>

#include "base/concat.h"
#include "evaluation/columns.h"
#include "evaluation/judgements.h"

namespace podium {

Status ForEachJsonLine(LineReader lines,
                       FunctionRef<Status(json::Value object, const std::string& where)> visit) {
  std::string_view line;
  while (true) {
    PODIUM_ASSIGN_OR_RETURN(const bool more, lines.Next(&line));
    if (!more) return OkStatus();
    if (IsBlank(line)) continue;
    const std::string where = lines.Where();
    PODIUM_ASSIGN_OR_RETURN(const json::Document parsed, json::Document::Parse(line, where));
    if (!parsed.root().is(json::Type::kObject)) {
      return InvalidArgument(
          Concat(where, ": expected an object, got ", parsed.root().type_name()));
    }
    PODIUM_RETURN_IF_ERROR(visit(parsed.root(), where));
  }
}

std::optional<json::Value> FindFirst(json::Value object, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (const auto found = object.Find(name)) return found;
  }
  return std::nullopt;
}

Result<std::string> IdOf(json::Value value, std::string_view where) {
  if (const auto text = value.AsString()) {
    if (text->empty()) return InvalidArgument(Concat(where, ": empty id"));
    return std::string(*text);
  }
  if (const auto number = value.AsInt()) return Concat(*number);
  return InvalidArgument(
      Concat(where, ": an id must be a string or a whole number, got ", value.type_name()));
}

Result<std::string_view> TextMember(json::Value object, const char* name, std::string_view where) {
  const auto member = object.Find(name);
  if (!member) return InvalidArgument(Concat(where, ": no \"", name, "\""));
  const auto text = member->AsString();
  if (!text) {
    return InvalidArgument(
        Concat(where, ": \"", name, "\" must be a string, got ", member->type_name()));
  }
  return *text;
}

Result<int> GradeOf(json::Value value, std::string_view where) {
  if (const auto flag = value.AsBool()) return *flag ? 1 : 0;
  const auto number = value.AsDouble();
  if (!number || *number != std::floor(*number) || std::abs(*number) > kGradeMax) {
    const std::string got = number ? Concat(*number) : std::string(value.type_name());
    return InvalidArgument(Concat(where, ": grade ", got, "; allowed: a whole number, ", -kGradeMax,
                                  " to ", kGradeMax));
  }
  return static_cast<int>(*number);
}

}  // namespace podium
