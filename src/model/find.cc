#include "model/find.h"

#include <filesystem>
#include <string_view>
#include <vector>

#include "base/concat.h"
#include "model/hub_cache.h"
#include "model/model.h"
#include "model/packed_file.h"

namespace podium {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBundledModel = "podium-mini-zh-en";

bool IsFolder(const std::string& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

bool HoldsModel(const std::string& folder) {
  std::error_code error;
  return fs::exists(fs::path(folder) / "config.json", error);
}

std::string ReplaceAll(std::string text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::vector<std::string> ModelScopeFolders(const Environment& environment,
                                           const std::string& name) {
  const std::string cache =
      Variable(environment, "MODELSCOPE_CACHE")
          .value_or(Variable(environment, "HOME").value_or("~") + "/.cache/modelscope");
  // Dots of a name are stored as "___". Versions differ in the folders between cache and name.
  const std::string stored = ReplaceAll(name, ".", "___");
  std::vector<std::string> folders;
  for (const std::string_view layout : {"/hub/models/", "/hub/", "/models/", "/"}) {
    folders.push_back(Concat(cache, layout, stored));
  }
  return folders;
}

}  // namespace

Result<std::string> FindModelFolder(const std::string& name_or_folder,
                                    const Environment& environment) {
  if (IsFolder(name_or_folder)) return name_or_folder;
  std::error_code error;
  if (IsPackedFile(name_or_folder)) return name_or_folder;
  if (fs::exists(name_or_folder, error)) {
    return InvalidArgument(Concat(name_or_folder,
                                  ": a file, and none that podium pack made; give the model's "
                                  "folder, which holds config.json"));
  }
  if (fs::is_symlink(name_or_folder, error)) {
    return NotFound(Concat(name_or_folder, ": a link that leads nowhere, or in a circle"));
  }
  const auto hub = ParseHubName(name_or_folder);
  if (!hub) {
    return NotFound(Concat("model \"", name_or_folder,
                           "\": no such folder, and no hub name (org/name or org/name@revision)"));
  }
  std::vector<std::string> folders = {
      HubSnapshotFolder(HubRepositoryFolder(HuggingFaceCache(environment), *hub), *hub)};
  const bool on_modelscope = hub->revision.empty() && hub->name.find('/') != std::string::npos;
  if (on_modelscope) {
    const auto more = ModelScopeFolders(environment, hub->name);
    folders.insert(folders.end(), more.begin(), more.end());
  }
  std::string looked;
  for (const std::string& folder : folders) {
    if (HoldsModel(folder)) return folder;
    looked += Concat("\n  ", folder, IsFolder(folder) ? " (there, but without config.json)" : "");
  }
  std::string message = Concat("model \"", name_or_folder,
                               "\": no folder of that name, and not in the local caches; looked in",
                               looked, "\nDownload it with one of\n  podium pull ", name_or_folder);
  if (on_modelscope) message += Concat("\n  modelscope download --model ", hub->name);
  return NotFound(std::move(message));
}

Result<std::string> DefaultModelFolder(const std::string& executable_path,
                                       const Environment& environment) {
  if (const auto model = Variable(environment, "PODIUM_MODEL")) {
    auto folder = FindModelFolder(*model, environment);
    if (folder.ok()) return folder;
    return Status(folder.status().code(), Concat("PODIUM_MODEL: ", folder.status().message()));
  }
  std::error_code error;
  const fs::path beside = fs::weakly_canonical(executable_path, error).parent_path();
  // An installed program has its own model, also when the prefix lies inside of a source tree.
  const fs::path installed = beside.parent_path() / "share" / "podium" / "models" / kBundledModel;
  if (HoldsModel(installed)) return installed.string();
  for (fs::path above = beside; above.has_relative_path(); above = above.parent_path()) {
    const fs::path folder = above / "models" / kBundledModel;
    if (HoldsModel(folder)) return folder.string();
  }
  return NotFound(Concat("no model asked for, and the bundled ", kBundledModel, " is neither at ",
                         installed.string(), " nor in a models folder above ", beside.string(),
                         "; give one with --model or PODIUM_MODEL"));
}

Result<std::string> FindModelFolder(const std::string& name_or_folder) {
  return FindModelFolder(name_or_folder, ProcessEnvironment);
}

Result<std::string> DefaultModelFolder(const std::string& executable_path) {
  return DefaultModelFolder(executable_path, ProcessEnvironment);
}

}  // namespace podium
