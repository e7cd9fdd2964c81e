// Reads the "model" of a tokenizer file.
#ifndef PODIUM_TEXT_MODEL_FILE_H_
#define PODIUM_TEXT_MODEL_FILE_H_

#include <memory>
#include <string>

#include "base/status.h"
#include "json/json.h"
#include "text/model.h"

namespace podium {

/// Unigram or WordPiece. `where` names the value in errors.
Result<std::unique_ptr<const Model>> ParseModel(json::Value value, const std::string& where);

}  // namespace podium

#endif  // PODIUM_TEXT_MODEL_FILE_H_
