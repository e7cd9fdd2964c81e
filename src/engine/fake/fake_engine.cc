#include "engine/fake/fake_engine.h"

#include <algorithm>
#include <limits>
#include <thread>
#include <utility>

#include "base/concat.h"

namespace podium {
namespace {

class FakeLane : public Lane {
 public:
  FakeLane(const FakeEngineOptions& options, const LaneLimits& limits,
           std::shared_ptr<FakeEngineCounts> counts)
      : options_(options), limits_(limits), counts_(std::move(counts)) {
    if (limits_.length_max <= 0) limits_.length_max = options_.info.length_max;
    limits_.batch_tokens_max = std::max(limits_.batch_tokens_max, limits_.length_max);
  }

  Status Score(const Batch& batch, std::span<float> logits, const Interrupt& interrupt) override {
    if (counts_->inside.fetch_add(1) != 0) counts_->overlapped = true;
    const Status status = ScoreAlone(batch, logits, interrupt);
    counts_->inside.fetch_sub(1);
    return status;
  }
  const LaneLimits& limits() const override { return limits_; }
  size_t arena_bytes() const override { return 0; }

 private:
  Status ScoreAlone(const Batch& batch, std::span<float> logits, const Interrupt& interrupt) {
    const int call = counts_->calls.fetch_add(1) + 1;
    PODIUM_RETURN_IF_ERROR(Check(batch, logits));
    PODIUM_RETURN_IF_ERROR(interrupt.Check());
    using Clock = std::chrono::steady_clock;
    for (const auto end = Clock::now() + options_.delay; Clock::now() < end;) {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      PODIUM_RETURN_IF_ERROR(interrupt.Check());
    }
    if (call == options_.fail_call) return Internal(Concat("fake engine: call ", call, " fails"));
    for (int i = 0; i < batch.size(); ++i) {
      const auto start = static_cast<size_t>(batch.starts[i]);
      const auto length = static_cast<size_t>(batch.starts[i + 1]) - start;
      const auto ids = batch.ids.subspan(start, length);
      const auto types = batch.types.empty() ? batch.types : batch.types.subspan(start, length);
      const bool is_nan = std::find(ids.begin(), ids.end(), options_.nan_id) != ids.end();
      logits[i] = is_nan ? std::numeric_limits<float>::quiet_NaN() : FakeEngine::Logit(ids, types);
    }
    counts_->sequences += batch.size();
    counts_->tokens += batch.tokens();
    return OkStatus();
  }

  Status Check(const Batch& batch, std::span<float> logits) const {
    if (batch.size() == 0) return InvalidArgument("fake engine: the batch is empty");
    if (logits.size() != static_cast<size_t>(batch.size())) {
      return InvalidArgument(Concat("fake engine: room for ", logits.size(), " logits, batch has ",
                                    batch.size(), " sequences"));
    }
    if (batch.tokens() > limits_.batch_tokens_max || batch.size() > limits_.sequences_max) {
      return InvalidArgument(Concat("fake engine: batch of ", batch.size(), " sequences and ",
                                    batch.tokens(), " tokens; at most ", limits_.sequences_max,
                                    " and ", limits_.batch_tokens_max));
    }
    if (!batch.types.empty() && batch.types.size() != batch.ids.size()) {
      return InvalidArgument("fake engine: as many segment ids as ids are needed");
    }
    if (batch.starts.front() != 0 || batch.starts.back() != batch.tokens()) {
      return InvalidArgument("fake engine: starts must run from 0 to the number of ids");
    }
    for (int i = 0; i < batch.size(); ++i) {
      const int length = batch.starts[i + 1] - batch.starts[i];
      if (length < 1 || length > limits_.length_max) {
        return InvalidArgument(Concat("fake engine: sequence ", i, " has ", length,
                                      " tokens; 1 to ", limits_.length_max, " allowed"));
      }
    }
    for (const int32_t id : batch.ids) {
      if (id < 0 || id >= options_.info.vocabulary) {
        return InvalidArgument(Concat("fake engine: id ", id, " is outside the vocabulary of ",
                                      options_.info.vocabulary));
      }
    }
    for (const uint8_t type : batch.types) {
      if (type >= std::max(1, options_.info.token_types)) {
        return InvalidArgument(
            Concat("fake engine: segment id ", int{type}, " of ", options_.info.token_types));
      }
    }
    return OkStatus();
  }

  const FakeEngineOptions options_;
  LaneLimits limits_;
  std::shared_ptr<FakeEngineCounts> counts_;
};

}  // namespace

FakeEngine::FakeEngine(const FakeEngineOptions& options)
    : options_(options), counts_(std::make_shared<FakeEngineCounts>()) {}

Result<std::unique_ptr<Lane>> FakeEngine::NewLane(Team&, const LaneLimits& limits) const {
  if (!options_.lanes) return ResourceExhausted("fake engine: no memory for a lane");
  return std::unique_ptr<Lane>(std::make_unique<FakeLane>(options_, limits, counts_));
}

float FakeEngine::Logit(std::span<const int32_t> ids, std::span<const uint8_t> types) {
  uint64_t hash = 1469598103934665603u;  // FNV-1a, one step per id
  for (size_t i = 0; i < ids.size(); ++i) {
    const uint64_t type = types.empty() ? 0 : types[i];
    hash = (hash ^ (static_cast<uint64_t>(ids[i]) * 2 + type)) * 1099511628211u;
  }
  return static_cast<float>(hash >> 40) * (20.0f / (1 << 24)) - 10.0f;
}

}  // namespace podium
