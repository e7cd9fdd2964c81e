// Cuts a line into columns. Pure.
#ifndef PODIUM_EVALUATION_COLUMNS_H_
#define PODIUM_EVALUATION_COLUMNS_H_

#include <string>
#include <string_view>
#include <vector>

namespace podium {

/// Columns between runs of spaces and tabs, as C's scanf("%s") sees them.
void SplitAtBlanks(std::string_view line, std::vector<std::string_view>* columns);
/// Columns between single tabs; they may be empty.
void SplitAtTabs(std::string_view line, std::vector<std::string_view>* columns);

/// No character but white space.
bool IsBlank(std::string_view line);

/// The start of `text` in quotes, for a message: long ones are cut.
std::string Quoted(std::string_view text);

}  // namespace podium

#endif  // PODIUM_EVALUATION_COLUMNS_H_
