// What `podium serve` can be told, each thing by a flag, a variable of the environment or a line of
// its file, under one name.
#ifndef PODIUM_APP_SERVE_OPTIONS_H_
#define PODIUM_APP_SERVE_OPTIONS_H_

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/environment.h"
#include "base/status.h"
#include "net/routes.h"
#include "net/server.h"
#include "observe/log.h"
#include "podium/types.h"
#include "service/service.h"

namespace podium {

struct ModelOptions {
  OpenOptions open;
  /// What requests may call it; "*": any name that is no other model's. Empty: what it was asked
  /// for as.
  std::vector<std::string> names;
};

struct ServeOptions {
  /// The one model; with `models`, what those do not say themselves.
  OpenOptions open;
  std::vector<std::string> served_names = {"*"};
  /// As it was given: "A,B" or a list in YAML.
  std::string model_list;
  /// What all of that comes to; at least one.
  std::vector<ModelOptions> models;
  ServerOptions server;
  RouteOptions routes;
  ServiceOptions service;
  std::string api_keys_file;  // "" when nobody needs a key
  /// Both or none, which is plain HTTP.
  std::string tls_certificate_file;
  std::string tls_key_file;
  /// Texts that were tokenized lately, with their ids: 32 MiB are some 50,000 short documents. 0:
  /// none.
  int64_t token_cache_bytes_max = int64_t{32} << 20;
  LogOptions log;
  /// After SIGTERM: not ready, but still serving, until load balancers have noticed.
  int drain_delay_ms = 5000;
  /// Then what was accepted is answered, but not for longer than this.
  int drain_ms_max = 30'000;
};

/// One thing that can be told.
struct ServeSetting {
  std::string name;  // "drain-delay-ms": --drain-delay-ms, PODIUM_DRAIN_DELAY_MS
  std::string help;
  /// Reads a value into the options it was made for; the error says what is allowed.
  std::function<Status(const std::string&)> set;
  /// The value as `set` would read it.
  std::function<std::string()> get;
  /// A list may be given, which is a value with commas.
  bool list = false;
};

/// The settings of `options`, which outlives them.
std::vector<ServeSetting> ServeSettings(ServeOptions& options);

/// The name of what is no ServeSetting itself: the file with the others.
constexpr const char* kConfigSetting = "config";

/// PODIUM_ and the name in capitals, with "_" for "-".
std::string SettingVariable(const std::string& name);

/// Values by the settings' names, as they were given.
using GivenSettings = std::map<std::string, std::string>;

struct ResolvedOptions {
  ServeOptions options;
  /// "default", "FILE:3", "PODIUM_PORT", "--port", by the settings' names.
  std::map<std::string, std::string> sources;
};

/// Flags before the environment before the file (--config or PODIUM_CONFIG) before the defaults.
/// kInvalidArgument names the place of a wrong value, an unknown name, or values that contradict
/// each other.
Result<ResolvedOptions> ResolveServeOptions(const GivenSettings& flags,
                                            const Environment& environment);

}  // namespace podium

#endif  // PODIUM_APP_SERVE_OPTIONS_H_
