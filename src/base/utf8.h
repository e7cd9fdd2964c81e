// UTF-8, read as Python's decode('utf-8', 'replace') reads it. Pure; any thread.
#ifndef PODIUM_BASE_UTF8_H_
#define PODIUM_BASE_UTF8_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace podium {

struct Utf8Char {
  char32_t code = 0;  // U+FFFD when invalid
  int bytes = 0;      // consumed, at least 1
  bool valid = false;
};

/// The character at the start of `text`, which is not empty. An invalid sequence consumes its
/// longest valid start, as Python's decode('utf-8', 'replace') and the Unicode standard (3.9, D93b)
/// do.
Utf8Char DecodeUtf8(std::string_view text);

/// The last character of `text`, which is not empty, read as DecodeUtf8 reads.
Utf8Char DecodeUtf8Back(std::string_view text);

void AppendUtf8(char32_t code, std::string& out);

/// Length of the valid start of `text`.
size_t ValidUtf8Prefix(std::string_view text);

/// Appends `text` with U+FFFD for each invalid sequence.
void AppendReplaced(std::string_view text, std::string& out);

/// The largest position ≤ `at` where cutting `text` changes no decoded character. Such a position
/// is at most three bytes away.
size_t CutPosition(std::string_view text, size_t at);

}  // namespace podium

#endif  // PODIUM_BASE_UTF8_H_
