// The safetensors format: eight bytes of length, a JSON header, then the tensors' bytes end to end.
#ifndef PODIUM_MODEL_SAFETENSORS_H_
#define PODIUM_MODEL_SAFETENSORS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace podium {

/// One tensor as the header has it; checked against the file's size.
struct TensorEntry {
  std::string name;
  std::string dtype;  // "F32", "BF16", "I64", …
  std::vector<int64_t> shape;
  uint64_t begin = 0;  // bytes from the start of the file
  uint64_t end = 0;
};

/// The tensors of a whole file, by rising offset. kCorrupt, with `origin` in front, when the bytes
/// break the format: a header over 100 MB or past the end, an unknown dtype, a shape that does not
/// fill its range, a gap, an overlap, a name given twice, bytes that belong to no tensor. Reads
/// only the header.
Result<std::vector<TensorEntry>> ParseSafetensors(std::span<const std::byte> file,
                                                  std::string_view origin);

}  // namespace podium

#endif  // PODIUM_MODEL_SAFETENSORS_H_
