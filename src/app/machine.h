// What the system's own files say of this machine.
#ifndef PODIUM_APP_MACHINE_H_
#define PODIUM_APP_MACHINE_H_

#include <string>
#include <string_view>

namespace podium {

/// The first line of a file; "" when it is not there.
std::string FirstLine(const char* path);

/// What follows "name :" in a file of such lines; "" when there is none.
std::string Field(const char* path, std::string_view name);

/// The processor's name, printable.
std::string ProcessorName();

}  // namespace podium

#endif  // PODIUM_APP_MACHINE_H_
