#include "model/shard_index.h"

#include "base/concat.h"
#include "json/json.h"

namespace podium {
namespace {

bool IsPlainFileName(std::string_view name) {
  return !name.empty() && name.size() <= 255 && name[0] != '.' &&
         name.find_first_of(std::string_view("/\\\0", 3)) == std::string_view::npos;
}

}  // namespace

Result<std::map<std::string, std::vector<std::string>>> ParseShardIndex(std::string_view text,
                                                                        std::string_view origin) {
  PODIUM_ASSIGN_OR_RETURN(const json::Document document, json::Document::Parse(text, origin));
  const auto map = document.root().Find("weight_map");
  if (!map || !map->is(json::Type::kObject)) {
    return Corrupt(Concat(origin, ": weight_map is missing or no object"));
  }
  std::map<std::string, std::vector<std::string>> names_by_shard;
  Status status;
  map->ForEachMember([&](std::string_view tensor, json::Value value) {
    const auto shard = value.AsString();
    if (!shard || !IsPlainFileName(*shard)) {
      status = Corrupt(Concat(origin, ": tensor ", tensor, ": ",
                              shard ? Concat('"', *shard, '"') : std::string(value.type_name()),
                              " is not the name of a file in this folder"));
      return false;
    }
    names_by_shard[std::string(*shard)].emplace_back(tensor);
    if (names_by_shard.size() > kShardsMax) {
      status = ResourceExhausted(Concat(origin, ": more than ", kShardsMax, " shards"));
      return false;
    }
    return true;
  });
  PODIUM_RETURN_IF_ERROR(status);
  return names_by_shard;
}

}  // namespace podium
