#include "evaluation/columns.h"

#include <algorithm>

#include "base/concat.h"
#include "base/utf8.h"

namespace podium {
namespace {

constexpr std::string_view kBlanks = " \t\r\f\v";

}  // namespace

void SplitAtBlanks(std::string_view line, std::vector<std::string_view>* columns) {
  columns->clear();
  while (true) {
    const size_t begin = line.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) return;
    const size_t end = std::min(line.find_first_of(kBlanks, begin), line.size());
    columns->push_back(line.substr(begin, end - begin));
    line.remove_prefix(end);
  }
}

void SplitAtTabs(std::string_view line, std::vector<std::string_view>* columns) {
  columns->clear();
  while (true) {
    const size_t end = line.find('\t');
    columns->push_back(line.substr(0, end));
    if (end == std::string_view::npos) return;
    line.remove_prefix(end + 1);
  }
}

bool IsBlank(std::string_view line) {
  return line.find_first_not_of(kBlanks) == std::string_view::npos;
}

std::string Quoted(std::string_view text) {
  constexpr size_t kShown = 60;
  if (text.size() <= kShown) return Concat("\"", text, "\"");
  return Concat("\"", text.substr(0, CutPosition(text, kShown)), "…\"");
}

}  // namespace podium
