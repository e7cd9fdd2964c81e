#include "evaluation/document_text.h"

#include <optional>

#include "base/concat.h"

namespace podium {

Result<std::string_view> DocumentText(json::Value value, std::string_view where,
                                      std::string_view field) {
  constexpr const char* kFields[] = {"text", "document", "content", "passage"};
  if (const auto text = value.AsString()) return *text;
  if (!value.is(json::Type::kObject)) {
    return InvalidArgument(
        Concat(where, ": expected a string or an object, got ", value.type_name()));
  }
  std::string tried;
  const auto look = [&](std::string_view name) -> std::optional<json::Value> {
    tried += Concat(tried.empty() ? "" : ", ", "\"", name, "\"");
    return value.Find(name);
  };
  std::optional<json::Value> found;
  if (!field.empty()) {
    found = look(field);
  } else {
    for (const char* name : kFields) {
      if (!found) found = look(name);
    }
  }
  if (!found) return InvalidArgument(Concat(where, ": no text in this object; looked for ", tried));
  const auto text = found->AsString();
  if (!text) {
    return InvalidArgument(Concat(where, ": the text must be a string, got ", found->type_name()));
  }
  return *text;
}

}  // namespace podium
