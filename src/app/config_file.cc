#include "app/config_file.h"

#include <yaml-cpp/yaml.h>

#include "base/concat.h"

namespace podium {
namespace {

// A scalar, or a list of scalars as one text with commas.
Result<std::string> ValueText(const YAML::Node& node, const std::string& where) {
  if (node.IsNull()) {
    return InvalidArgument(Concat(where, ": got no value; without the line it is the default"));
  }
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

// In one line, whatever the form in the file.
std::string FlowText(const YAML::Node& node) {
  YAML::Node list = YAML::Clone(node);
  list.SetStyle(YAML::EmitterStyle::Flow);
  for (YAML::Node element : list) {
    element.SetStyle(YAML::EmitterStyle::Flow);
    if (!element.IsMap()) continue;
    for (auto member : element) member.second.SetStyle(YAML::EmitterStyle::Flow);
  }
  YAML::Emitter out;
  out << list;
  return out.c_str();
}

Result<std::map<std::string, std::string>> ModelSettings(const YAML::Node& node,
                                                         const std::string& where) {
  if (node.IsScalar()) return std::map<std::string, std::string>{{"model", node.Scalar()}};
  if (!node.IsMap()) {
    return InvalidArgument(Concat(where, ": expected a name or {model: NAME, …}"));
  }
  std::map<std::string, std::string> settings;
  for (const auto& entry : node) {
    if (!entry.first.IsScalar()) {
      return InvalidArgument(Concat(where, ": expected the name of a setting"));
    }
    const std::string& name = entry.first.Scalar();
    if (entry.second.IsSequence() && name != kModelNames) {
      return InvalidArgument(Concat(where, ": ", name, ": got a list, expected one value"));
    }
    PODIUM_ASSIGN_OR_RETURN(std::string value, ValueText(entry.second, Concat(where, ": ", name)));
    if (!settings.emplace(name, std::move(value)).second) {
      return InvalidArgument(Concat(where, ": ", name, " is set twice"));
    }
  }
  return settings;
}

}  // namespace

std::string ConfigValue(const std::string& value) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-,";
  const bool plain = value.find_first_not_of(kPlain) == std::string::npos;
  if (plain && !value.empty() && !value.starts_with('-')) return value;
  std::string quoted = "'";
  for (const char c : value) {
    quoted += c;
    if (c == '\'') quoted += c;
  }
  return quoted + "'";
}

Result<std::vector<std::map<std::string, std::string>>> ParseModelList(const std::string& text) {
  std::vector<std::map<std::string, std::string>> models;
  try {
    const YAML::Node list = YAML::Load(text.starts_with('[') ? text : "[" + text + "]");
    if (!list.IsSequence() || list.size() > kServedModelsMax) {
      return InvalidArgument(
          Concat("got ", list.size(), " models, at most ", kServedModelsMax, " are allowed"));
    }
    for (const YAML::Node& node : list) {
      PODIUM_ASSIGN_OR_RETURN(auto model, ModelSettings(node, Concat("model ", models.size() + 1)));
      models.push_back(std::move(model));
    }
  } catch (const YAML::Exception& error) {
    return InvalidArgument(Concat(
        "expected names with commas or a list in YAML, [A, {model: B, names: [c]}]: ", error.msg));
  }
  return models;
}

Result<std::map<std::string, FileSetting>> ParseConfigFile(std::string_view text,
                                                           const std::string& origin) {
  if (text.size() > kConfigFileBytesMax) {
    return ResourceExhausted(
        Concat(origin, ": ", text.size(), " bytes, at most ", kConfigFileBytesMax));
  }
  std::map<std::string, FileSetting> settings;
  try {
    const std::vector<YAML::Node> documents = YAML::LoadAll(std::string(text));
    if (documents.size() > 1) {
      return InvalidArgument(Concat(origin, ":", documents[1].Mark().line + 1,
                                    ": a second document begins; one is expected"));
    }
    if (documents.empty() || documents[0].IsNull()) return settings;
    const YAML::Node& root = documents[0];
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
      std::string value;
      if (name == kModelsSetting && entry.second.IsSequence()) {
        value = FlowText(entry.second);
      } else {
        PODIUM_ASSIGN_OR_RETURN(value, ValueText(entry.second, Concat(where, ": ", name)));
      }
      if (!settings.emplace(name, FileSetting{std::move(value), line, entry.second.IsSequence()})
               .second) {
        return InvalidArgument(Concat(where, ": ", name, " is set twice"));
      }
    }
  } catch (const YAML::Exception& error) {
    return InvalidArgument(Concat(origin, ":", error.mark.line + 1, ": no YAML: ", error.msg));
  }
  return settings;
}

}  // namespace podium
