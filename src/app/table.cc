#include "app/table.h"

#include <algorithm>
#include <cmath>

#include "app/display_width.h"

namespace podium {

std::string Table::Render(int columns) const {
  constexpr int kGap = 2;
  constexpr int kLastMin = 10;
  std::vector<int> widths(right_.size(), 0);
  for (const auto& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], DisplayWidth(row[i]));
  }
  int before_last = 0;
  for (size_t i = 0; i + 1 < widths.size(); ++i) before_last += widths[i] + kGap;

  std::string out;
  for (const auto& row : rows_) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      if (i > 0) line.append(kGap, ' ');
      if (i + 1 == right_.size()) {
        line += CutToWidth(row[i], std::max(kLastMin, columns - before_last));
        continue;
      }
      const auto fill = static_cast<size_t>(widths[i] - DisplayWidth(row[i]));
      if (right_[i]) line.append(fill, ' ');
      line += row[i];
      if (!right_[i]) line.append(fill, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string Bar(double share, int columns) {
  static constexpr const char* kPart[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const int eighths = static_cast<int>(std::lround(share * columns * 8));
  std::string bar;
  for (int i = 0; i < eighths / 8; ++i) bar += "█";
  bar += kPart[eighths % 8];
  return bar;
}

std::string RenderFacts(const std::vector<std::pair<std::string, std::string>>& facts) {
  int width = 0;
  for (const auto& [name, value] : facts) width = std::max(width, DisplayWidth(name));
  std::string out;
  for (const auto& [name, value] : facts) {
    out += FitToWidth(name, width) + "  " + value + "\n";
  }
  return out;
}

}  // namespace podium
