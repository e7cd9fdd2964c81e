// Writes safetensors files for tests, one tensor after another, so that a large file needs little
// memory.
//
// tests/support/ holds what several kinds of tests use; header-only, no product code depends on it.
#ifndef PODIUM_TESTS_SUPPORT_SAFETENSORS_WRITER_H_
#define PODIUM_TESTS_SUPPORT_SAFETENSORS_WRITER_H_

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "base/concat.h"

namespace podium::testing_support {

struct TensorEntry {
  std::string name;
  std::string dtype;  // "F32", "F16", "BF16"
  std::vector<int64_t> shape;

  int64_t elements() const {
    int64_t count = 1;
    for (const int64_t extent : shape) count *= extent;
    return count;
  }
  int64_t bytes() const { return elements() * (dtype == "F32" ? 4 : 2); }
};

/// The header goes out at construction; the tensors' bytes follow by Append, in the entries' order.
class SafetensorsWriter {
 public:
  SafetensorsWriter(const std::string& path, const std::vector<TensorEntry>& entries)
      : file_(path, std::ios::binary) {
    std::string header = "{\"__metadata__\":{\"format\":\"pt\"}";
    int64_t offset = 0;
    for (const TensorEntry& entry : entries) {
      header += Concat(",\"", entry.name, "\":{\"dtype\":\"", entry.dtype, "\",\"shape\":[");
      for (size_t i = 0; i < entry.shape.size(); ++i) {
        header += Concat(i == 0 ? "" : ",", entry.shape[i]);
      }
      header += Concat("],\"data_offsets\":[", offset, ",", offset + entry.bytes(), "]}");
      offset += entry.bytes();
    }
    header += "}";
    header.resize((header.size() + 7) / 8 * 8, ' ');
    remaining_ = offset;
    char length[8];
    for (int i = 0; i < 8; ++i) length[i] = static_cast<char>(header.size() >> (8 * i));
    file_.write(length, 8);
    file_.write(header.data(), static_cast<std::streamsize>(header.size()));
  }

  void Append(const void* data, size_t bytes) {
    file_.write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes));
    remaining_ -= static_cast<int64_t>(bytes);
  }

  /// Every entry was appended and the system took all of it.
  bool Finish() {
    file_.close();
    return remaining_ == 0 && !file_.fail();
  }

 private:
  std::ofstream file_;
  int64_t remaining_ = 0;
};

}  // namespace podium::testing_support

#endif  // PODIUM_TESTS_SUPPORT_SAFETENSORS_WRITER_H_
