// The most memory that `podium serve` can come to need, from its limits.
#ifndef PODIUM_APP_WORST_CASE_H_
#define PODIUM_APP_WORST_CASE_H_

#include <cstdint>
#include <map>
#include <string>

#include "app/serve_options.h"
#include "base/status.h"

namespace podium {

/// What the process can come to hold in bytes, all limits reached.
struct WorstCase {
  int64_t fixed = 0;   // weights, activations, jobs, connections
  int64_t bodies = 0;  // and what is made of them

  int64_t total() const { return fixed + bodies; }
};

/// What counts beside the options: weights and activations of all models, and the threads that
/// tokenize, each of which may be parsing a body.
struct ServedMemory {
  int64_t model_bytes = 0;
  int text_threads = 1;
};

WorstCase ComputeWorstCase(const ServeOptions& options, const ServedMemory& served);

/// The worst case must fit `limit` bytes; 0: there is none. Where the bounds on bodies were not
/// chosen by the user they give way in `options`: that of all first, then that of one, down to
/// kBodyBytesGivenWayMin. kResourceExhausted says what is needed.
Result<WorstCase> FitMemory(int64_t limit, const ServedMemory& served,
                            const std::map<std::string, std::string>& sources,
                            ServeOptions& options);

constexpr int64_t kBodyBytesGivenWayMin = int64_t{4} << 20;

}  // namespace podium

#endif  // PODIUM_APP_WORST_CASE_H_
