// Typed reads of one JSON object of a config file; errors name the file, the key, what was found.
#ifndef PODIUM_MODEL_CONFIG_KEYS_H_
#define PODIUM_MODEL_CONFIG_KEYS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "json/json.h"

namespace podium {

/// One value as it would be written in a message.
std::string ShowValue(const json::Value& value);

class ConfigKeys {
 public:
  /// `origin` outlives this.
  ConfigKeys(json::Value object, std::string_view origin) : object_(object), origin_(origin) {}

  std::string_view origin() const { return origin_; }
  /// Null counts as absent, as in transformers.
  std::optional<json::Value> Find(std::string_view key) const;
  Result<int> Integer(std::string_view key, int64_t absent, int64_t low, int64_t high) const;
  Result<std::string> Text(std::string_view key, std::string_view absent) const;
  /// kUnsupported, with the file and the key in front.
  Status Refuse(std::string_view key, std::string_view why) const;

 private:
  json::Value object_;
  std::string_view origin_;
};

}  // namespace podium

#endif  // PODIUM_MODEL_CONFIG_KEYS_H_
