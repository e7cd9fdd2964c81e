// Reads the "normalizer" of a tokenizer file.
#ifndef PODIUM_TEXT_NORMALIZER_FILE_H_
#define PODIUM_TEXT_NORMALIZER_FILE_H_

#include <string>

#include "base/status.h"
#include "json/json.h"
#include "text/normalizer.h"

namespace podium {

/// Adds the steps of `value`, the value at `where`, to `out`. A step that is not supported is
/// kUnsupported and named.
Status ParseNormalizer(json::Value value, const std::string& where, Normalizer& out);

}  // namespace podium

#endif  // PODIUM_TEXT_NORMALIZER_FILE_H_
