// Documents from files and standard input.
#ifndef PODIUM_APP_INPUT_H_
#define PODIUM_APP_INPUT_H_

#include <atomic>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/options.h"
#include "base/status.h"

namespace podium {

/// Bytes of one input, at most.
constexpr size_t kInputBytesMax = size_t{1} << 30;
/// Bytes of one JSON text (a whole file, or one line of JSON Lines), at most.
constexpr size_t kJsonBytesMax = size_t{512} << 20;

struct RankInput {
  std::optional<std::string> query;  // of {"query", "documents"}
  std::vector<std::string> documents;
};

/// All of a file, pipe or terminal; "-" is standard input. Ends with kCancelled when `cancel` is
/// set while waiting.
Result<std::string> ReadInput(const std::string& path, const std::atomic<bool>& cancel);

/// Lines: one document each, "\r\n" is one line end, an empty line is an empty document, a byte
/// order mark at the start is dropped. JSON and JSON Lines: see podium rank --help. `origin` names
/// the input in messages.
Result<RankInput> ParseInput(std::string_view text, const std::string& origin, InputKind kind,
                             const std::string& text_field);

}  // namespace podium

#endif  // PODIUM_APP_INPUT_H_
