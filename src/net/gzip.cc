#include "net/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <limits>

#include "base/concat.h"

namespace podium {

Result<std::string> InflateGzip(std::string_view data, int64_t bytes_max) {
  constexpr int kGzipOnly = 16 + MAX_WBITS;
  constexpr size_t kStep = 256 << 10;
  if (data.size() > std::numeric_limits<uInt>::max()) return Corrupt("gzip: too large");
  z_stream stream = {};
  if (inflateInit2(&stream, kGzipOnly) != Z_OK) return ResourceExhausted("gzip: out of memory");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
  stream.avail_in = static_cast<uInt>(data.size());
  std::string out;
  int code = Z_OK;
  while (code == Z_OK) {
    const size_t size = out.size();
    out.resize(size + kStep);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + size);
    stream.avail_out = static_cast<uInt>(kStep);
    code = inflate(&stream, Z_NO_FLUSH);
    out.resize(size + kStep - stream.avail_out);
    if (out.size() > static_cast<size_t>(bytes_max)) break;
    if (code == Z_OK && stream.avail_in == 0 && stream.avail_out > 0) break;  // cut short
  }
  inflateEnd(&stream);
  if (out.size() > static_cast<size_t>(bytes_max)) {
    return ResourceExhausted(
        Concat("request body: more than ", bytes_max, " bytes when it is inflated"));
  }
  if (code != Z_STREAM_END || stream.avail_in != 0) {
    return Corrupt("request body: Content-Encoding is gzip, and it is no whole gzip file");
  }
  return out;
}

}  // namespace podium
