// How text looks on a terminal: its width in columns, and a form of it that is safe to print.
#ifndef PODIUM_APP_DISPLAY_WIDTH_H_
#define PODIUM_APP_DISPLAY_WIDTH_H_

#include <string>
#include <string_view>

namespace podium {

/// Columns of `text`, which Printable() made: East Asian wide characters and emoji take two,
/// combining marks none, a grapheme cluster never more than two.
int DisplayWidth(std::string_view text);

/// One line that changes nothing but the characters it prints: runs of white space become one
/// space (none at the ends), control characters their visible forms (ESC is ␛), other characters
/// that steer a terminal or the direction of text "<U+202E>", invalid UTF-8 U+FFFD. Reads no more
/// of `text` than about `columns_max` columns need.
std::string Printable(std::string_view text, int columns_max);

/// `text` (from Printable) in exactly `columns` columns: cut with "…" or filled with spaces.
std::string FitToWidth(std::string_view text, int columns);

/// The same, without filling.
std::string CutToWidth(std::string_view text, int columns);

}  // namespace podium

#endif  // PODIUM_APP_DISPLAY_WIDTH_H_
