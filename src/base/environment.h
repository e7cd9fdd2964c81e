// Environment variables, as an argument where a test wants its own.
#ifndef PODIUM_BASE_ENVIRONMENT_H_
#define PODIUM_BASE_ENVIRONMENT_H_

#include <functional>
#include <optional>
#include <string>

namespace podium {

/// The value of an environment variable; nullopt when it is not set.
using Environment = std::function<std::optional<std::string>(const char* name)>;

/// This process's own. Where HOME is not set, as in some services, the system's entry of the user
/// stands for it.
std::optional<std::string> ProcessEnvironment(const char* name);

/// The value of a variable that is set and not empty.
std::optional<std::string> Variable(const Environment& environment, const char* name);

/// Whether a switch is on: 1, on, yes or true, in any case.
bool IsOn(const Environment& environment, const char* name);

}  // namespace podium

#endif  // PODIUM_BASE_ENVIRONMENT_H_
