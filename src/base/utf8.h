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

/// The same of valid UTF-8, for inner loops.
inline Utf8Char DecodeValidUtf8(const char* at) {
  const auto byte = [at](int i) { return static_cast<uint8_t>(at[i]); };
  const char32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  if (lead < 0xE0) return {(lead & 0x1F) << 6 | (byte(1) & 0x3Fu), 2, true};
  if (lead < 0xF0) {
    return {(lead & 0x0F) << 12 | (byte(1) & 0x3Fu) << 6 | (byte(2) & 0x3Fu), 3, true};
  }
  return {
      (lead & 0x07) << 18 | (byte(1) & 0x3Fu) << 12 | (byte(2) & 0x3Fu) << 6 | (byte(3) & 0x3Fu), 4,
      true};
}

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
