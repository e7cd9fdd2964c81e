// The file of `podium serve`: YAML, one setting a line.
#ifndef PODIUM_APP_CONFIG_FILE_H_
#define PODIUM_APP_CONFIG_FILE_H_

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace podium {

constexpr size_t kConfigFileBytesMax = size_t{1} << 20;

/// The setting whose value is a list of models.
constexpr const char* kModelsSetting = "models";
/// What one of them may say that is a list.
constexpr const char* kModelNames = "names";
constexpr int kServedModelsMax = 32;

struct FileSetting {
  std::string value;
  int line = 0;
  bool list = false;  // it was a list
};

/// A mapping of names to values; a list is a value with commas, that of kModelsSetting is one as
/// ParseModelList reads it. Errors name the line. Whether a name is known is the caller's to say.
Result<std::map<std::string, FileSetting>> ParseConfigFile(std::string_view text,
                                                           const std::string& origin);

/// A value as the file can hold it: quoted where YAML would read something else.
std::string ConfigValue(const std::string& value);

/// "A,B", or a YAML list of names and of mappings, "[A, {model: B, precision: int8}]": the settings
/// of each model, by name; a plain name is its `model`. What they are called and hold is the
/// caller's to check.
Result<std::vector<std::map<std::string, std::string>>> ParseModelList(const std::string& text);

}  // namespace podium

#endif  // PODIUM_APP_CONFIG_FILE_H_
