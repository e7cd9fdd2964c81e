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

int ChooseTextThreads(int asked) { return asked > 0 ? asked : std::max(1, UsableCores() / 4); }

}  // namespace

std::vector<RankedDocument> Answer::Ranking(int top_n) const { return BestFirst(scores, top_n); }

class Service::Flight {
 public:
  Flight(Service& owner, ServiceRequest asked, Completion<Answer> completion, double estimate)
      : service(owner),
        request(std::move(asked)),
        done(std::move(completion)),
        encoder(owner.ranker_->NewEncoder(request.encode)),
        scores(request.pairs.size()),
        cost(estimate) {}

  Service& service;
  const ServiceRequest request;
  Completion<Answer> done;
  RequestEncoder encoder;
  EncodedPairs pairs;
  std::vector<Score> scores;
  size_t next = 0;           // pair to be encoded
  double cost;               // held at the admission
  double encoding_cost = 0;  // counted among what is not in the queue yet; under the service's lock
  StageTimes times;

  std::atomic<bool> cancelled{false};
  std::atomic<bool> ended{false};
  std::atomic<uint64_t> number{0};  // in the queue; 0 before
};

Service::Service(std::unique_ptr<Ranker> ranker, const ServiceOptions& options,
                 std::function<void(const BatchReport&)> report_batch)
    : ranker_(std::move(ranker)),
      report_batch_(std::move(report_batch)),
      text_thread_count_(ChooseTextThreads(options.text_threads)),
      admission_(options.admission),
      tokens_per_byte_(kFirstRatio),
      queue_(ranker_->budget()) {
  worker_ = std::make_unique<Worker>(
      queue_, ranker_->budget(),
      [this](const Batch& batch, std::span<float> logits, const Interrupt& interrupt) {
        Status status = ranker_->ScoreBatch(batch, logits, interrupt);
        const bool interrupted = status.code() == StatusCode::kCancelled ||
                                 status.code() == StatusCode::kDeadlineExceeded;
        if (!interrupted) engine_works_.store(status.ok(), std::memory_order_relaxed);
        return status;
      },
      [this](const BatchReport& report) { report_batch_(report); });
  text_threads_ = std::make_unique<TextThreads>(text_thread_count_);
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
  const double ratio = tokens_per_byte_.load(std::memory_order_relaxed);
  const auto longest = static_cast<double>(ranker_->length_max());
  double cost = 0;
  for (const Pair& pair : request.pairs) {
    const auto bytes = static_cast<double>(pair.query.size() + pair.document.size());
    const double length = 4 + ratio * bytes;
    cost += ranker_->budget().Cost(static_cast<int>(std::min(length, longest)));
  }
  return cost;
}

Answer Service::Refuse(Refusal refusal, std::chrono::duration<double> wait) {
  const double speed = queue_.speed();
  double inside = 0;
  {
    MutexLock lock(mutex_);
    inside = admission_.cost();
  }
  std::string message;
  switch (refusal) {
    case Refusal::kStopping:
      message = "the server is stopping";
      break;
    case Refusal::kKeyShare:
      message = "this key's share of the queue is full, try again later";
      break;
    case Refusal::kDeadline:
      message = Concat("the server is busy: the answer would take about ",
                       static_cast<int64_t>(1000 * wait.count()),
                       " ms, longer than the request's time limit");
      break;
    default:
      message = "the server is busy: its queue is full, try again later";
  }
  Answer answer(ResourceExhausted(std::move(message)));
  answer.refusal = refusal;
  answer.retry_after =
      RetryAfter(inside, speed, Mix(refusals_.fetch_add(1, std::memory_order_relaxed)));
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
  double ahead = 0;
  {
    MutexLock lock(mutex_);
    // Even sharing does no more for another request, before this one ends, than this one costs.
    ahead = std::min(encoding_cost_, encoding_count_ * cost);
  }
  const std::chrono::duration<double> wait(queue_.EstimatedSeconds(cost, ahead));
  Refusal refusal = Refusal::kNone;
  {
    MutexLock lock(mutex_);
    refusal =
        admission_.Enter(flight->request.key, cost, wait, flight->request.deadline - Clock::now());
    if (refusal == Refusal::kNone) {
      flight->encoding_cost = cost;
      encoding_cost_ += cost;
      ++encoding_count_;
    }
  }
  if (refusal != Refusal::kNone) {
    flight->done(Refuse(refusal, wait));
    return nullptr;
  }
  text_threads_->Add([this, flight] { return EncodeSlice(flight); });
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
  const double actual = queue_.Cost(flight->pairs.lengths);
  size_t bytes = 1;
  for (const Pair& pair : flight->request.pairs) bytes += pair.query.size() + pair.document.size();
  const double ratio = static_cast<double>(flight->pairs.ids.size()) / static_cast<double>(bytes);
  const double before = tokens_per_byte_.load(std::memory_order_relaxed);
  tokens_per_byte_.store(before + kRatioWeight * (std::min(ratio, 1.0) - before),
                         std::memory_order_relaxed);
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
  const uint64_t number =
      queue_.Add(std::move(jobs), Completion<JobsResult>([flight](JobsResult result) {
                   flight->service.End(*flight, std::move(result));
                 }));
  flight->number.store(number);
  // Whoever cancelled before that store saw no number.
  if (flight->cancelled.load()) queue_.Cancel(number);
}

void Service::LeaveEncoding(Flight& flight) {
  if (flight.encoding_cost == 0) return;
  encoding_cost_ = --encoding_count_ == 0 ? 0 : encoding_cost_ - flight.encoding_cost;
  flight.encoding_cost = 0;
}

void Service::End(Flight& flight, JobsResult result) {
  // Once, also where the queue could not be entered and both it and its caller say so.
  if (flight.ended.exchange(true)) return;
  {
    MutexLock lock(mutex_);
    LeaveEncoding(flight);
    admission_.Leave(flight.request.key, flight.cost);
  }
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
  flight.done(std::move(answer));
}

void Service::Tokenize(std::shared_ptr<const void> keep, std::vector<std::string_view> texts,
                       bool special_tokens, Completion<Result<Tokens>> done) {
  auto shared = std::make_shared<Completion<Result<Tokens>>>(std::move(done));
  text_threads_->Add(
      [this, keep = std::move(keep), texts = std::move(texts), special_tokens, shared] {
        const Tokenizer& tokenizer = ranker_->tokenizer();
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
  const JobQueue::Load waiting = queue_.load();
  MutexLock lock(mutex_);
  return {admission_.requests(), admission_.cost(), waiting.pairs, queue_.speed()};
}

Status Service::WarmUp() {
  // From a pair to full batches: the lane's memory is touched and the speed is measured.
  std::string text;
  for (int i = 0; i < 400; ++i) text += Concat("warm up ", i, ' ');
  for (const size_t count : {size_t{1}, size_t{8}, size_t{64}}) {
    ServiceRequest request;
    for (size_t i = 0; i < count; ++i) {
      request.pairs.push_back(
          {"warm up", std::string_view(text).substr(i, count == 64 ? 100 : 2000)});
    }
    request.received = Clock::now();
    request.deadline = request.received + std::chrono::minutes(10);
    std::optional<Answer> answer;
    Mutex mutex;
    ConditionVariable changed;
    Submit(std::move(request), Completion<Answer>([&](Answer got) {
             MutexLock lock(mutex);
             answer = std::move(got);
             changed.notify_one();
           }));
    MutexLock lock(mutex);
    while (!answer) changed.wait(mutex);
    PODIUM_RETURN_IF_ERROR(answer->status);
  }
  return OkStatus();
}

}  // namespace podium
