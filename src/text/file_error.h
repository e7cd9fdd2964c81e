// What is said about a value of a tokenizer file that has the wrong type or is not there.
#ifndef PODIUM_TEXT_FILE_ERROR_H_
#define PODIUM_TEXT_FILE_ERROR_H_

#include <optional>
#include <string>

#include "base/concat.h"
#include "base/status.h"
#include "json/json.h"

namespace podium {

inline Status WrongType(const std::string& where, std::optional<json::Value> got,
                        const char* needed) {
  return Corrupt(
      Concat(where, ": got ", got ? got->type_name() : "nothing", ", ", needed, " is needed"));
}

}  // namespace podium

#endif  // PODIUM_TEXT_FILE_ERROR_H_
