// Lines of JSON Lines, one object each, and the ids in them.
#ifndef PODIUM_EVALUATION_JSON_LINE_H_
#define PODIUM_EVALUATION_JSON_LINE_H_

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "base/function_ref.h"
#include "base/line_reader.h"
#include "base/status.h"
#include "json/json.h"

namespace podium {

/// Calls `visit` with the object of each line that is not blank, until one fails. `where` is
/// "file:line".
Status ForEachJsonLine(LineReader lines,
                       FunctionRef<Status(json::Value object, const std::string& where)> visit);

/// The first of these members that is there.
std::optional<json::Value> FindFirst(json::Value object, std::initializer_list<const char*> names);

/// An id: a string that is not empty, or a whole number.
Result<std::string> IdOf(json::Value value, std::string_view where);
/// That member's text, or an error that names it.
Result<std::string_view> TextMember(json::Value object, const char* name, std::string_view where);
/// A whole number (also written 1.0), true or false, within ±kGradeMax.
Result<int> GradeOf(json::Value value, std::string_view where);

}  // namespace podium

#endif  // PODIUM_EVALUATION_JSON_LINE_H_
