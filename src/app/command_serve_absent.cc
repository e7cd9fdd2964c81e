// Stands in for `podium serve` in a build that lacks what it needs.
#include "app/commands.h"
#include "app/describe.h"

namespace podium {

void DescribeServe(CLI::App& command, ServeCommand&) {
  command.footer("\nThis podium was built without it: see PODIUM_SERVE in its CMakeLists.txt.");
}

int Run(const ServeCommand&, Session) {
  return Fail(Unsupported(
      "this podium was built without `podium serve`; it needs Boost 1.81, zlib, spdlog, "
      "prometheus-cpp and yaml-cpp when it is built"));
}

}  // namespace podium
