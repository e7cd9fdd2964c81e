// The hub's description of a repository, then a shard index: no bytes crash, and no name that could
// lead out of a folder is ever chosen.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "hub/repository.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace podium::hub;  // NOLINT(google-build-using-namespace)
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t line = text.find('\n');
  const auto repository = ParseRepository(text.substr(0, line), "fuzz");
  if (!repository.ok()) return 0;
  PODIUM_CHECK(repository->commit.size() == 40);
  const auto selection = ChooseFiles(*repository, "org/name");
  if (!selection.ok()) return 0;
  PODIUM_CHECK(selection->files.front() == "config.json");
  for (const auto& file : selection->files) PODIUM_CHECK(file.find('/') == std::string::npos);
  if (line == std::string_view::npos) return 0;
  const auto shards = ChooseShards(*repository, text.substr(line + 1), "fuzz");
  if (!shards.ok()) return 0;
  for (const auto& shard : *shards) {
    PODIUM_CHECK(shard.find('/') == std::string::npos && shard.front() != '.');
    PODIUM_CHECK(shard.ends_with(".safetensors"));
  }
  return 0;
}
