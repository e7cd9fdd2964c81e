// The plain twin of the fast parser: walks a text byte by byte and says where and why it is not
// JSON. It runs only when the fast parser has refused a text, to give the error its place, and in
// tests, where both must agree.
#ifndef PODIUM_JSON_SCAN_H_
#define PODIUM_JSON_SCAN_H_

#include <cstddef>
#include <string_view>
#include <vector>

namespace podium::json {

struct Scan {
  enum class Verdict { kValid, kInvalid, kTooDeep };
  Verdict verdict = Verdict::kValid;
  size_t offset = 0;        // of the first byte that cannot be there
  const char* reason = "";  // "expected a value"
  /// Offsets just past each integer that no 64-bit type holds, in rising order.
  std::vector<size_t> wide_integer_ends;
};

Scan ScanJson(std::string_view text, int depth_max);

}  // namespace podium::json

#endif  // PODIUM_JSON_SCAN_H_
