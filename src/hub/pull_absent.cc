#include "hub/pull.h"

namespace podium::hub {

Result<PullResult> Pull(const PullOptions&, const Environment&, const PullEvents&,
                        const std::atomic<bool>&) {
  return Unsupported(
      "this build of podium cannot download: it was made without libcurl or libcrypto (CMake "
      "option "
      "PODIUM_PULL). Get the model with another client, such as: hf download NAME");
}

}  // namespace podium::hub
