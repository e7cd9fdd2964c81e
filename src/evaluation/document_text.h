// The text of a document that JSON holds in one of the usual ways.
#ifndef PODIUM_EVALUATION_DOCUMENT_TEXT_H_
#define PODIUM_EVALUATION_DOCUMENT_TEXT_H_

#include <string>
#include <string_view>

#include "base/status.h"
#include "json/json.h"

namespace podium {

/// A string, or an object with its text under `field`, or, where that is empty, under "text",
/// "document", "content" or "passage", the first that is there. `where` is put before messages.
Result<std::string_view> DocumentText(json::Value value, std::string_view where,
                                      std::string_view field);

}  // namespace podium

#endif  // PODIUM_EVALUATION_DOCUMENT_TEXT_H_
