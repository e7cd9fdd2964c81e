#include "base/environment.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace podium {

std::optional<std::string> ProcessEnvironment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

std::optional<std::string> Variable(const Environment& environment, const char* name) {
  auto value = environment(name);
  return value && !value->empty() ? value : std::nullopt;
}

bool IsOn(const Environment& environment, const char* name) {
  std::string value = environment(name).value_or("");
  std::transform(value.begin(), value.end(), value.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return value == "1" || value == "on" || value == "yes" || value == "true";
}

}  // namespace podium
