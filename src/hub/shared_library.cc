#include "hub/shared_library.h"

#include <dlfcn.h>

#include "base/concat.h"

namespace podium::hub {

SharedLibrary::SharedLibrary(const char* file, const char* package)
    : handle_(::dlopen(file, RTLD_NOW | RTLD_LOCAL)),
      hint_(Concat("; podium pull needs it (Debian and Ubuntu: ", package, ")")) {
  if (handle_ == nullptr) status_ = Unsupported(Concat("cannot load ", ::dlerror(), hint_));
}

void* SharedLibrary::Find(const char* name) {
  void* found = handle_ == nullptr ? nullptr : ::dlsym(handle_, name);
  if (found == nullptr && status_.ok()) status_ = Unsupported(Concat(::dlerror(), hint_));
  return found;
}

}  // namespace podium::hub
