// The lengths of texts and pairs as a table, JSON or SVG. Pure.
#ifndef PODIUM_APP_LENGTHS_OUTPUT_H_
#define PODIUM_APP_LENGTHS_OUTPUT_H_

#include <span>
#include <string>
#include <vector>

#include "evaluation/lengths.h"
#include "evaluation/summary.h"
#include "podium/types.h"

namespace podium {

struct LengthsReport {
  std::string model;
  std::string precision;
  std::string isa;
  int threads = 0;
  int special_tokens = 0;
  SortedValues queries;    // distinct ones, tokens without special ones
  SortedValues documents;  // the same
  SortedValues pairs;      // tokens with special ones
  std::vector<LengthRow> rows = {};
  size_t timed_pairs = 0;  // 0 when nothing was timed
  double cover = 0;
  LengthAdvice advice = {};
};

std::string LengthsTable(const LengthsReport& report, int columns);
std::string LengthsJson(const LengthsReport& report);
std::string LengthsSvg(const LengthsReport& report);

}  // namespace podium

#endif  // PODIUM_APP_LENGTHS_OUTPUT_H_
