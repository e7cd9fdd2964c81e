#include "model/config_keys.h"

#include "base/concat.h"

namespace podium {

std::string ShowValue(const json::Value& value) {
  if (const auto text = value.AsString()) return Concat('"', *text, '"');
  if (const auto number = value.AsInt()) return Concat(*number);
  if (const auto number = value.AsDouble()) return Concat(*number);
  if (const auto flag = value.AsBool()) return Concat(*flag);
  return Concat("an ", value.type_name());
}

std::optional<json::Value> ConfigKeys::Find(std::string_view key) const {
  const auto value = object_.Find(key);
  return value && !value->is(json::Type::kNull) ? value : std::nullopt;
}

Result<int> ConfigKeys::Integer(std::string_view key, int64_t absent, int64_t low,
                                int64_t high) const {
  const auto value = Find(key);
  const auto number = value ? value->AsInt() : std::optional<int64_t>(absent);
  if (!number || *number < low || *number > high) {
    return Corrupt(Concat(origin_, ": ", key, ": got ", value ? ShowValue(*value) : Concat(absent),
                          ", allowed: an integer from ", low, " to ", high));
  }
  return static_cast<int>(*number);
}

Result<std::string> ConfigKeys::Text(std::string_view key, std::string_view absent) const {
  const auto value = Find(key);
  if (!value) return std::string(absent);
  const auto text = value->AsString();
  if (!text) {
    return Corrupt(Concat(origin_, ": ", key, ": got ", ShowValue(*value), ", expected a string"));
  }
  return std::string(*text);
}

Status ConfigKeys::Refuse(std::string_view key, std::string_view why) const {
  return Unsupported(Concat(origin_, ": ", key, ": ", why));
}

}  // namespace podium
