#include "podium/version.h"

namespace podium {

const char* Version() { return PODIUM_VERSION; }

const char* BuildDescription() {
  return PODIUM_VERSION " (commit " PODIUM_COMMIT ", " PODIUM_COMPILER ", " PODIUM_BUILD_TYPE ")";
}

}  // namespace podium
