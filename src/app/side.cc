#include "app/side.h"

#include <charconv>
#include <string>

#include "base/concat.h"

namespace podium {
namespace {

constexpr std::string_view kKeys[] = {"precision", "isa", "threads", "max-length", "truncation"};

bool IsKey(std::string_view word) {
  for (const std::string_view key : kKeys) {
    if (word == key) return true;
  }
  return false;
}

Result<int> ParseCount(std::string_view text, std::string_view part) {
  int count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count < 0) {
    return InvalidArgument(
        Concat("side: got \"", part, "\", expected a whole number of 0 or more"));
  }
  return count;
}

Status Set(std::string_view part, OpenOptions& open, std::string& seen) {
  const size_t equals = part.find('=');
  const std::string_view key = part.substr(0, equals);
  const std::string_view value =
      equals == std::string_view::npos ? std::string_view() : part.substr(equals + 1);
  if (!IsKey(key) || value.empty()) {
    return InvalidArgument(Concat(
        "side: got \"", part,
        "\", allowed: precision=, isa=, threads=, max-length= and truncation= with a value"));
  }
  const std::string mark = Concat(",", key, "=");
  if (seen.find(mark) != std::string::npos) {
    return InvalidArgument(Concat("side: got \"", key, "=\" twice"));
  }
  seen += mark;
  if (key == "precision") {
    open.precision = std::string(value);
  } else if (key == "isa") {
    open.isa = std::string(value);
  } else if (key == "threads") {
    PODIUM_ASSIGN_OR_RETURN(open.threads, ParseCount(value, part));
  } else if (key == "truncation") {
    open.truncation = std::string(value);
  } else {
    PODIUM_ASSIGN_OR_RETURN(open.max_length, ParseCount(value, part));
  }
  return OkStatus();
}

// Where the first KEY= begins: at the start or behind a comma; the end of the text when there is
// none. Behind a comma any word before "=" counts, so that a misspelt key is no model's name.
size_t FirstKey(std::string_view text) {
  for (size_t start = 0; start <= text.size();) {
    const size_t comma = std::min(text.find(',', start), text.size());
    const std::string_view part = text.substr(start, comma - start);
    const size_t equals = part.find('=');
    if (equals != std::string_view::npos && (start > 0 || IsKey(part.substr(0, equals)))) {
      return start;
    }
    start = comma + 1;
  }
  return text.size() + 1;
}

}  // namespace

Result<OpenOptions> ParseSide(std::string_view text) {
  if (text.empty()) {
    return InvalidArgument("side: got \"\", expected MODEL, MODEL,KEY=VALUE,… or KEY=VALUE,…");
  }
  OpenOptions open;
  const size_t keys = FirstKey(text);
  if (keys > 0) open.model = std::string(text.substr(0, keys - 1));
  std::string seen;
  for (size_t start = keys; start <= text.size();) {
    const size_t comma = std::min(text.find(',', start), text.size());
    PODIUM_RETURN_IF_ERROR(Set(text.substr(start, comma - start), open, seen));
    start = comma + 1;
  }
  return open;
}

}  // namespace podium
