#include "app/config_file.h"

#include <yaml-cpp/yaml.h>

#include "base/concat.h"

namespace podium {
namespace {

// A scalar, or a list of scalars as one text with commas.
Result<std::string> ValueText(const YAML::Node& node, const std::string& where) {
  if (node.IsScalar()) return node.Scalar();
  if (!node.IsSequence()) {
    return InvalidArgument(Concat(where, ": expected a value or a list of values"));
  }
  std::string text;
  for (const YAML::Node& element : node) {
    if (!element.IsScalar()) {
      return InvalidArgument(Concat(where, ": expected a list of plain values"));
    }
    text += (text.empty() ? "" : ",") + element.Scalar();
  }
  return text;
}

}  // namespace

Result<std::map<std::string, FileSetting>> ParseConfigFile(std::string_view text,
                                                           const std::string& origin) {
  if (text.size() > kConfigFileBytesMax) {
    return ResourceExhausted(
        Concat(origin, ": ", text.size(), " bytes, at most ", kConfigFileBytesMax));
  }
  std::map<std::string, FileSetting> settings;
  try {
    const YAML::Node root = YAML::Load(std::string(text));
    if (root.IsNull()) return settings;
    if (!root.IsMap()) {
      return InvalidArgument(Concat(origin, ": expected lines of `name: value`"));
    }
    for (const auto& entry : root) {
      const int line = entry.first.Mark().line + 1;
      const std::string where = Concat(origin, ":", line);
      if (!entry.first.IsScalar()) {
        return InvalidArgument(Concat(where, ": expected the name of a setting"));
      }
      const std::string& name = entry.first.Scalar();
      if (entry.second.IsNull()) continue;  // `name:` alone: not set
      PODIUM_ASSIGN_OR_RETURN(std::string value,
                              ValueText(entry.second, Concat(where, ": ", name)));
      if (!settings.emplace(name, FileSetting{std::move(value), line}).second) {
        return InvalidArgument(Concat(where, ": ", name, " is set twice"));
      }
    }
  } catch (const YAML::Exception& error) {
    return InvalidArgument(Concat(origin, ":", error.mark.line + 1, ": no YAML: ", error.msg));
  }
  return settings;
}

}  // namespace podium
