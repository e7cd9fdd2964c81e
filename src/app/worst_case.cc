#include "app/worst_case.h"

#include <algorithm>

#include "base/byte_size.h"
#include "base/concat.h"
#include "net/routes.h"
#include "net/server.h"

namespace podium {
namespace {

constexpr int64_t kHeld = 3;  // for each byte of a body: itself, the parsed text, the reply
// While it is parsed: itself, the parser's copy, 4 for its place and 8 for its value, which "1,1,…"
// needs for every byte.
constexpr int64_t kParsed = 14;

int64_t OfBodies(const ServeOptions& options, int text_threads) {
  const int64_t inside = options.routes.body_bytes_inside_max;
  const int64_t parsing =
      std::min(inside, text_threads * options.server.limits.body_bytes_max +
                           options.server.io_threads * static_cast<int64_t>(kInlineBytesMax));
  return kHeld * inside + (kParsed - kHeld) * parsing;
}

}  // namespace

WorstCase ComputeWorstCase(const ServeOptions& options, const ServedMemory& served) {
  constexpr int64_t kBytesOfAToken = 8;  // id, segment, and what is remembered of duplicates
  // Buffers of a connection; through TLS those of OpenSSL and Asio beside them.
  const int64_t connection_bytes = options.server.tls != nullptr ? 192 << 10 : 96 << 10;
  WorstCase worst;
  worst.fixed = served.model_bytes + options.token_cache_bytes_max +
                kBytesOfAToken * options.service.admission.cost_max +
                connection_bytes * (options.server.limits.connections_max + kAdminConnectionsMax);
  worst.bodies = OfBodies(options, served.text_threads);
  return worst;
}

Result<WorstCase> FitMemory(int64_t limit, const ServedMemory& served,
                            const std::map<std::string, std::string>& sources,
                            ServeOptions& options) {
  const WorstCase worst = ComputeWorstCase(options, served);
  if (limit == 0 || worst.total() <= limit) return worst;
  const auto chosen = [&](const char* name) { return sources.at(name) != "default"; };
  int64_t& inside = options.routes.body_bytes_inside_max;
  int64_t& one = options.server.limits.body_bytes_max;
  const int64_t all_asked = inside;
  const int64_t one_asked = one;
  if (!chosen("body-bytes-inside-max")) {
    const int64_t left = limit - worst.fixed;
    while (true) {
      const int64_t parsing = OfBodies(options, served.text_threads) - kHeld * inside;
      inside = std::min(all_asked, std::max(one, (left - parsing) / kHeld));
      const WorstCase now = ComputeWorstCase(options, served);
      if (now.total() <= limit) {
        options.routes.inflated_bytes_max = one;
        return now;
      }
      if (chosen("body-bytes-max") || one / 2 < kBodyBytesGivenWayMin) break;
      one /= 2;
    }
    inside = all_asked;
    one = one_asked;
  }
  return ResourceExhausted(
      Concat("memory: at worst ", ByteSize(static_cast<uint64_t>(worst.total())),
             " are needed, the cgroup allows ", ByteSize(static_cast<uint64_t>(limit)),
             "; lower body-bytes-inside-max (and body-bytes-max), token-cache-bytes, cost-max or "
             "connections-max"));
}

}  // namespace podium
