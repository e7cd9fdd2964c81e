// The file of `podium serve`: YAML, one setting a line.
#ifndef PODIUM_APP_CONFIG_FILE_H_
#define PODIUM_APP_CONFIG_FILE_H_

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "base/status.h"

namespace podium {

constexpr size_t kConfigFileBytesMax = size_t{1} << 20;

struct FileSetting {
  std::string value;
  int line = 0;
};

/// A mapping of names to values; a list is a value with commas. Errors name the line. Whether a
/// name is known is the caller's to say.
Result<std::map<std::string, FileSetting>> ParseConfigFile(std::string_view text,
                                                           const std::string& origin);

}  // namespace podium

#endif  // PODIUM_APP_CONFIG_FILE_H_
