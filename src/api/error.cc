#include "api/error.h"

#include "json/writer.h"

namespace podium::api {

const char* ErrorType(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kValidation:
      return "Validation";
    case ErrorKind::kEmpty:
      return "Empty";
    case ErrorKind::kUnauthorized:
      return "Unauthorized";
    case ErrorKind::kNotFound:
      return "NotFound";
    case ErrorKind::kMethod:
      return "MethodNotAllowed";
    case ErrorKind::kTooLarge:
      return "TooLarge";
    case ErrorKind::kMediaType:
      return "UnsupportedMediaType";
    case ErrorKind::kTimeout:
      return "Timeout";
    case ErrorKind::kOverloaded:
      return "Overloaded";
    case ErrorKind::kUnhealthy:
      return "Unhealthy";
    case ErrorKind::kBackend:
      return "Backend";
    case ErrorKind::kInternal:
      return "Internal";
  }
  return "Internal";
}

std::string EncodeError(const Error& error, std::string_view request_id) {
  std::string body;
  json::Writer writer(body);
  writer.BeginObject();
  writer.Key("error");
  writer.String(error.message);
  writer.Key("error_type");
  writer.String(ErrorType(error.kind));
  writer.Key("message");
  writer.String(error.message);
  if (error.status != 422) {
    writer.Key("detail");
    writer.String(error.message);
  }
  if (!request_id.empty()) {
    writer.Key("request_id");
    writer.String(request_id);
  }
  writer.EndObject();
  return body;
}

}  // namespace podium::api
