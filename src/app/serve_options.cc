#include "app/serve_options.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include "app/config_file.h"
#include "base/concat.h"
#include "base/file.h"

namespace podium {
namespace {

template <typename T>
ServeSetting Number(const char* name, const char* help, T& target, int64_t least, int64_t most) {
  const auto set = [&target, least, most](const std::string& text) -> Status {
    int64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, value);
    if (read.ec != std::errc() || read.ptr != end || value < least || value > most) {
      return InvalidArgument(Concat("got \"", text, "\", allowed: ", least, " to ", most));
    }
    target = static_cast<T>(value);
    return OkStatus();
  };
  return {name, help, set, [&target] { return Concat(target); }};
}

ServeSetting Text(const char* name, const char* help, std::string& target) {
  const auto set = [&target](const std::string& text) {
    target = text;
    return OkStatus();
  };
  return {name, help, set, [&target] { return target; }};
}

ServeSetting List(const char* name, const char* help, std::vector<std::string>& target) {
  const auto set = [&target](const std::string& text) -> Status {
    std::vector<std::string> parts;
    if (text.empty() && target.empty()) return OkStatus();
    for (size_t from = 0; from <= text.size();) {
      const size_t end = std::min(text.find(',', from), text.size());
      if (end == from)
        return InvalidArgument(Concat("got \"", text, "\" with an empty name in it"));
      std::string part = text.substr(from, end - from);
      if (std::find(parts.begin(), parts.end(), part) != parts.end())
        return InvalidArgument(Concat("got \"", text, "\", which has ", part, " twice"));
      parts.push_back(std::move(part));
      from = end + 1;
    }
    target = std::move(parts);
    return OkStatus();
  };
  const auto get = [&target] {
    std::string text;
    for (const std::string& part : target) text += (text.empty() ? "" : ",") + part;
    return text;
  };
  return {name, help, set, get, true};
}

template <typename T>
ServeSetting Choice(const char* name, const char* help, T& target,
                    const std::vector<std::pair<const char*, T>>& choices) {
  const auto set = [&target, choices](const std::string& text) -> Status {
    std::string allowed;
    for (const auto& [word, value] : choices) {
      if (text == word) {
        target = value;
        return OkStatus();
      }
      allowed += (allowed.empty() ? "" : ", ") + std::string(word);
    }
    return InvalidArgument(Concat("got \"", text, "\", allowed: ", allowed));
  };
  const auto get = [&target, choices]() -> std::string {
    for (const auto& [word, value] : choices) {
      if (value == target) return word;
    }
    return "";
  };
  return {name, help, set, get};
}

// Values that are fine alone and not together.
Status CheckTogether(const ServeOptions& options) {
  const NetLimits& limits = options.server.limits;
  if (options.routes.timeout_ms > options.routes.timeout_ms_max) {
    return InvalidArgument(Concat("timeout-ms: got ", options.routes.timeout_ms,
                                  ", more than timeout-ms-max, which is ",
                                  options.routes.timeout_ms_max));
  }
  if (limits.body_bytes_max > options.routes.body_bytes_inside_max) {
    return InvalidArgument(Concat("body-bytes-max: got ", limits.body_bytes_max,
                                  ", more than body-bytes-inside-max, which is ",
                                  options.routes.body_bytes_inside_max));
  }
  if (options.tls_certificate_file.empty() != options.tls_key_file.empty()) {
    return InvalidArgument("tls-certificate-file and tls-key-file: got one, expected both or none");
  }
  for (const std::string& origin : options.routes.cors_origins) {
    if (const Status status = Cors::CheckOrigin(origin); !status.ok()) {
      return InvalidArgument(Concat("cors-origins: ", status.message()));
    }
  }
  if (options.server.admin_port < 0 && !options.server.admin_host.empty()) {
    return InvalidArgument("admin-host: got no admin-port for it");
  }
  const ServerOptions& server = options.server;
  if (server.port != 0 && server.admin_port == server.port &&
      (server.admin_host.empty() || server.admin_host == server.host)) {
    return InvalidArgument(Concat("admin-port: got ", server.port,
                                  ", which is port; -1 has metrics and health there"));
  }
  return OkStatus();
}

// What `models` says of one model, on top of what is said for all.
Status SetModel(const std::map<std::string, std::string>& given, ServeOptions& one) {
  constexpr const char* kOwn[] = {"model",      "precision",        "isa",   "max-length",
                                  "truncation", "batch-tokens-max", "mlock", "in-place"};
  one.served_names.clear();
  const std::vector<ServeSetting> settings = ServeSettings(one);
  for (const auto& [name, value] : given) {
    const bool own = std::find(std::begin(kOwn), std::end(kOwn), name) != std::end(kOwn);
    if (!own && name != kModelNames) {
      std::string known = kModelNames;
      for (const char* const each : kOwn) known += Concat(", ", each);
      return InvalidArgument(Concat("unknown \"", name, "\", allowed: ", known));
    }
    const std::string setting = own ? name : "served-model-name";
    for (const ServeSetting& each : settings) {
      if (each.name != setting) continue;
      const Status status = each.set(value);
      if (!status.ok()) return InvalidArgument(Concat(name, ": ", status.message()));
    }
  }
  if (!given.contains("model")) return InvalidArgument("model: it is missing");
  return OkStatus();
}

Status ListModels(ResolvedOptions& resolved) {
  ServeOptions& options = resolved.options;
  if (options.model_list.empty()) {
    options.models = {{.open = options.open, .names = options.served_names}};
    return OkStatus();
  }
  const std::string& source = resolved.sources.at(kModelsSetting);
  // PODIUM_MODEL is the one model of every command; the list is more than that. So is a list that
  // is said before the file is looked at.
  const auto is_flag = [](const std::string& from) { return from.starts_with("--"); };
  const auto is_variable = [](const std::string& from) { return from.starts_with("PODIUM_"); };
  const bool listed_in_file = !is_flag(source) && !is_variable(source);
  for (const char* const single : {"model", "served-model-name"}) {
    const std::string& other = resolved.sources.at(single);
    const bool set = std::strcmp(single, "model") == 0
                         ? !options.open.model.empty()
                         : options.served_names != ServeOptions().served_names;
    if (set && (is_flag(other) || (listed_in_file && !is_variable(other)))) {
      return InvalidArgument(Concat(source, ": models: got also ", single, " (", other,
                                    "), which is for one model; list it among them"));
    }
  }
  options.open.model.clear();
  options.served_names = ServeOptions().served_names;
  auto list = ParseModelList(options.model_list);
  if (!list.ok()) return InvalidArgument(Concat(source, ": models: ", list.status().message()));
  for (const auto& given : *list) {
    ServeOptions one = options;
    if (const Status status = SetModel(given, one); !status.ok()) {
      return InvalidArgument(
          Concat(source, ": models: model ", options.models.size() + 1, ": ", status.message()));
    }
    options.models.push_back({.open = one.open, .names = one.served_names});
  }
  if (options.models.empty()) return InvalidArgument(Concat(source, ": models: got none"));
  return OkStatus();
}

// The settings of the file that the flags or the environment name, if any.
Result<std::map<std::string, FileSetting>> ReadConfig(const GivenSettings& flags,
                                                      const Environment& environment,
                                                      const std::vector<ServeSetting>& settings,
                                                      std::string& origin) {
  const auto flag = flags.find(kConfigSetting);
  if (flag != flags.end()) {
    origin = flag->second;
  } else {
    origin = Variable(environment, SettingVariable(kConfigSetting).c_str()).value_or("");
  }
  if (origin.empty()) return std::map<std::string, FileSetting>();
  PODIUM_ASSIGN_OR_RETURN(const std::string text, ReadFile(origin, kConfigFileBytesMax));
  PODIUM_ASSIGN_OR_RETURN(auto file, ParseConfigFile(text, origin));
  for (const auto& [name, given] : file) {
    const auto known = std::find_if(settings.begin(), settings.end(),
                                    [&key = name](const auto& one) { return one.name == key; });
    if (known == settings.end()) {
      return InvalidArgument(Concat(origin, ":", given.line, ": unknown setting \"", name,
                                    "\"; podium serve --help lists them"));
    }
    if (given.list && !known->list && name != kModelsSetting) {
      return InvalidArgument(
          Concat(origin, ":", given.line, ": ", name, ": got a list, expected one value"));
    }
  }
  return file;
}

// Kubernetes sets PODIUM_PORT=tcp://ADDRESS:PORT in pods beside a service called "podium".
bool IsServiceLink(const std::string& value) { return value.find("://") != std::string::npos; }

}  // namespace

std::vector<ServeSetting> ServeSettings(ServeOptions& options) {
  constexpr int64_t kDay = 86'400;
  constexpr int64_t kInt = std::numeric_limits<int>::max();
  constexpr int64_t kBytes = int64_t{1} << 40;
  OpenOptions& open = options.open;
  ServerOptions& server = options.server;
  NetLimits& limits = server.limits;
  RouteOptions& routes = options.routes;
  AdmissionOptions& admission = options.service.admission;
  return {
      Text("model", "Folder, packed file or hub name; default: the bundled model", open.model),
      Text("precision", "fp32, int8 or auto: as a packed file was made, of a folder fp32",
           open.precision),
      Text("isa", "Kernel table; default: the best this processor has", open.isa),
      Number("threads", "Compute threads; 0: as many as this process may use", open.threads, 0,
             1024),
      Number("max-length", "Tokens of a pair; 0: the model's own limit", open.max_length, 0, kInt),
      Text("truncation", "longest_first, only_second or flag_embedding", open.truncation),
      Number("batch-tokens-max", "Tokens computed together; 0: the default", open.batch_tokens_max,
             0, 1 << 20),
      Choice<bool>("mlock", "on: keep the weights in memory", open.lock_memory,
                   {{"off", false}, {"on", true}}),
      Choice<bool>("in-place", "on: use a packed file's weights where they are mapped",
                   open.read_in_place, {{"off", false}, {"on", true}}),
      Text("host", "Address to listen on", server.host),
      Number("port", "Port to listen on; 0: any that is free", server.port, 0, 65535),
      Number("admin-port", "Port for metrics and health; 0: any that is free, -1: the same port",
             server.admin_port, -1, 65535),
      Text("admin-host", "Address of the admin port; default: that of host", server.admin_host),
      Text("tls-certificate-file",
           "PEM file, issuers behind the certificate: serves HTTPS; read again on SIGHUP",
           options.tls_certificate_file),
      Text("tls-key-file", "PEM file with its key", options.tls_key_file),
      List("cors-origins",
           "Web pages that may read replies, comma-separated: https://app.example; \"*\": any",
           routes.cors_origins),
      List("served-model-name",
           "Names requests may use, comma-separated; \"*\": any; the first is shown in replies",
           options.served_names),
      Text(
          kModelsSetting,
          "Several models, \"A,B\" or a list in YAML: [A, {model: B, names: [b], precision: int8}]",
          options.model_list),
      Number("io-threads", "Threads that read, decode, encode and write", server.io_threads, 1, 64),
      Number("text-threads", "Threads that tokenize; 0: one for every four cores",
             options.service.text_threads, 0, 256),
      Number("batch-requests-max", "Requests that share a batch; 0: any number",
             options.service.batch_requests_max, 0, 1'000'000),
      Number("batch-wait-us-max",
             "Microseconds for which a free engine waits for a fuller batch under load; 0: never",
             options.service.batch_wait_us_max, 0, 1'000'000),
      Number("token-cache-bytes", "Bytes of tokenized texts kept; 0: none",
             options.token_cache_bytes_max, 0, kBytes),
      Number("timeout-ms", "Time limit of requests without X-Request-Timeout-Ms", routes.timeout_ms,
             1, kInt),
      Number("timeout-ms-max", "The most that X-Request-Timeout-Ms may ask for",
             routes.timeout_ms_max, 1, kInt),
      Number("documents-max", "Documents of a request", routes.decode.documents_max, 1, 1'000'000),
      Number("text-characters-max", "Characters of a query or a document",
             routes.decode.characters_max, 1, kInt),
      Choice<bool>("shape", "Replies on /rerank: full, or ranked_documents, the short form",
                   routes.ranked_documents, {{"full", false}, {"ranked_documents", true}}),
      Number("requests-max", "Requests inside at once", admission.requests_max, 1, 1'000'000),
      Number("cost-max", "Cost (tokens + c x length squared) inside at once", admission.cost_max, 1,
             int64_t{1} << 40),
      Number("header-bytes-max", "Bytes of a request's headers", limits.header_bytes_max, 1024,
             1 << 20),
      Number("body-bytes-max", "Bytes of a body", limits.body_bytes_max, 1024, int64_t{1} << 32),
      Number("body-bytes-inside-max", "Bytes of all bodies together", routes.body_bytes_inside_max,
             1024, kBytes),
      Number("connections-max", "Open connections", limits.connections_max, 1, 1'000'000),
      Number("handshake-seconds-max", "Seconds for the handshake of TLS",
             limits.handshake_seconds_max, 1, kDay),
      Number("idle-seconds-max", "Seconds a connection may wait for a request",
             limits.idle_seconds_max, 1, kDay),
      Number("header-seconds-max", "Seconds for a request's headers", limits.header_seconds_max, 1,
             kDay),
      Number("body-seconds-max", "Seconds for a body", limits.body_seconds_max, 1, kDay),
      Number("write-seconds-max", "Seconds for a reply to be taken", limits.write_seconds_max, 1,
             kDay),
      Number("connection-seconds-max", "Age at which a connection is closed after a reply",
             limits.connection_seconds_max, 1, kDay),
      Text("api-keys-file", "File of keys, one a line: KEY or NAME KEY; read again on SIGHUP",
           options.api_keys_file),
      Text("log-file", "Where to log; default: standard error", options.log.file),
      Choice<LogFormat>("log-format", "text or json", options.log.format,
                        {{"text", LogFormat::kText}, {"json", LogFormat::kJson}}),
      Choice<LogLevel>("log-level", "debug, info, warning, error or off", options.log.level,
                       {{"debug", LogLevel::kDebug},
                        {"info", LogLevel::kInfo},
                        {"warning", LogLevel::kWarning},
                        {"error", LogLevel::kError},
                        {"off", LogLevel::kOff}}),
      Choice<bool>("log-bodies", "on: log what requests hold, their texts too", routes.log_bodies,
                   {{"off", false}, {"on", true}}),
      Number("slow-ms", "Requests that took longer are logged as warnings", routes.slow_ms, 1,
             kInt),
      Number("drain-delay-ms", "After SIGTERM: still serving, but not ready, for this long",
             options.drain_delay_ms, 0, kDay * 1000),
      Number("drain-ms-max", "Then answering what was accepted, for this long at most",
             options.drain_ms_max, 0, kDay * 1000),
  };
}

std::string SettingVariable(const std::string& name) {
  std::string variable = "PODIUM_";
  for (const char c : name) {
    variable += c == '-' ? '_' : static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
  }
  return variable;
}

Result<ResolvedOptions> ResolveServeOptions(const GivenSettings& flags,
                                            const Environment& environment) {
  ResolvedOptions resolved;
  const std::vector<ServeSetting> settings = ServeSettings(resolved.options);
  std::string origin;
  PODIUM_ASSIGN_OR_RETURN(const auto file, ReadConfig(flags, environment, settings, origin));
  for (const ServeSetting& setting : settings) {
    std::string source = "default";
    std::optional<std::string> value;
    const std::string variable = SettingVariable(setting.name);
    if (const auto flag = flags.find(setting.name); flag != flags.end()) {
      value = flag->second;
      source = "--" + setting.name;
    } else if (auto set = Variable(environment, variable.c_str());
               set && !(setting.name == "port" && IsServiceLink(*set))) {
      value = std::move(set);
      source = variable;
    } else if (const auto line = file.find(setting.name); line != file.end()) {
      value = line->second.value;
      source = Concat(origin, ":", line->second.line);
    }
    if (value) {
      if (const Status status = setting.set(*value); !status.ok()) {
        return InvalidArgument(Concat(source, ": ", setting.name, ": ", status.message()));
      }
    }
    resolved.sources[setting.name] = std::move(source);
  }
  PODIUM_RETURN_IF_ERROR(CheckTogether(resolved.options));
  PODIUM_RETURN_IF_ERROR(ListModels(resolved));
  // Bodies may be as large inflated as they may come.
  resolved.options.routes.inflated_bytes_max = resolved.options.server.limits.body_bytes_max;
  resolved.options.routes.admin_port = resolved.options.server.admin_port >= 0;
  return resolved;
}

}  // namespace podium
