// Where a model is on this machine. The environment is an argument here; model.h has the forms that
// read this process's own.
#ifndef PODIUM_MODEL_FIND_H_
#define PODIUM_MODEL_FIND_H_

#include <functional>
#include <optional>
#include <string>

#include "base/status.h"

namespace podium {

/// The value of an environment variable; nullopt when it is not set.
using Environment = std::function<std::optional<std::string>(const char* name)>;

/// An existing folder as it is; else a hub name, `org/name` or `org/name@revision`, in
///   Hugging Face's cache  $HF_HUB_CACHE, $HF_HOME/hub, $XDG_CACHE_HOME/huggingface/hub or
///                         ~/.cache/huggingface/hub: the first variable that is set decides;
///   ModelScope's          $MODELSCOPE_CACHE or ~/.cache/modelscope (no revision).
/// kNotFound says where it was looked for and how to download it.
Result<std::string> FindModelFolder(const std::string& name_or_folder,
                                    const Environment& environment);

/// As in model.h.
Result<std::string> DefaultModelFolder(const std::string& executable_path,
                                       const Environment& environment);

}  // namespace podium

#endif  // PODIUM_MODEL_FIND_H_
