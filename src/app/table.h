// Rows of cells as aligned columns.
#ifndef PODIUM_APP_TABLE_H_
#define PODIUM_APP_TABLE_H_

#include <string>
#include <vector>

namespace podium {

/// Columns are as wide as their widest cell; the last one takes what is left and is cut with "…".
/// Cells are printable text (display_width.h).
class Table {
 public:
  /// `right` names the columns that are aligned at their right edge.
  explicit Table(std::vector<bool> right) : right_(std::move(right)) {}
  void Add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  /// Lines of at most `columns` columns (but the last cell keeps at least 10), two spaces apart.
  std::string Render(int columns) const;

 private:
  std::vector<bool> right_;
  std::vector<std::vector<std::string>> rows_;
};

/// A bar of `share` of `columns` characters, in eighths of one: fine enough to tell 0.50 from 0.52
/// in ten columns.
std::string Bar(double share, int columns);

/// "name  value" lines, the names padded: for facts.
std::string RenderFacts(const std::vector<std::pair<std::string, std::string>>& facts);

}  // namespace podium

#endif  // PODIUM_APP_TABLE_H_
