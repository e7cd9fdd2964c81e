// A backend for tests: scores are a hash of the ids, faults happen where they are asked for.
//
// Not part of the product: only tests link it. It keeps the contract of engine.h (limits,
// interrupt, one thread at a time) and passes the conformance suite, so that what a test sees of
// the ranker with it holds for a real engine too.
#ifndef PODIUM_ENGINE_FAKE_FAKE_ENGINE_H_
#define PODIUM_ENGINE_FAKE_FAKE_ENGINE_H_

#include <atomic>
#include <chrono>
#include <memory>
#include <span>

#include "engine/engine.h"

namespace podium {

struct FakeEngineOptions {
  EngineInfo info = {.backend = "fake",
                     .precision = "fp32",
                     .isa = "none",
                     .length_max = 64,
                     .vocabulary = 1000,
                     .token_types = 2,
                     .parameters = 1,
                     .weight_bytes = 4,
                     .deterministic = true};
  int fail_call = 0;  // the Score call that fails with kInternal, counted from 1; 0 for none
  int nan_id = -1;    // a sequence that holds this id scores NaN
  bool lanes = true;  // false: NewLane fails, as when memory is short
  std::chrono::microseconds delay{
      0};  // per call, in steps between which the interrupt is looked at
};

/// What the lanes were asked to do.
struct FakeEngineCounts {
  std::atomic<int> calls{0};
  std::atomic<int> sequences{0};
  std::atomic<int> tokens{0};
  std::atomic<int> inside{0};           // calls running now
  std::atomic<bool> overlapped{false};  // two calls ran at once
};

class FakeEngine : public Engine {
 public:
  explicit FakeEngine(const FakeEngineOptions& options = {});
  const EngineInfo& info() const override { return options_.info; }
  Result<std::unique_ptr<Lane>> NewLane(Team& team, const LaneLimits& limits) const override;

  FakeEngineCounts& counts() const { return *counts_; }
  /// The logit of one sequence, in [-10, 10).
  static float Logit(std::span<const int32_t> ids, std::span<const uint8_t> types);

 private:
  FakeEngineOptions options_;
  std::shared_ptr<FakeEngineCounts> counts_;
};

}  // namespace podium

#endif  // PODIUM_ENGINE_FAKE_FAKE_ENGINE_H_
