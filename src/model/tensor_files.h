// The weight files of a model folder as one set of named tensors.
#ifndef PODIUM_MODEL_TENSOR_FILES_H_
#define PODIUM_MODEL_TENSOR_FILES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/file.h"
#include "base/status.h"

namespace podium {

/// Bytes of one tensor inside a mapped file.
struct MappedTensor {
  const std::byte* data = nullptr;
  std::string dtype;
  std::vector<int64_t> shape;
  std::string file;  // where it is, for messages
};

/// Maps model.safetensors, or else the shards that model.safetensors.index.json names:
/// transformers' order of preference. Other files are not opened. Immutable; any thread.
class TensorFiles {
 public:
  static Result<TensorFiles> Open(const std::string& folder);
  /// Null when there is no tensor of this name.
  const MappedTensor* Find(const std::string& name) const;
  /// kIo when one of the files was cut short or written to since Open.
  Status CheckUnchanged() const;
  /// All of them, by name.
  const std::unordered_map<std::string, MappedTensor>& tensors() const { return tensors_; }
  /// Where the tensors come from, for messages.
  const std::string& origin() const { return origin_; }

 private:
  Status AddFile(const std::string& path, std::unordered_map<std::string, MappedTensor>& tensors);
  Status AddShards(const std::string& folder, const std::string& index_path);

  std::string origin_;
  std::vector<MappedFile> files_;
  std::unordered_map<std::string, MappedTensor> tensors_;
};

}  // namespace podium

#endif  // PODIUM_MODEL_TENSOR_FILES_H_
