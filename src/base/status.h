// The project's words for errors: podium/status.h plus the macros that pass one on.
//
// base/ holds what every folder uses: status, check, team, arena, file, utf8, float mode. It
// includes no third party and nothing of ours outside base/ and include/podium/. Its classes say
// which threads may call them.
#ifndef PODIUM_BASE_STATUS_H_
#define PODIUM_BASE_STATUS_H_

#include <string>
#include <utility>

#include "podium/status.h"

namespace podium {

inline Status OkStatus() { return Status(); }
inline Status InvalidArgument(std::string message) {
  return Status(StatusCode::kInvalidArgument, std::move(message));
}
inline Status NotFound(std::string message) {
  return Status(StatusCode::kNotFound, std::move(message));
}
inline Status Unsupported(std::string message) {
  return Status(StatusCode::kUnsupported, std::move(message));
}
inline Status Corrupt(std::string message) {
  return Status(StatusCode::kCorrupt, std::move(message));
}
inline Status ResourceExhausted(std::string message) {
  return Status(StatusCode::kResourceExhausted, std::move(message));
}
inline Status Internal(std::string message) {
  return Status(StatusCode::kInternal, std::move(message));
}
inline Status IoError(std::string message) { return Status(StatusCode::kIo, std::move(message)); }

}  // namespace podium

#define PODIUM_CONCAT_(a, b) a##b
#define PODIUM_CONCAT(a, b) PODIUM_CONCAT_(a, b)

// Returns from the calling function when `expression` is an error.
#define PODIUM_RETURN_IF_ERROR(expression)                                      \
  do {                                                                          \
    if (::podium::Status status_ = (expression); !status_.ok()) return status_; \
  } while (false)

// PODIUM_ASSIGN_OR_RETURN(auto spec, ReadSpec(folder));
#define PODIUM_ASSIGN_OR_RETURN(declaration, expression) \
  PODIUM_ASSIGN_OR_RETURN_(PODIUM_CONCAT(result_, __LINE__), declaration, expression)
#define PODIUM_ASSIGN_OR_RETURN_(result, declaration, expression) \
  auto result = (expression);                                     \
  if (!result.ok()) return std::move(result).status();            \
  declaration = std::move(result).value()

#endif  // PODIUM_BASE_STATUS_H_
