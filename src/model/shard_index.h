// model.safetensors.index.json: which shard holds which tensor.
#ifndef PODIUM_MODEL_SHARD_INDEX_H_
#define PODIUM_MODEL_SHARD_INDEX_H_

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace podium {

constexpr size_t kShardIndexBytesMax = size_t{64} << 20;
constexpr size_t kShardsMax = 1024;

/// Names of tensors by the name of their shard, which is a plain file name: never a way out of the
/// model's folder. `origin` is the file named in messages.
Result<std::map<std::string, std::vector<std::string>>> ParseShardIndex(std::string_view text,
                                                                        std::string_view origin);

}  // namespace podium

#endif  // PODIUM_MODEL_SHARD_INDEX_H_
