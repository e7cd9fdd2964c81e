// A system library that is loaded when it is first needed: libcurl brings some thirty libraries
// with it, and loading those took 6 ms of processor time at every start of a program that mostly
// ranks.
#ifndef PODIUM_HUB_SHARED_LIBRARY_H_
#define PODIUM_HUB_SHARED_LIBRARY_H_

#include <string>

#include "base/status.h"

namespace podium::hub {

/// Never unloaded. Made before threads ask, or as a function's static.
class SharedLibrary {
 public:
  /// By its file's name, as the linker would find it. `package` is what brings it, for the message.
  SharedLibrary(const char* file, const char* package);

  /// Sets a pointer to the function of that name; remembers when there is none.
  template <typename Function>
  void Find(const char* name, Function& function) {
    function = reinterpret_cast<Function>(Find(name));
  }
  /// kUnsupported, with the loader's reason, when the library or a function is not there.
  const Status& status() const { return status_; }

 private:
  void* Find(const char* name);

  void* handle_ = nullptr;
  std::string hint_;
  Status status_;
};

}  // namespace podium::hub

#endif  // PODIUM_HUB_SHARED_LIBRARY_H_
