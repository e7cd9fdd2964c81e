// Hugging Face's cache on disk: where it is, and how names, revisions and commits become folders in
// it. Whoever reads it (find.h) and whoever fills it (hub/) share these.
//
//   CACHE/models--ORG--NAME/refs/REVISION            the commit of a branch or tag
//                           /snapshots/COMMIT/FILE   a link to
//                           /blobs/DIGEST            the bytes
#ifndef PODIUM_MODEL_HUB_CACHE_H_
#define PODIUM_MODEL_HUB_CACHE_H_

#include <optional>
#include <string>
#include <string_view>

#include "base/environment.h"

namespace podium {

struct HubName {
  std::string name;      // "org/name" or "name"
  std::string revision;  // a branch, tag or commit; "" for the default
};

/// `org/name` or `org/name@revision`; nullopt for anything that could lead out of the cache.
std::optional<HubName> ParseHubName(std::string_view text);

/// $HF_HUB_CACHE, $HUGGINGFACE_HUB_CACHE, HuggingFaceHome()/hub: the first variable that is set
/// decides.
std::string HuggingFaceCache(const Environment& environment);
/// $HF_HOME, $XDG_CACHE_HOME/huggingface or ~/.cache/huggingface. A leading "~" is the home folder.
std::string HuggingFaceHome(const Environment& environment);

/// The folder of a repository in the cache.
std::string HubRepositoryFolder(const std::string& cache, const HubName& hub);
/// refs/REVISION of a repository's folder.
std::string HubRefFile(const std::string& repository, const HubName& hub);
/// snapshots/COMMIT of a repository's folder: the commit that refs/ has for the revision, else the
/// revision as it is.
std::string HubSnapshotFolder(const std::string& repository, const HubName& hub);

/// 40 lower-case hexadecimal digits.
bool IsCommit(std::string_view text);

}  // namespace podium

#endif  // PODIUM_MODEL_HUB_CACHE_H_
