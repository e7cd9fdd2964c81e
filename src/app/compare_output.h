// A comparison as a table, JSON or SVG. Pure.
#ifndef PODIUM_APP_COMPARE_OUTPUT_H_
#define PODIUM_APP_COMPARE_OUTPUT_H_

#include <span>
#include <string>

#include "app/compare_report.h"

namespace podium {

std::string CompareTable(const CompareReport& report, std::span<const GateResult> gate,
                         int columns);
std::string CompareJson(const CompareReport& report, std::span<const GateResult> gate);
/// Logits of A against those of B, and the histogram of their difference.
std::string CompareSvg(const CompareReport& report);

}  // namespace podium

#endif  // PODIUM_APP_COMPARE_OUTPUT_H_
