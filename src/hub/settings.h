// What the environment says about the hub, by the names that Hugging Face's clients use.
#ifndef PODIUM_HUB_SETTINGS_H_
#define PODIUM_HUB_SETTINGS_H_

#include <string>

#include "base/environment.h"
#include "base/status.h"

namespace podium::hub {

struct Settings {
  std::string endpoint;    // $HF_ENDPOINT, without a slash at the end
  std::string token;       // $HF_TOKEN, else the file $HF_TOKEN_PATH or HF_HOME/token; "" for none
  std::string cache;       // hub_cache.h
  std::string ca_bundle;   // $SSL_CERT_FILE, $REQUESTS_CA_BUNDLE, $CURL_CA_BUNDLE; "": the system's
  bool offline = false;    // $HF_HUB_OFFLINE, $TRANSFORMERS_OFFLINE
  int stall_seconds = 30;  // $HF_HUB_DOWNLOAD_TIMEOUT: without data before a request is given up
};

/// kInvalidArgument names the variable that cannot be used; never prints a token.
Result<Settings> ReadSettings(const Environment& environment);

}  // namespace podium::hub

#endif  // PODIUM_HUB_SETTINGS_H_
