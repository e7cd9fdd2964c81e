// What this processor can run: every kernel table with every precision in which it is one of its
// own.
#ifndef PODIUM_TESTS_SUPPORT_TABLES_H_
#define PODIUM_TESTS_SUPPORT_TABLES_H_

#include <cstring>
#include <string>
#include <vector>

#include "kernels/select.h"

namespace podium {

struct RunnableTable {
  std::string precision;
  std::string isa;
  std::string name() const { return precision + "_" + isa; }
};

inline std::vector<RunnableTable> RunnableTables(bool fp32_only = false) {
  std::vector<RunnableTable> tables;
  for (size_t i = 0; i < kernels::TableCount(); ++i) {
    const kernels::TableEntry entry = kernels::TableAt(i);
    if (!entry.runnable) continue;
    if (std::strcmp(entry.fp32, entry.name) == 0) tables.push_back({"fp32", entry.name});
    if (!fp32_only) tables.push_back({"int8", entry.name});
  }
  return tables;
}

}  // namespace podium

#endif  // PODIUM_TESTS_SUPPORT_TABLES_H_
