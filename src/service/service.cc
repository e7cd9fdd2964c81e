#include "service/service.h"

#include <algorithm>
#include <new>
#include <optional>
#include <utility>

#include "base/concat.h"
#include "ranker/results.h"

namespace podium {
namespace {

using Clock = std::chrono::steady_clock;

// Text that is tokenized before the next request has its turn: about a millisecond's worth.
constexpr size_t kSliceBytes = 32 << 10;
// Tokens per byte before any text was seen; real ratios lie between 0.15 (English) and 0.4.
constexpr double kFirstRatio = 0.3;
constexpr double kRatioWeight = 0.05;

uint64_t Mix(uint64_t x) {  // splitmix64
  x += 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

template <typename Model>
std::vector<std::unique_ptr<Model>> MakeModels(std::vector<std::unique_ptr<Ranker>> rankers) {
  std::vector<std::unique_ptr<Model>> models;
  for (std::unique_ptr<Ranker>& ranker : rankers) {
    models.push_back(std::make_unique<Model>(std::move(ranker)));
  }
  return models;
}

template <typename Models>
std::vector<BatchBudget> Budgets(const Models& models, int requests_max) {
  std::vector<BatchBudget> budgets;
  for (const auto& model : models) {
    budgets.push_back(model->ranker->budget());
    budgets.back().requests_max = requests_max;
  }
  return budgets;
}

}  // namespace

std::vector<RankedDocument> Answer::Ranking(int top_n) const { return BestFirst(scores, top_n); }

class Service::Flight {
 public:
  Flight(Service& owner, ServiceRequest asked, Completion<Answer> completion, double estimate)
      : service(owner),
        request(std::move(asked)),
        done(std::move(completion)),
        encoder(owner.ranker(request.model).NewEncoder(request.encode)),
        scores(request.pairs.size()),
        cost(estimate) {}

  Service& service;
  const ServiceRequest request;
  Completion<Answer> done;
  RequestEncoder encoder;
  EncodedPairs pairs;
  std::vector<Score> scores;
  size_t next = 0;   // pair to be encoded
  double cost;       // held at the admission
  double share = 1;  // of the engine's time, beside other requests
  // Counted among what is not in the queue yet; under the service's lock.
  bool encoding = false;
  double encoding_seconds = 0;
  StageTimes times;

  std::atomic<bool> cancelled{false};
  std::atomic<bool> ended{false};
  std::atomic<uint64_t> number{0};  // in the queue; 0 before
};

int ChooseTextThreads(int asked) { return asked > 0 ? asked : std::max(1, UsableCores() / 4); }

Service::Model::Model(std::unique_ptr<Ranker> which)
    : ranker(std::move(which)), tokens_per_byte(kFirstRatio) {}

Service::Service(std::vector<std::unique_ptr<Ranker>> rankers, const ServiceOptions& options,
                 std::function<void(const BatchReport&)> report_batch)
    : models_(MakeModels<Model>(std::move(rankers))),
      report_batch_(std::move(report_batch)),
      token_cache_(options.token_cache),
      text_thread_count_(ChooseTextThreads(options.text_threads)),
      admission_(options.admission),
      queue_(Budgets(models_, options.batch_requests_max),
             std::chrono::microseconds(options.batch_wait_us_max)) {
  worker_ = std::make_unique<Worker>(
      queue_,
      [this](int model, const Batch& batch, std::span<float> logits, const Interrupt& interrupt) {
        return ScoreBatch(model, batch, logits, interrupt);
      },
      [this](const BatchReport& report) { report_batch_(report); });
  text_threads_ = std::make_unique<TextThreads>(text_thread_count_);
}

Status Service::ScoreBatch(int model, const Batch& batch, std::span<float> logits,
                           const Interrupt& interrupt) {
  Status status = ranker(model).ScoreBatch(batch, logits, interrupt);
  const bool interrupted =
      status.code() == StatusCode::kCancelled || status.code() == StatusCode::kDeadlineExceeded;
  if (!interrupted) Of(model).engine_works.store(status.ok(), std::memory_order_relaxed);
  return status;
}

bool Service::engines_work() const {
  return std::all_of(models_.begin(), models_.end(), [](const auto& model) {
    return model->engine_works.load(std::memory_order_relaxed);
  });
}

Service::~Service() {
  StopAdmitting();
  text_threads_->Stop();  // what it still encodes goes to the queue
  worker_.reset();
}

void Service::SetSeveralKeys(bool several) {
  MutexLock lock(mutex_);
  admission_.set_several_keys(several);
}

void Service::StopAdmitting() {
  MutexLock lock(mutex_);
  admission_.Stop();
}

double Service::EstimateCost(const ServiceRequest& request) const {
  const double ratio = Of(request.model).tokens_per_byte.load(std::memory_order_relaxed);
  const Ranker& ranker = *Of(request.model).ranker;
  const auto longest = static_cast<double>(ranker.length_max());
  double cost = 0;
  for (const Pair& pair : request.pairs) {
    const auto bytes = static_cast<double>(pair.query.size() + pair.document.size());
    const double length = 4 + ratio * bytes;
    cost += ranker.budget().Cost(static_cast<int>(std::min(length, longest)));
  }
  return cost;
}

Answer Service::Refuse(Refusal refusal, const TimeEstimate& estimate) {
  double seconds = queue_.SecondsInside();
  {
    MutexLock lock(mutex_);
    seconds += encoding_seconds_;
  }
  Answer answer(ResourceExhausted(RefusalMessage(refusal, estimate)));
  answer.refusal = refusal;
  answer.retry_after = RetryAfter(seconds, Mix(refusals_.fetch_add(1, std::memory_order_relaxed)));
  return answer;
}

std::shared_ptr<Service::Flight> Service::Submit(ServiceRequest request, Completion<Answer> done) {
  if (request.pairs.empty()) {
    done(Answer(InvalidArgument("documents: got none, expected at least one")));
    return nullptr;
  }
  // Its memory is had before anything counts on it: what is admitted ends through End().
  const double cost = EstimateCost(request);
  auto flight = std::make_shared<Flight>(*this, std::move(request), std::move(done), cost);
  const int model = flight->request.model;
  const double speed = queue_.speed(model);
  const double own = speed > 0 ? cost / speed : 0;
  TimeEstimate estimate{.own = TimeEstimate::Seconds(own)};
  double ahead = 0;
  double share = 1;
  {
    MutexLock lock(mutex_);
    share = admission_.ShareOfNext(flight->request.key);
    // Sharing does no more for another request, before this one ends, than this one takes with the
    // share it has.
    ahead = std::min(encoding_seconds_, encoding_count_ * own / share);
  }
  estimate.wait = TimeEstimate::Seconds(queue_.EstimatedSeconds(model, cost, share, ahead));
  Refusal refusal = Refusal::kNone;
  {
    MutexLock lock(mutex_);
    estimate.left = flight->request.deadline - Clock::now();
    refusal = admission_.Enter(flight->request.key, cost, estimate.wait, estimate.left);
    if (refusal == Refusal::kNone) {
      flight->share = admission_.ShareOfNext(flight->request.key);  // others may have come since
      flight->encoding = true;
      flight->encoding_seconds = own;
      encoding_seconds_ += own;
      ++encoding_count_;
    }
  }
  if (refusal != Refusal::kNone) {
    flight->done(Refuse(refusal, estimate));
    return nullptr;
  }
  try {
    text_threads_->Add([this, flight] { return EncodeSlice(flight); });
  } catch (const std::bad_alloc&) {
    End(*flight, JobsResult(ResourceExhausted("out of memory")));
  }
  return flight;
}

bool Service::EncodeSlice(const std::shared_ptr<Flight>& shared) {
  Flight& flight = *shared;
  const Clock::time_point start = Clock::now();
  const Interrupt interrupt{.deadline = flight.request.deadline, .cancel = &flight.cancelled};
  Status status;
  size_t bytes = 0;
  try {
    while (status.ok() && flight.next < flight.request.pairs.size() && bytes < kSliceBytes) {
      status = interrupt.Check();
      if (!status.ok()) break;
      const Pair& pair = flight.request.pairs[flight.next];
      status = flight.encoder.Add(static_cast<uint32_t>(flight.next), pair, flight.pairs,
                                  flight.scores[flight.next]);
      bytes += pair.document.size() + 64;
      ++flight.next;
    }
    flight.times.tokenize += Clock::now() - start;
    if (status.ok() && flight.next < flight.request.pairs.size()) return true;
    if (status.ok()) EnterQueue(shared);
  } catch (const std::bad_alloc&) {
    status = ResourceExhausted("out of memory");
  }
  if (!status.ok()) End(flight, JobsResult(std::move(status)));
  return false;
}

void Service::EnterQueue(const std::shared_ptr<Flight>& flight) {
  const int model = flight->request.model;
  const double actual = ranker(model).budget().Cost(flight->pairs.lengths);
  size_t bytes = 1;
  for (const Pair& pair : flight->request.pairs) bytes += pair.query.size() + pair.document.size();
  const double ratio = static_cast<double>(flight->pairs.ids.size()) / static_cast<double>(bytes);
  std::atomic<double>& mean = Of(model).tokens_per_byte;
  const double before = mean.load(std::memory_order_relaxed);
  mean.store(before + kRatioWeight * (std::min(ratio, 1.0) - before), std::memory_order_relaxed);
  {
    MutexLock lock(mutex_);
    admission_.Correct(flight->request.key, flight->cost, actual);
    flight->cost = actual;
    LeaveEncoding(*flight);
  }
  auto jobs = std::make_unique<Jobs>();
  jobs->ids = std::move(flight->pairs.ids);
  jobs->types = std::move(flight->pairs.types);
  jobs->lengths = flight->pairs.lengths;
  jobs->deadline = flight->request.deadline;
  jobs->model = model;
  jobs->share = flight->share;
  const uint64_t number =
      queue_.Add(std::move(jobs), Completion<JobsResult>([flight](JobsResult result) {
                   flight->service.End(*flight, std::move(result));
                 }));
  flight->number.store(number);
  // Whoever cancelled before that store saw no number.
  if (flight->cancelled.load()) queue_.Cancel(number);
}

void Service::LeaveEncoding(Flight& flight) {
  if (!flight.encoding) return;
  encoding_seconds_ = --encoding_count_ == 0 ? 0 : encoding_seconds_ - flight.encoding_seconds;
  flight.encoding = false;
}

void Service::End(Flight& flight, JobsResult result) {
  // Once, also where the queue could not be entered and both it and its caller say so.
  if (flight.ended.exchange(true)) return;
  {
    MutexLock lock(mutex_);
    LeaveEncoding(flight);
    admission_.Leave(flight.request.key, flight.cost);
  }
  try {
    flight.done(MakeAnswer(flight, std::move(result)));
  } catch (const std::bad_alloc&) {
    // Whoever waits is told without a message, or finds that what it held for the answer is gone.
    flight.done = Completion<Answer>();
  }
}

Answer Service::MakeAnswer(Flight& flight, JobsResult result) {
  Answer answer(std::move(result.status));
  answer.times = flight.times;
  if (result.jobs != nullptr && result.jobs->batches > 0) {
    answer.times.queue = result.jobs->started - result.jobs->queued;
    answer.times.compute = result.jobs->compute;
  }
  if (answer.status.ok()) {
    answer.status = FillSlots(flight.pairs, result.jobs->logits, "document", flight.scores);
  }
  if (answer.status.ok()) {
    answer.duplicates = static_cast<int>(flight.pairs.copies.size());
    for (const Score& score : flight.scores) {
      answer.tokens += static_cast<uint64_t>(score.tokens);
      answer.truncated += score.truncated ? 1 : 0;
    }
    answer.scores = std::move(flight.scores);
  }
  return answer;
}

void Service::Tokenize(int model, std::shared_ptr<const void> keep,
                       std::vector<std::string_view> texts, bool special_tokens,
                       Completion<Result<Tokens>> done) {
  auto shared = std::make_shared<Completion<Result<Tokens>>>(std::move(done));
  text_threads_->Add(
      [this, model, keep = std::move(keep), texts = std::move(texts), special_tokens, shared] {
        const Tokenizer& tokenizer = ranker(model).tokenizer();
        Tokens tokens;
        size_t count = 0;
        for (const std::string_view text : texts) {
          const Encoded encoded = tokenizer.Encode(text, kTokenizedMax);
          std::vector<TokenizedPiece>& pieces = tokens.emplace_back();
          const auto add = [&](int32_t id, bool special) {
            pieces.push_back({id, tokenizer.Piece(id), special});
          };
          for (const TemplatePiece& piece : tokenizer.single_template()) {
            if (piece.kind != TemplatePiece::Kind::kId) {
              for (const int32_t id : encoded.ids) add(id, false);
            } else if (special_tokens) {
              add(piece.id, true);
            }
          }
          count += pieces.size();
          if (!encoded.complete || count > kTokenizedMax) {
            (*shared)(ResourceExhausted(Concat("inputs: more than ", kTokenizedMax,
                                               " tokens, which is the most of a request")));
            return false;
          }
        }
        (*shared)(std::move(tokens));
        return false;
      });
}

void Service::RunBeside(std::function<void()> work) {
  text_threads_->Add([work = std::move(work)] {
    work();
    return false;
  });
}

void Service::Cancel(Flight& flight) {
  flight.cancelled.store(true);
  if (const uint64_t number = flight.number.load(); number != 0) {
    flight.service.queue_.Cancel(number);
  }
}

Service::Load Service::load() {
  Load load;
  for (int model = 0; model < models(); ++model) {
    load.models.push_back({queue_.pairs(model), queue_.speed(model)});
  }
  if (token_cache_ != nullptr) load.token_cache = token_cache_->figures();
  MutexLock lock(mutex_);
  load.requests = admission_.requests();
  load.cost = admission_.cost();
  return load;
}

}  // namespace podium
