// Any bytes as a safetensors file: an error, or tensors that tile the file's data exactly.
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/check.h"
#include "model/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto file = std::as_bytes(std::span(data, size));
  const auto entries = podium::ParseSafetensors(file, "fuzz");
  if (!entries.ok()) return 0;
  uint64_t header_bytes = 0;
  for (size_t i = 0; i < 8; ++i) header_bytes |= uint64_t{data[i]} << (8 * i);
  uint64_t reached = 8 + header_bytes;
  for (const podium::TensorEntry& entry : *entries) {
    PODIUM_CHECK(entry.begin == reached && entry.end >= entry.begin && entry.end <= size);
    reached = entry.end;
  }
  PODIUM_CHECK(reached == size);
  return 0;
}
