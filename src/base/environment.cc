#include "base/environment.h"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace podium {
namespace {

// The home folder that the system has for this user.
std::optional<std::string> HomeOfUser() {
  passwd entry;
  passwd* found = nullptr;
  std::vector<char> text(16384);
  if (::getpwuid_r(::getuid(), &entry, text.data(), text.size(), &found) != 0) return std::nullopt;
  if (found == nullptr || found->pw_dir == nullptr || found->pw_dir[0] == 0) return std::nullopt;
  return found->pw_dir;
}

}  // namespace

std::optional<std::string> ProcessEnvironment(const char* name) {
  const char* value = std::getenv(name);
  if (value != nullptr) return value;
  return std::string_view(name) == "HOME" ? HomeOfUser() : std::nullopt;
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
