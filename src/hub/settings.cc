#include "hub/settings.h"

#include <algorithm>
#include <charconv>

#include "base/concat.h"
#include "base/file.h"
#include "model/hub_cache.h"

namespace podium::hub {
namespace {

constexpr size_t kTokenBytesMax = 4096;
constexpr int kStallSecondsMax = 3600;

// White space at the ends comes with files and copies; anything else odd could smuggle a header.
Result<std::string> CleanToken(std::string text, const std::string& origin) {
  const char* const white = " \t\r\n";
  const size_t first = text.find_first_not_of(white);
  if (first == std::string::npos) return std::string();
  text = text.substr(first, text.find_last_not_of(white) - first + 1);
  const auto plain = [](char c) { return c > 0x20 && c < 0x7F; };
  if (text.size() > kTokenBytesMax || !std::all_of(text.begin(), text.end(), plain)) {
    return InvalidArgument(Concat(origin, ": not a token: ", text.size(),
                                  " bytes with white space or control characters in them, or more "
                                  "than ",
                                  kTokenBytesMax));
  }
  return text;
}

Result<std::string> ReadToken(const Environment& environment) {
  if (IsOn(environment, "HF_HUB_DISABLE_IMPLICIT_TOKEN")) return std::string();
  for (const char* name : {"HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"}) {
    const auto token = Variable(environment, name);
    if (token) return CleanToken(*token, name);
  }
  const std::string path =
      Variable(environment, "HF_TOKEN_PATH").value_or(HuggingFaceHome(environment) + "/token");
  auto file = ReadFile(path, kTokenBytesMax);
  if (file.ok()) return CleanToken(*std::move(file), path);
  // Nobody asked for this file; one that cannot be read is one that is not there.
  return std::string();
}

Result<std::string> ReadEndpoint(const Environment& environment) {
  std::string endpoint = Variable(environment, "HF_ENDPOINT").value_or("https://huggingface.co");
  while (!endpoint.empty() && endpoint.back() == '/') endpoint.pop_back();
  const bool has_scheme = endpoint.starts_with("https://") || endpoint.starts_with("http://");
  const bool plain = std::none_of(endpoint.begin(), endpoint.end(),
                                  [](unsigned char c) { return c <= 0x20 || c == 0x7F; });
  if (!has_scheme || !plain || endpoint.find_first_of("?#") != std::string::npos) {
    return InvalidArgument(
        Concat("HF_ENDPOINT: \"", endpoint, "\"; allowed: https://HOST or http://HOST:PORT/PATH"));
  }
  return endpoint;
}

}  // namespace

Result<Settings> ReadSettings(const Environment& environment) {
  Settings settings;
  PODIUM_ASSIGN_OR_RETURN(settings.endpoint, ReadEndpoint(environment));
  PODIUM_ASSIGN_OR_RETURN(settings.token, ReadToken(environment));
  settings.cache = HuggingFaceCache(environment);
  for (const char* name : {"SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"}) {
    if (const auto path = Variable(environment, name); path && settings.ca_bundle.empty()) {
      settings.ca_bundle = *path;
    }
  }
  settings.offline =
      IsOn(environment, "HF_HUB_OFFLINE") || IsOn(environment, "TRANSFORMERS_OFFLINE");
  if (const auto text = Variable(environment, "HF_HUB_DOWNLOAD_TIMEOUT")) {
    const char* end = text->data() + text->size();
    const auto [stop, error] = std::from_chars(text->data(), end, settings.stall_seconds);
    if (error != std::errc() || stop != end || settings.stall_seconds < 1 ||
        settings.stall_seconds > kStallSecondsMax) {
      return InvalidArgument(Concat("HF_HUB_DOWNLOAD_TIMEOUT: \"", *text,
                                    "\"; allowed: seconds, 1 to ", kStallSecondsMax));
    }
  }
  return settings;
}

}  // namespace podium::hub
