#include "api/fields.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

#include "base/concat.h"
#include "json/writer.h"

namespace podium::api {
namespace {

Status WrongType(std::string_view key, const json::Value& value, const char* expected) {
  return InvalidArgument(Concat(key, ": got ", value.type_name(), ", expected ", expected));
}

// A number in a string; as JSON writes it, but for a plus and zeros in front.
std::optional<double> ReadNumber(std::string_view text) {
  double number = 0;
  if (text.find_first_not_of("+-.eE0123456789") != std::string_view::npos) return std::nullopt;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ptr != end || read.ec == std::errc::invalid_argument) return std::nullopt;
  // 1e400, or 1e-400: strtod tells which.
  if (read.ec != std::errc()) number = std::strtod(std::string(text).c_str(), nullptr);
  return number;
}

// "text", "document", "content" or "passage" as a string; the first that is one.
std::optional<std::string_view> NamedText(const Fields& object) {
  for (const char* key : {"text", "document", "content", "passage"}) {
    if (const auto value = object.Find(key)) {
      if (const auto text = value->AsString()) return text;
    }
  }
  return std::nullopt;
}

// [{"type": "text", "text": "…"}, …]: the texts, one a line.
std::optional<std::string> ContentParts(const Fields& object) {
  const auto content = object.Find("content");
  if (!content || !content->is(json::Type::kArray)) return std::nullopt;
  std::string text;
  bool any = false;
  content->ForEachElement([&](json::Value part) {
    const auto piece = part.Find("text");
    const auto piece_text = piece ? piece->AsString() : std::nullopt;
    if (piece_text) {
      if (any) text += '\n';
      text += *piece_text;
      any = true;
    }
    return true;
  });
  return any ? std::optional(std::move(text)) : std::nullopt;
}

void AppendLine(std::string& text, std::string_view key, json::Value value) {
  if (!text.empty()) text += '\n';
  text.append(key).append(": ");
  if (const auto plain = value.AsString()) {
    text += *plain;
  } else {
    json::Writer(text).Copy(value);
  }
}

}  // namespace

std::optional<json::Value> Fields::Find(std::string_view key) const {
  auto found = object_.Find(key);
  if (found && found->is(json::Type::kNull)) found.reset();
  return found;
}

Result<bool> Fields::Bool(std::string_view key, bool otherwise) const {
  const auto value = Find(key);
  if (!value) return otherwise;
  if (const auto plain = value->AsBool()) return *plain;
  if (const auto text = value->AsString()) {
    if (*text == "true" || *text == "True" || *text == "1") return true;
    if (*text == "false" || *text == "False" || *text == "0" || text->empty()) return false;
  }
  return WrongType(key, *value, "true or false");
}

Result<std::optional<double>> Fields::Number(std::string_view key) const {
  const auto value = Find(key);
  if (!value) return std::optional<double>();
  std::optional<double> number = value->AsDouble();
  if (const auto text = value->AsString()) number = ReadNumber(*text);
  if (!number) return WrongType(key, *value, "a number");
  return number;
}

Result<int> Fields::Int(std::string_view key, int otherwise) const {
  PODIUM_ASSIGN_OR_RETURN(const std::optional<double> number, Number(key));
  if (!number) return otherwise;
  if (std::floor(*number) != *number) {
    return InvalidArgument(Concat(key, ": got ", *number, ", expected an integer"));
  }
  constexpr double kMost = std::numeric_limits<int>::max();
  return static_cast<int>(std::clamp(*number, -kMost, kMost));
}

Result<std::string_view> Fields::String(std::string_view key) const {
  const auto value = Find(key);
  if (!value) return std::string_view();
  if (const auto text = value->AsString()) return *text;
  return WrongType(key, *value, "a string");
}

Result<bool> Fields::IsLeft(std::string_view key) const {
  PODIUM_ASSIGN_OR_RETURN(const std::string_view side, String(key));
  std::string lower(side);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  if (lower.empty() || lower == "left" || lower == "right") return lower == "left";
  return InvalidArgument(Concat(key, ": got \"", side, "\", allowed: Left, Right"));
}

Status CheckCharacters(std::string_view text, int most) {
  const auto allowed = static_cast<std::ptrdiff_t>(most);
  if (static_cast<std::ptrdiff_t>(text.size()) <= allowed) return OkStatus();
  const auto count = std::count_if(text.begin(), text.end(),
                                   [](char c) { return (static_cast<uint8_t>(c) & 0xC0) != 0x80; });
  if (count <= allowed) return OkStatus();
  return InvalidArgument(Concat("got ", count, " characters, at most ", most, " are allowed"));
}

Result<std::string_view> QueryText(const Fields& fields) {
  const auto query = fields.Find("query");
  if (!query) return InvalidArgument("query: it is missing");
  if (const auto text = query->AsString()) return *text;
  if (const auto inner = Fields(*query).Find("text")) {
    if (const auto text = inner->AsString()) return *text;
  }
  return WrongType("query", *query, "a string");
}

Result<std::string_view> DocumentText(json::Value document,
                                      const std::vector<std::string>& rank_fields,
                                      std::deque<std::string>& made) {
  if (const auto text = document.AsString()) return *text;
  if (!document.is(json::Type::kObject)) {
    return InvalidArgument(
        Concat("got ", document.type_name(), ", expected a string or an object with \"text\""));
  }
  const Fields object(document);
  std::string text;
  if (!rank_fields.empty()) {
    for (const std::string& field : rank_fields) {
      if (const auto value = object.Find(field)) AppendLine(text, field, *value);
    }
    // With one field its text alone: {"text": "…"} and rank_fields ["text"] is the text.
    if (rank_fields.size() == 1) {
      const auto value = object.Find(rank_fields[0]);
      const auto plain = value ? value->AsString() : std::nullopt;
      if (plain) return *plain;
    }
    if (!text.empty()) return std::string_view(made.emplace_back(std::move(text)));
  }
  if (const auto plain = NamedText(object)) return *plain;
  if (auto parts = ContentParts(object)) {
    return std::string_view(made.emplace_back(*std::move(parts)));
  }
  document.ForEachMember([&](std::string_view key, json::Value value) {
    // Null is left out, as everywhere in a request.
    if (!value.is(json::Type::kNull)) AppendLine(text, key, value);
    return true;
  });
  return std::string_view(made.emplace_back(std::move(text)));
}

}  // namespace podium::api
