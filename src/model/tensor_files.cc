#include "model/tensor_files.h"

#include <filesystem>
#include <utility>

#include "base/concat.h"
#include "model/safetensors.h"
#include "model/shard_index.h"

namespace podium {
namespace {

bool Exists(const std::string& path) {
  std::error_code error;
  // A link counts though it leads nowhere, as in a cache whose download was cut: opening it says so
  // by name.
  return std::filesystem::exists(std::filesystem::symlink_status(path, error));
}

Status NoWeights(const std::string& folder) {
  for (const char* pickle : {"pytorch_model.bin", "pytorch_model.bin.index.json"}) {
    if (!Exists(Concat(folder, "/", pickle))) continue;
    return Unsupported(Concat(
        folder, ": the weights are in ", pickle,
        ", a format that can run code; Podium reads model.safetensors. Convert once: python3 -c "
        "\"from transformers import AutoModelForSequenceClassification as M; M.from_pretrained('",
        folder, "').save_pretrained('", folder, "', safe_serialization=True)\""));
  }
  for (const char* other : {"onnx/model.onnx", "model.onnx", "tf_model.h5", "flax_model.msgpack",
                            "openvino/openvino_model.xml", "model.gguf"}) {
    if (!Exists(Concat(folder, "/", other))) continue;
    return Unsupported(Concat(folder, ": the weights are in ", other,
                              ", which Podium does not read; it reads model.safetensors"));
  }
  return NotFound(
      Concat(folder, ": neither model.safetensors nor model.safetensors.index.json is there"));
}

}  // namespace

Result<TensorFiles> TensorFiles::Open(const std::string& folder) {
  TensorFiles files;
  const std::string index_path = Concat(folder, "/model.safetensors.index.json");
  const std::string single_path = Concat(folder, "/model.safetensors");
  // transformers' order of preference.
  if (Exists(single_path)) {
    files.origin_ = single_path;
    PODIUM_RETURN_IF_ERROR(files.AddFile(single_path, files.tensors_));
  } else if (Exists(index_path)) {
    files.origin_ = index_path;
    PODIUM_RETURN_IF_ERROR(files.AddShards(folder, index_path));
  } else {
    return NoWeights(folder);
  }
  return files;
}

Status TensorFiles::CheckUnchanged() const {
  for (const MappedFile& file : files_) PODIUM_RETURN_IF_ERROR(file.CheckUnchanged());
  return OkStatus();
}

const MappedTensor* TensorFiles::Find(const std::string& name) const {
  const auto found = tensors_.find(name);
  return found == tensors_.end() ? nullptr : &found->second;
}

Status TensorFiles::AddFile(const std::string& path,
                            std::unordered_map<std::string, MappedTensor>& tensors) {
  PODIUM_ASSIGN_OR_RETURN(MappedFile file, MappedFile::Open(path));
  auto entries = ParseSafetensors(file.bytes(), path);
  // What looks corrupt may be a file that somebody is writing.
  PODIUM_RETURN_IF_ERROR(file.CheckUnchanged());
  PODIUM_RETURN_IF_ERROR(entries.status());
  file.Prefetch();
  for (TensorEntry& entry : *entries) {
    tensors.emplace(std::move(entry.name), MappedTensor{.data = file.bytes().data() + entry.begin,
                                                        .dtype = std::move(entry.dtype),
                                                        .shape = std::move(entry.shape),
                                                        .file = path});
  }
  files_.push_back(std::move(file));
  return OkStatus();
}

Status TensorFiles::AddShards(const std::string& folder, const std::string& index_path) {
  PODIUM_ASSIGN_OR_RETURN(const std::string text, ReadFile(index_path, kShardIndexBytesMax));
  PODIUM_ASSIGN_OR_RETURN(const auto names_by_shard, ParseShardIndex(text, index_path));
  for (const auto& [shard, names] : names_by_shard) {
    const std::string path = Concat(folder, "/", shard);
    std::unordered_map<std::string, MappedTensor> tensors;
    PODIUM_RETURN_IF_ERROR(AddFile(path, tensors));
    for (const std::string& name : names) {
      auto found = tensors.extract(name);
      if (found.empty() || !tensors_.insert(std::move(found)).inserted) {
        return Corrupt(Concat(path, ": tensor ", name, " is not there, or twice, although ",
                              index_path, " names it"));
      }
    }
  }
  return OkStatus();
}

}  // namespace podium
