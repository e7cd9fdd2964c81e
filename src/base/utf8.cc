#include "base/utf8.h"

#include <cstring>

namespace podium {
namespace {

uint8_t Byte(std::string_view text, size_t at) { return static_cast<uint8_t>(text[at]); }
bool IsContinuation(uint8_t byte) { return (byte & 0xC0) == 0x80; }

}  // namespace

Utf8Char DecodeUtf8(std::string_view text) {
  constexpr char32_t kReplacement = 0xFFFD;
  const uint8_t lead = Byte(text, 0);
  if (lead < 0x80) return {lead, 1, true};
  int length = 0;
  char32_t code = 0;
  uint8_t low = 0x80, high = 0xBF;  // range of the second byte
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
    code = lead & 0x1F;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    code = lead & 0x0F;
    if (lead == 0xE0) low = 0xA0;   // no overlong forms
    if (lead == 0xED) high = 0x9F;  // no surrogates
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    code = lead & 0x07;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;  // nothing above U+10FFFF
  } else {
    return {kReplacement, 1, false};
  }
  for (int i = 1; i < length; ++i) {
    if (static_cast<size_t>(i) >= text.size()) return {kReplacement, i, false};
    const uint8_t byte = Byte(text, static_cast<size_t>(i));
    if (byte < low || byte > high) return {kReplacement, i, false};
    code = code << 6 | (byte & 0x3F);
    low = 0x80;
    high = 0xBF;
  }
  return {code, length, true};
}

Utf8Char DecodeUtf8Back(std::string_view text) {
  // A lead byte always starts a character, so the nearest one settles what the last bytes are.
  const size_t reach = text.size() < 4 ? text.size() : 4;
  for (size_t back = 1; back <= reach; ++back) {
    const size_t at = text.size() - back;
    if (IsContinuation(Byte(text, at))) continue;
    const Utf8Char found = DecodeUtf8(text.substr(at));
    if (static_cast<size_t>(found.bytes) == back) return found;
    break;
  }
  return {0xFFFD, 1, false};
}

void AppendUtf8(char32_t code, std::string& out) {
  const auto put = [&out](char32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6);
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3F));
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

size_t ValidUtf8Prefix(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    uint64_t word;
    while (text.size() - at >= sizeof word) {
      std::memcpy(&word, text.data() + at, sizeof word);
      if ((word & 0x8080808080808080u) != 0) break;
      at += sizeof word;
    }
    if (at == text.size()) break;
    const Utf8Char next = DecodeUtf8(text.substr(at));
    if (!next.valid) break;
    at += static_cast<size_t>(next.bytes);
  }
  return at;
}

void AppendReplaced(std::string_view text, std::string& out) {
  while (!text.empty()) {
    const size_t valid = ValidUtf8Prefix(text);
    out.append(text.substr(0, valid));
    text.remove_prefix(valid);
    if (text.empty()) break;
    out.append("\xEF\xBF\xBD");
    text.remove_prefix(static_cast<size_t>(DecodeUtf8(text).bytes));
  }
}

size_t CutPosition(std::string_view text, size_t at) {
  if (at >= text.size()) return text.size();
  for (size_t back = 0; back <= 3 && back <= at; ++back) {
    if (!IsContinuation(Byte(text, at - back))) return at - back;
  }
  return at;  // three continuation bytes before: a character of four bytes ends here, or garbage
}

}  // namespace podium
