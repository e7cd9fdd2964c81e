// Reads the "pre_tokenizer" of a tokenizer file.
#ifndef PODIUM_TEXT_PRE_TOKENIZER_FILE_H_
#define PODIUM_TEXT_PRE_TOKENIZER_FILE_H_

#include <string>

#include "base/status.h"
#include "json/json.h"
#include "text/pre_tokenizer.h"

namespace podium {

/// `where` names the value in errors. A kind that is not supported is kUnsupported and named.
Result<PreTokenizer> ParsePreTokenizer(json::Value value, const std::string& where);

}  // namespace podium

#endif  // PODIUM_TEXT_PRE_TOKENIZER_FILE_H_
