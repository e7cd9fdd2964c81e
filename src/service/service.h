// What a server decides about a request: whether it is let in, until when, and what it is told.
//
// service/ may include ranker/ (and what that includes: text/, batch/, engine/, model/), observe/
// and base/. The policies (admission.h) are pure classes that are given the time; Service holds the
// lock, the threads that tokenize (text_threads.h) and the lane's worker (batch/worker.h).
#ifndef PODIUM_SERVICE_SERVICE_H_
#define PODIUM_SERVICE_SERVICE_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/completion.h"
#include "base/mutex.h"
#include "batch/jobs.h"
#include "batch/queue.h"
#include "batch/worker.h"
#include "ranker/loader.h"
#include "ranker/request_encoder.h"
#include "service/admission.h"
#include "service/text_threads.h"

namespace podium {

struct ServiceOptions {
  AdmissionOptions admission = {};
  /// Of all models together, where their rankers have it; asked for the metrics only.
  std::shared_ptr<TokenCache> token_cache = nullptr;
  /// Requests that share a batch, at most; 0 for any number. 1 shows what sharing brings.
  int batch_requests_max = 0;
  /// For how long the free lane waits for a fuller batch while there is load; 0: never. No gain
  /// was found (docs/measuring.md).
  int batch_wait_us_max = 0;
  /// Threads that tokenize, as ChooseTextThreads has it.
  int text_threads = 0;
};

/// `asked`, or for 0 one for every four cores, at least one.
int ChooseTextThreads(int asked);

/// Pairs to score, of one query or of several. The texts are views into what `texts` keeps.
struct ServiceRequest {
  int model = 0;
  std::shared_ptr<const void> texts;
  std::vector<Pair> pairs;
  EncodeOptions encode;
  std::chrono::steady_clock::time_point received;
  std::chrono::steady_clock::time_point deadline;
  std::string key;  // whose share of the queue it takes
};

/// Ids that one call of Tokenize may give.
constexpr size_t kTokenizedMax = 100'000;

struct TokenizedPiece {
  int32_t id = 0;
  std::string_view text;  // the vocabulary's, which lives as long as the service
  bool special = false;
};

/// Where the time went.
struct StageTimes {
  using Duration = std::chrono::steady_clock::duration;
  Duration tokenize{0};  // work, not waiting for a thread
  Duration queue{0};     // from encoded to its first batch
  Duration compute{0};   // of the batches that it was in
};

/// How a request ended.
struct Answer {
  explicit Answer(Status failure) : status(std::move(failure)) {}
  Status status;
  Refusal refusal = Refusal::kNone;          // why it was not let in
  std::chrono::milliseconds retry_after{0};  // with a refusal
  std::vector<Score> scores;                 // of each pair, in the request's order
  uint64_t tokens = 0;                       // of all pairs, special tokens included
  int truncated = 0;                         // pairs
  int duplicates = 0;                        // pairs that were not computed again
  StageTimes times;

  /// The best `top_n` (negative: all) of the scores, best first; on a thread that may take its
  /// time.
  std::vector<RankedDocument> Ranking(int top_n) const;
};

class Service {
 public:
  /// A request on its way. Cancel() may be called by any thread, at any time.
  class Flight;

  /// Models are counted from 0 in the order of `rankers`, of which there is at least one. They may
  /// share a team: one lane, which is one thread, scores all of their batches.
  Service(std::vector<std::unique_ptr<Ranker>> rankers, const ServiceOptions& options,
          std::function<void(const BatchReport&)> report_batch);
  /// Ends what is inside first.
  ~Service();
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  /// Never blocks. `done` fires once, on any thread, perhaps before this returns; it only posts.
  /// The flight is to cancel by; dropping it changes nothing.
  std::shared_ptr<Flight> Submit(ServiceRequest request, Completion<Answer> done) EXCLUDES(mutex_);
  static void Cancel(Flight& flight);

  /// Texts → ids of each, on a thread that tokenizes. kResourceExhausted for more than
  /// kTokenizedMax of them.
  using Tokens = std::vector<std::vector<TokenizedPiece>>;
  void Tokenize(int model, std::shared_ptr<const void> keep, std::vector<std::string_view> texts,
                bool special_tokens, Completion<Result<Tokens>> done);

  /// Runs what would hold up an I/O thread (a large body to decode, a large reply to encode) where
  /// texts are tokenized. Without memory, or once the service ends, it is dropped.
  void RunBeside(std::function<void()> work);

  /// Whether API keys share queue and engine among them (admission.h).
  void SetSeveralKeys(bool several) EXCLUDES(mutex_);
  /// From now on requests are refused (kStopping).
  void StopAdmitting() EXCLUDES(mutex_);
  /// Scores pairs of a few lengths with each model, so that memory is touched and the speed is
  /// known.
  Status WarmUp();

  struct Load {
    int requests = 0;  // inside
    double cost = 0;   // of them
    struct Model {
      size_t pairs = 0;  // waiting for the lane
      double speed = 0;  // cost per second
    };
    std::vector<Model> models;
    TokenCache::Figures token_cache;
  };
  Load load() EXCLUDES(mutex_);
  int text_threads() const { return text_thread_count_; }
  int models() const { return static_cast<int>(models_.size()); }
  const Ranker& ranker(int model) const { return *Of(model).ranker; }
  /// Each model's last batch was scored.
  bool engines_work() const;

 private:
  struct Model {
    explicit Model(std::unique_ptr<Ranker> which);
    const std::unique_ptr<Ranker> ranker;
    std::atomic<double> tokens_per_byte;
    std::atomic<bool> engine_works{true};
  };

  Model& Of(int model) const { return *models_[static_cast<size_t>(model)]; }
  double EstimateCost(const ServiceRequest& request) const;
  Status ScoreBatch(int model, const Batch& batch, std::span<float> logits,
                    const Interrupt& interrupt);
  Status WarmUp(int model);
  bool EncodeSlice(const std::shared_ptr<Flight>& flight);
  void EnterQueue(const std::shared_ptr<Flight>& flight);
  void End(Flight& flight, JobsResult result);
  static Answer MakeAnswer(Flight& flight, JobsResult result);
  void LeaveEncoding(Flight& flight) REQUIRES(mutex_);
  Answer Refuse(Refusal refusal, const TimeEstimate& estimate) EXCLUDES(mutex_);

  const std::vector<std::unique_ptr<Model>> models_;
  const std::function<void(const BatchReport&)> report_batch_;
  const std::shared_ptr<TokenCache> token_cache_;
  const int text_thread_count_;
  Mutex mutex_;
  Admission admission_ GUARDED_BY(mutex_);
  // Of what was admitted and is not in the queue yet.
  double encoding_seconds_ GUARDED_BY(mutex_) = 0;
  int encoding_count_ GUARDED_BY(mutex_) = 0;
  std::atomic<uint64_t> refusals_{0};
  JobQueue queue_;
  // Threads last: they end first.
  std::unique_ptr<Worker> worker_;
  std::unique_ptr<TextThreads> text_threads_;
};

}  // namespace podium

#endif  // PODIUM_SERVICE_SERVICE_H_
