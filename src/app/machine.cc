#include "app/machine.h"

#include <fstream>

#include "app/display_width.h"

namespace podium {

std::string FirstLine(const char* path) {
  std::string line;
  std::ifstream file(path);
  std::getline(file, line);
  return line;
}

std::string Field(const char* path, std::string_view name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.compare(0, name.size(), name) != 0) continue;
    const size_t colon = line.find(':');
    const size_t value = line.find_first_not_of(" \t", colon + 1);
    if (colon != std::string::npos && value != std::string::npos) return line.substr(value);
  }
  return "";
}

std::string ProcessorName() { return Printable(Field("/proc/cpuinfo", "model name"), 200); }

}  // namespace podium
