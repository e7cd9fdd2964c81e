// Errors as clients read them: one body for all dialects.
#ifndef PODIUM_API_ERROR_H_
#define PODIUM_API_ERROR_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace podium::api {

/// Stable: the word stands in the body as error_type (TEI's words where TEI has one) and labels
/// metrics.
enum class ErrorKind : uint8_t {
  kValidation,  // the request's content
  kEmpty,       // no documents
  kUnauthorized,
  kNotFound,  // no such path or model
  kMethod,    // not with this method
  kTooLarge,  // a limit on bytes
  kMediaType,
  kTimeout,     // the deadline passed, or the client was too slow
  kOverloaded,  // come again later
  kUnhealthy,   // stopping, or not ready
  kBackend,     // the model failed
  kInternal,
};
const char* ErrorType(ErrorKind kind);

struct Error {
  ErrorKind kind = ErrorKind::kInternal;
  int status = 500;  // HTTP
  std::string message;
};

/// {"error": …, "error_type": …, "message": …, "detail": …, "request_id": …}: each client finds its
/// field. `detail` is left out with 422, where infinity's client wants a list.
std::string EncodeError(const Error& error, std::string_view request_id);

}  // namespace podium::api

#endif  // PODIUM_API_ERROR_H_
