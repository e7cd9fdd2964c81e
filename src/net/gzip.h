// Bodies that come compressed.
#ifndef PODIUM_NET_GZIP_H_
#define PODIUM_NET_GZIP_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace podium {

/// kCorrupt for what is no gzip, kResourceExhausted as soon as more than `bytes_max` would come
/// out.
Result<std::string> InflateGzip(std::string_view data, int64_t bytes_max);

}  // namespace podium

#endif  // PODIUM_NET_GZIP_H_
