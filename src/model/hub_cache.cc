#include "model/hub_cache.h"

#include <algorithm>

#include "base/concat.h"
#include "base/file.h"

namespace podium {
namespace {

constexpr size_t kRefBytesMax = 4096;

// Parts of hub names and revisions become paths: no way out of the cache.
bool IsPlainPart(std::string_view part) {
  return !part.empty() && part.front() != '.' && part.find("..") == std::string_view::npos &&
         std::all_of(part.begin(), part.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '-' || c == '_' || c == '.';
         });
}

bool ArePlainParts(std::string_view path, size_t parts_max) {
  size_t parts = 0;
  while (true) {
    const size_t slash = path.find('/');
    if (!IsPlainPart(path.substr(0, slash)) || ++parts > parts_max) return false;
    if (slash == std::string_view::npos) return true;
    path.remove_prefix(slash + 1);
  }
}

std::string WithHome(const std::string& path, const Environment& environment) {
  if (path.empty() || path[0] != '~' || (path.size() > 1 && path[1] != '/')) return path;
  const auto home = Variable(environment, "HOME");
  return home ? *home + path.substr(1) : path;  // as Python leaves it: nobody's home
}

std::string RevisionOf(const HubName& hub) { return hub.revision.empty() ? "main" : hub.revision; }

}  // namespace

std::optional<HubName> ParseHubName(std::string_view text) {
  const size_t at = text.find('@');
  HubName hub{std::string(text.substr(0, at)),
              at == std::string_view::npos ? "" : std::string(text.substr(at + 1))};
  if (!ArePlainParts(hub.name, 2)) return std::nullopt;
  if (at != std::string_view::npos && !ArePlainParts(hub.revision, 8)) return std::nullopt;
  return hub;
}

std::string HuggingFaceCache(const Environment& environment) {
  for (const char* name : {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"}) {
    if (const auto cache = Variable(environment, name)) return WithHome(*cache, environment);
  }
  return HuggingFaceHome(environment) + "/hub";
}

std::string HuggingFaceHome(const Environment& environment) {
  if (const auto home = Variable(environment, "HF_HOME")) return WithHome(*home, environment);
  const std::string cache = Variable(environment, "XDG_CACHE_HOME").value_or("~/.cache");
  return WithHome(cache, environment) + "/huggingface";
}

std::string HubRepositoryFolder(const std::string& cache, const HubName& hub) {
  std::string folder = Concat(cache, "/models--", hub.name);
  const size_t slash = folder.find('/', cache.size() + 1);
  if (slash != std::string::npos) folder.replace(slash, 1, "--");
  return folder;
}

std::string HubRefFile(const std::string& repository, const HubName& hub) {
  return Concat(repository, "/refs/", RevisionOf(hub));
}

std::string HubSnapshotFolder(const std::string& repository, const HubName& hub) {
  std::string commit = RevisionOf(hub);
  if (auto ref = ReadFile(HubRefFile(repository, hub), kRefBytesMax); ref.ok()) {
    ref->erase(std::min(ref->find_first_of(" \r\n"), ref->size()));
    if (IsPlainPart(*ref)) commit = *ref;
  }
  return Concat(repository, "/snapshots/", commit);
}

bool IsCommit(std::string_view text) {
  return text.size() == 40 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace podium
