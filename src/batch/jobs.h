// The jobs of one request: what travels from the ranker to the lane and back.
#ifndef PODIUM_BATCH_JOBS_H_
#define PODIUM_BATCH_JOBS_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/status.h"

namespace podium {

/// Encoded pairs, end to end, and a slot for each logit. Owned by one holder at a time; only the
/// worker touches it while it waits.
struct Jobs {
  using TimePoint = std::chrono::steady_clock::time_point;

  std::vector<int32_t> ids;
  std::vector<uint8_t> types;  // as long as ids
  std::vector<int> lengths;    // of each pair; not empty
  TimePoint deadline = TimePoint::max();
  int model = 0;
  double share = 1;  // WaitingRequest::share

  std::vector<float> logits;  // of each pair, filled in
  TimePoint queued;
  TimePoint started;                               // its first batch
  TimePoint ended;                                 // its last batch
  std::chrono::steady_clock::duration compute{0};  // of the batches that it was in
  int batches = 0;
};

/// The jobs come back also when they failed.
struct JobsResult {
  explicit JobsResult(Status failure) : status(std::move(failure)) {}
  JobsResult(Status outcome, std::unique_ptr<Jobs> what)
      : status(std::move(outcome)), jobs(std::move(what)) {}
  Status status;
  std::unique_ptr<Jobs> jobs;
};

}  // namespace podium

#endif  // PODIUM_BATCH_JOBS_H_
