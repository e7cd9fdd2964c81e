// The C interface (podium/podium.h) over the C++ one (podium/reranker.h): what stands behind the
// opaque handles, and the way errors leave.
//
// c_interface/ may include the public headers and base/. It starts no thread; podium.h says which
// threads may call what.
#ifndef PODIUM_C_INTERFACE_BOUNDARY_H_
#define PODIUM_C_INTERFACE_BOUNDARY_H_

#include <exception>
#include <new>

#include "base/status.h"
#include "podium/podium.h"
#include "podium/types.h"

struct podium_options {
  podium::OpenOptions open;
};

namespace podium {

/// Writes what `status` says to `error`, when there is one, and returns its code. When memory is
/// too short for that, the error is a constant that says so.
podium_code Leave(const Status& status, podium_error** error) noexcept;

/// Runs `body`, which returns a Status, behind the border that no exception crosses.
template <typename Body>
podium_code WithinBorder(podium_error** error, Body body) {
  try {
    return Leave(body(), error);
  } catch (const std::bad_alloc&) {
    return Leave(Status(StatusCode::kResourceExhausted, "out of memory"), error);
  } catch (const std::exception& exception) {  // none is known to get here
    return Leave(Status(StatusCode::kInternal, exception.what()), error);
  }
}

}  // namespace podium

#endif  // PODIUM_C_INTERFACE_BOUNDARY_H_
