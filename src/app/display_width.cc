#include "app/display_width.h"

#include <algorithm>
#include <cstdio>
#include <iterator>

#include "base/utf8.h"
#include "text/grapheme.h"
#include "text/unicode.h"

namespace podium {
namespace {

struct CodeRange {
  char32_t first;
  char32_t last;
};

#include "app/width_table.inc"

template <size_t kSize>
bool Contains(const CodeRange (&ranges)[kSize], char32_t code) {
  const auto* range = std::lower_bound(
      std::begin(ranges), std::end(ranges), code,
      [](const CodeRange& candidate, char32_t wanted) { return candidate.last < wanted; });
  return range != std::end(ranges) && range->first <= code;
}

int CharacterWidth(char32_t code) {
  constexpr char32_t kEmojiPresentation = 0xFE0F;  // makes the character before it two wide
  if (code < 0x300) return 1;
  if (code == kEmojiPresentation) return 1;
  if (Contains(kZero, code)) return 0;
  return Contains(kWide, code) ? 2 : 1;
}

// Characters that are neither printed nor white space: they move the cursor, hide text or turn its
// direction. Joiners stay: scripts and emoji need them.
bool IsHidden(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x202A && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069) || code == 0x200E || code == 0x200F || code == 0x061C ||
         code == 0xFEFF || (code >= 0xFFF9 && code <= 0xFFFB) ||
         (code >= 0xE0000 && code <= 0xE007F);
}

void AppendVisible(char32_t code, std::string& out) {
  constexpr char32_t kControlPictures = 0x2400;  // ␀ … ␟, in the order of the controls
  if (code < 0x20) {
    AppendUtf8(kControlPictures + code, out);
  } else if (code == 0x7F) {
    AppendUtf8(0x2421, out);
  } else {
    char name[16];
    std::snprintf(name, sizeof name, "<U+%04X>", static_cast<unsigned>(code));
    out += name;
  }
}

// Calls visit(cluster, columns) until it returns false.
template <typename Visit>
void ForEachCluster(std::string_view text, Visit visit) {
  GraphemeBreaker breaker;
  size_t start = 0;
  int width = 0;
  for (size_t at = 0; at < text.size();) {
    const Utf8Char c = DecodeUtf8(text.substr(at));
    if (breaker.StartsCluster(c.code) && at > start) {
      if (!visit(text.substr(start, at - start), std::min(width, 2))) return;
      start = at;
      width = 0;
    }
    width += CharacterWidth(c.code);
    at += static_cast<size_t>(c.bytes);
  }
  if (start < text.size()) visit(text.substr(start), std::min(width, 2));
}

}  // namespace

int DisplayWidth(std::string_view text) {
  int columns = 0;
  ForEachCluster(text, [&](std::string_view, int width) {
    columns += width;
    return true;
  });
  return columns;
}

std::string Printable(std::string_view text, int columns_max) {
  // Marks without end can sit on one column, so the bytes are bounded as well.
  const size_t bytes_max = static_cast<size_t>(std::max(columns_max, 1)) * 16 + 64;
  std::string out;
  bool space = false;
  for (size_t at = 0; at < text.size() && out.size() < bytes_max;) {
    const Utf8Char c = DecodeUtf8(text.substr(at));
    at += static_cast<size_t>(c.bytes);
    if (IsWhitespace(c.code)) {
      space = !out.empty();
      continue;
    }
    if (space) out += ' ';
    space = false;
    if (IsHidden(c.code)) {
      AppendVisible(c.code, out);
    } else {
      AppendUtf8(c.code, out);
    }
  }
  return out;
}

std::string CutToWidth(std::string_view text, int columns) {
  if (columns <= 0) return "";
  size_t kept = 0;  // bytes that leave a column for the ellipsis
  size_t taken = 0;
  int used = 0;
  bool whole = true;
  ForEachCluster(text, [&](std::string_view cluster, int width) {
    if (used + width > columns) {
      whole = false;
      return false;
    }
    used += width;
    taken += cluster.size();
    if (used <= columns - 1) kept = taken;
    return true;
  });
  if (whole) return std::string(text);
  return std::string(text.substr(0, kept)) + "…";
}

std::string FitToWidth(std::string_view text, int columns) {
  std::string out = CutToWidth(text, columns);
  const int missing = columns - DisplayWidth(out);
  if (missing > 0) out.append(static_cast<size_t>(missing), ' ');
  return out;
}

}  // namespace podium
