// Models from the hub into the local cache, by the hub's public HTTP interface.
//
// hub/ is the only folder that opens a connection outwards: it resolves a name to a commit, chooses
// the files that Podium reads, downloads and checks them, and lays them out as Hugging Face's own
// clients do, so that each finds what the other brought. It may include model/, json/ and base/;
// libcurl is seen in http.cc only, libcrypto in digest.cc only. Everything runs on the calling
// thread. Replies are untrusted: names, sizes and redirects are checked before they count.
//
// Both libraries are loaded when they are first called (shared_library.h), so nothing else pays for
// them. In a build without their headers Pull() says so (pull_absent.cc).
#ifndef PODIUM_HUB_PULL_H_
#define PODIUM_HUB_PULL_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/environment.h"
#include "base/status.h"
#include "model/hub_cache.h"

namespace podium::hub {

struct PullOptions {
  HubName model;
  /// A plain folder to fill instead of the cache; "" for the cache.
  std::string folder;
  /// Only look at what is there. Also with $HF_HUB_OFFLINE or $TRANSFORMERS_OFFLINE.
  bool offline = false;
  /// Further tries after a failed request; progress in between starts the count anew.
  int retries = 5;
};

struct PullProgress {
  std::string_view file;
  bool checking = false;   // reading back, to compare the checksum
  uint64_t file_done = 0;  // bytes, those of an earlier run included
  uint64_t file_total = 0;
  uint64_t done = 0;  // of all files that were not there
  uint64_t total = 0;
};

/// What is about to happen; small files that had to be read first are there already.
struct PullPlan {
  std::string commit;
  std::string folder;
  size_t files = 0;    // that are missing
  uint64_t bytes = 0;  // that are missing, as far as the hub names sizes
};

struct PullEvents {
  std::function<void(const PullPlan&)> plan;
  /// A line for people: a retry, a wait.
  std::function<void(const std::string& line)> note;
  /// Called about as often as data arrives.
  std::function<void(const PullProgress&)> progress;
};

struct PullResult {
  std::string folder;       // what --model may be given
  size_t files = 0;         // of the model
  uint64_t downloaded = 0;  // bytes, in this run
};

/// kCancelled soon after `cancel` is set; what has arrived is kept and the next call goes on from
/// there, as it does after a crash. Several processes may pull the same model at once.
Result<PullResult> Pull(const PullOptions& options, const Environment& environment,
                        const PullEvents& events, const std::atomic<bool>& cancel);

}  // namespace podium::hub

#endif  // PODIUM_HUB_PULL_H_
