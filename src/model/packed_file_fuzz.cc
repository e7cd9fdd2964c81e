// Any bytes as a packed file: an error, or sections that lie in the file one behind the other. The
// input is taken as it is, and as a directory behind a header that is right: checksums would keep
// the fuzzer out of what they guard.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "base/check.h"
#include "model/packed_file.h"

namespace {

void Parse(std::span<const std::byte> file) {
  const auto directory = podium::ParsePackedFile(file, "fuzz");
  if (!directory.ok()) return;
  uint64_t reached = podium::kPackedHeaderBytes;
  for (const podium::PackedSection& section : directory->sections) {
    PODIUM_CHECK(section.offset >= reached && section.bytes <= file.size() - section.offset);
    PODIUM_CHECK(section.offset % podium::kPackedAlignment == 0);
    reached = section.offset + section.bytes;
  }
  // What was read can be written.
  const std::string text = podium::PackedDirectoryText(*directory);
  PODIUM_CHECK(!text.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto input = std::as_bytes(std::span(data, size));
  Parse(input);
  constexpr size_t kData = 4096;  // zeros for sections to lie in
  std::vector<std::byte> file(podium::kPackedHeaderBytes + kData);
  const auto header = podium::PackedHeader(podium::kPackedVersion, file.size(), input);
  std::memcpy(file.data(), header.data(), header.size());
  file.insert(file.end(), input.begin(), input.end());
  Parse(file);
  return 0;
}
