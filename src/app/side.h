// One side of a comparison as it is written on the command line.
#ifndef PODIUM_APP_SIDE_H_
#define PODIUM_APP_SIDE_H_

#include <string>
#include <string_view>

#include "base/status.h"
#include "podium/types.h"

namespace podium {

/// "MODEL", "MODEL,KEY=VALUE,…" or "KEY=VALUE,…" (the default model): the keys are precision, isa,
/// threads, max-length and truncation, each once. A comma belongs to the model's name unless a KEY=
/// follows. kInvalidArgument names what was found and what is allowed; whether the model has the
/// precision and the machine the table is found out when it is opened.
Result<OpenOptions> ParseSide(std::string_view text);

}  // namespace podium

#endif  // PODIUM_APP_SIDE_H_
