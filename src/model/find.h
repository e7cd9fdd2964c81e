// Where a model is on this machine. The environment is an argument here; model.h has the forms that
// read this process's own.
#ifndef PODIUM_MODEL_FIND_H_
#define PODIUM_MODEL_FIND_H_

#include <string>

#include "base/environment.h"
#include "base/status.h"

namespace podium {

/// An existing folder as it is; else a hub name, `org/name` or `org/name@revision`, in
///   Hugging Face's cache  hub_cache.h says where;
///   ModelScope's          $MODELSCOPE_CACHE or ~/.cache/modelscope (no revision).
/// kNotFound says where it was looked for and how to download it.
Result<std::string> FindModelFolder(const std::string& name_or_folder,
                                    const Environment& environment);

/// As in model.h.
Result<std::string> DefaultModelFolder(const std::string& executable_path,
                                       const Environment& environment);

}  // namespace podium

#endif  // PODIUM_MODEL_FIND_H_
