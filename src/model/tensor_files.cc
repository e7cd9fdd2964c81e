#include "model/tensor_files.h"

#include <filesystem>
#include <map>
#include <string_view>
#include <utility>

#include "base/concat.h"
#include "json/json.h"
#include "model/safetensors.h"

namespace podium {
namespace {

constexpr size_t kIndexBytesMax = size_t{64} << 20;
constexpr size_t kShardsMax = 1024;

bool Exists(const std::string& path) {
  std::error_code error;
  // A link counts though it leads nowhere, as in a cache whose download was cut: opening it says so
  // by name.
  return std::filesystem::exists(std::filesystem::symlink_status(path, error));
}

// A shard lies in the model's folder: its name is a file name, never a way out of it.
bool IsPlainFileName(std::string_view name) {
  return !name.empty() && name.size() <= 255 && name[0] != '.' &&
         name.find_first_of(std::string_view("/\\\0", 3)) == std::string_view::npos;
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
  return NotFound(
      Concat(folder, ": neither model.safetensors nor model.safetensors.index.json is there"));
}

}  // namespace

Result<TensorFiles> TensorFiles::Open(const std::string& folder) {
  TensorFiles files;
  const std::string index_path = Concat(folder, "/model.safetensors.index.json");
  const std::string single_path = Concat(folder, "/model.safetensors");
  if (Exists(index_path)) {
    files.origin_ = index_path;
    PODIUM_RETURN_IF_ERROR(files.AddShards(folder, index_path));
  } else if (Exists(single_path)) {
    files.origin_ = single_path;
    PODIUM_RETURN_IF_ERROR(files.AddFile(single_path, files.tensors_));
  } else {
    return NoWeights(folder);
  }
  return files;
}

const MappedTensor* TensorFiles::Find(const std::string& name) const {
  const auto found = tensors_.find(name);
  return found == tensors_.end() ? nullptr : &found->second;
}

Status TensorFiles::AddFile(const std::string& path,
                            std::unordered_map<std::string, MappedTensor>& tensors) {
  PODIUM_ASSIGN_OR_RETURN(MappedFile file, MappedFile::Open(path));
  PODIUM_ASSIGN_OR_RETURN(std::vector<TensorEntry> entries, ParseSafetensors(file.bytes(), path));
  file.Prefetch();
  for (TensorEntry& entry : entries) {
    tensors.emplace(std::move(entry.name), MappedTensor{.data = file.bytes().data() + entry.begin,
                                                        .dtype = std::move(entry.dtype),
                                                        .shape = std::move(entry.shape),
                                                        .file = path});
  }
  files_.push_back(std::move(file));
  return OkStatus();
}

Status TensorFiles::AddShards(const std::string& folder, const std::string& index_path) {
  PODIUM_ASSIGN_OR_RETURN(const std::string text, ReadFile(index_path, kIndexBytesMax));
  PODIUM_ASSIGN_OR_RETURN(const json::Document document, json::Document::Parse(text, index_path));
  const auto map = document.root().Find("weight_map");
  if (!map || !map->is(json::Type::kObject)) {
    return Corrupt(Concat(index_path, ": weight_map is missing or no object"));
  }
  std::map<std::string, std::vector<std::string>> names_by_shard;
  Status status;
  map->ForEachMember([&](std::string_view tensor, json::Value value) {
    const auto shard = value.AsString();
    if (!shard || !IsPlainFileName(*shard)) {
      status = Corrupt(Concat(index_path, ": tensor ", tensor, ": ",
                              shard ? Concat('"', *shard, '"') : std::string(value.type_name()),
                              " is not the name of a file in this folder"));
      return false;
    }
    names_by_shard[std::string(*shard)].emplace_back(tensor);
    if (names_by_shard.size() > kShardsMax) {
      status = ResourceExhausted(Concat(index_path, ": more than ", kShardsMax, " shards"));
      return false;
    }
    return true;
  });
  PODIUM_RETURN_IF_ERROR(status);
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
