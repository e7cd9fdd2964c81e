// The seam for backends: a batch of ids → one logit each.
//
// engine/ may include model/, kernels/ and base/. A backend is a folder here and one line in
// factory.cc.
#ifndef PODIUM_ENGINE_ENGINE_H_
#define PODIUM_ENGINE_ENGINE_H_

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "base/status.h"
#include "base/team.h"
#include "engine/batch.h"

namespace podium {

/// What a lane reserves memory for; a batch beyond it is an error.
struct LaneLimits {
  int length_max = 0;           // tokens of one sequence; 0 for the model's own limit
  int batch_tokens_max = 2048;  // raised to length_max when smaller: a pair always fits
  int sequences_max = 512;
};

/// Looked at between layers.
struct Interrupt {
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  const std::atomic<bool>* cancel = nullptr;
  /// kCancelled, kDeadlineExceeded or ok.
  Status Check() const;
};

struct EngineInfo {
  std::string backend;    // "native"
  std::string precision;  // "fp32", "int8"
  std::string isa;        // kernel table, where the backend has one
  int length_max = 0;     // tokens of one sequence
  int vocabulary = 0;
  int token_types = 0;
  /// Work of a token's attention to one other token, in units of the work a token has alone: a
  /// pair's cost is tokens + attention_cost · tokens².
  double attention_cost = 0;
  size_t parameters = 0;
  size_t weight_bytes = 0;
  bool deterministic =
      false;  // a score is bit for bit the same in any batch, order and thread count
};

/// Runs batches one at a time on a team. One thread at a time.
class Lane {
 public:
  virtual ~Lane() = default;
  /// Writes one logit per sequence. Blocks until done. kInvalidArgument for a batch beyond the
  /// limits, an empty sequence, an id or type out of range. Allocates nothing when it succeeds.
  virtual Status Score(const Batch& batch, std::span<float> logits, const Interrupt& interrupt) = 0;
  virtual const LaneLimits& limits() const = 0;
  virtual size_t arena_bytes() const = 0;
};

/// A loaded model's weights: immutable, shared by lanes, usable from any thread. Outlives its
/// lanes.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual const EngineInfo& info() const = 0;
  /// `team` outlives the lane. Memory is reserved here.
  virtual Result<std::unique_ptr<Lane>> NewLane(Team& team, const LaneLimits& limits) const = 0;
};

}  // namespace podium

#endif  // PODIUM_ENGINE_ENGINE_H_
