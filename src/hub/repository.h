// What a repository holds, and which of its files Podium reads. Pure.
#ifndef PODIUM_HUB_REPOSITORY_H_
#define PODIUM_HUB_REPOSITORY_H_

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace podium::hub {

/// Of the hub's description of a repository.
constexpr size_t kDescriptionBytesMax = size_t{16} << 20;
constexpr size_t kRepositoryFilesMax = 100000;

struct Repository {
  std::string commit;
  std::set<std::string> files;  // as the hub says: untrusted, used only to look names up
};

/// The reply of GET /api/models/NAME/revision/REVISION. kCorrupt when it is something else.
Result<Repository> ParseRepository(std::string_view text, std::string_view origin);

struct Selection {
  std::vector<std::string> files;  // config.json first; all without "/"
  std::string index;               // the shard index among them; "" when the weights are one file
};

/// Configuration, tokenizer and weights. kUnsupported, with what is there instead, when the weights
/// are in no safetensors file or a part is missing. `model` is named in messages.
Result<Selection> ChooseFiles(const Repository& repository, const std::string& model);

/// The shards of an index, each in the repository.
Result<std::vector<std::string>> ChooseShards(const Repository& repository,
                                              std::string_view index_text, std::string_view origin);

}  // namespace podium::hub

#endif  // PODIUM_HUB_REPOSITORY_H_
