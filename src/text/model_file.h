// Reads the "model" of a tokenizer file.
#ifndef PODIUM_TEXT_MODEL_FILE_H_
#define PODIUM_TEXT_MODEL_FILE_H_

#include <cstddef>
#include <memory>
#include <string>

#include "base/status.h"
#include "json/json.h"
#include "text/model.h"

namespace podium {

/// Ids are int32 and tables are indexed by them; the largest public vocabularies have 260,000.
constexpr size_t kVocabularyMax = size_t{1} << 22;

/// Unigram or WordPiece. `where` names the value in errors.
Result<std::unique_ptr<const Model>> ParseModel(json::Value value, const std::string& where);

}  // namespace podium

#endif  // PODIUM_TEXT_MODEL_FILE_H_
