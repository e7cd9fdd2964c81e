// The words of the library: plain structs that a C interface could carry.
#ifndef PODIUM_TYPES_H_
#define PODIUM_TYPES_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "podium/version.h"

namespace podium {

/// How to open a model. Every field has a working default but the model itself. (Each is
/// initialised in words, so that `{.model = "…"}` is no warning of g++ -Wextra.)
struct OpenOptions {
  /// A folder, a packed file of `podium pack`, or a hub name ("BAAI/bge-reranker-v2-m3") that is
  /// looked up in the local caches.
  std::string model = {};
  /// "fp32", the reference; "int8": linear layers in bytes, several times faster, scores close; or
  /// "auto": what a packed file was made for, of a folder fp32.
  std::string precision = "auto";
  /// Kernel table: "" for the best this processor has, or its name ("scalar", "avx2", "avx_vnni",
  /// "avx512", "avx512_vnni", "amx").
  std::string isa = {};
  /// Compute threads; 0 for as many as this process may use (affinity and cgroup quota).
  int threads = 0;
  /// Tokens of a pair, special tokens included, at most; 0 for the model's own limit. More than the
  /// model has is an error.
  int max_length = 0;
  /// Which side of a pair that is too long is cut: "longest_first"; "only_second", the document,
  /// and a query that leaves no room for one is an error of Rank; "flag_embedding", the query at
  /// three quarters of the limit, then the document.
  std::string truncation = "longest_first";
  /// Tokens computed together; a latency and memory knob that never changes a score. 0 for the
  /// default.
  int batch_tokens_max = 0;
  /// Weights are locked in memory (mlock): never swapped, never dropped and read again. Needs the
  /// right to lock as much; opening fails without.
  bool lock_memory = false;
  /// A packed file's weights are used where they are mapped: opens sooner and shares them between
  /// processes, but is slower than a copy in huge pages, the default.
  bool read_in_place = false;
};

/// One request's options.
struct RankOptions {
  /// Best results to return; negative for all. 0 returns none; more than there are returns all.
  int top_n = -1;
  /// Past this the call ends with kDeadlineExceeded, at the latest one layer of one batch later.
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  /// Set to true by any thread to end the call with kCancelled; may be null.
  const std::atomic<bool>* cancel = nullptr;
};

/// How a logit is shown as a score.
enum class ScoreScale : uint8_t {
  kSigmoid,  // sigmoid(logit), in [0, 1]
  kLogit,    // the logit itself
};

struct Pair {
  std::string_view query;
  std::string_view document;
};

/// What the model said of one pair.
struct Score {
  float logit = 0;         // the model's raw output; orders documents
  int tokens = 0;          // ids given to the model, special tokens included
  bool truncated = false;  // whether query or document was cut to fit
};

struct RankedDocument {
  uint32_t index = 0;  // position in the request's documents
  Score score;
};

/// sigmoid(logit) in [0, 1], computed in double. Of a model with two labels this is the softmax's
/// probability of the second one.
PODIUM_EXPORT double Sigmoid(float logit);

}  // namespace podium

#endif  // PODIUM_TYPES_H_
