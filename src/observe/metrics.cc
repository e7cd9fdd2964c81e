#include "observe/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <map>
#include <sstream>

#include "base/mutex.h"
#include "observe/process_figures.h"

namespace podium {
namespace {

using Clock = std::chrono::steady_clock;
using prometheus::Counter;
using prometheus::Gauge;
using prometheus::Histogram;

double Seconds(Clock::duration time) { return std::chrono::duration<double>(time).count(); }

// A rerank takes from half a millisecond (one short document) to half a minute (the default limit).
Histogram::BucketBoundaries SecondsBuckets() {
  return {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
          0.25,   0.5,   1.0,    2.5,   5.0,  10.0,  30.0};
}

}  // namespace

struct Metrics::Series {
  std::shared_ptr<prometheus::Registry> registry = std::make_shared<prometheus::Registry>();
  std::map<std::pair<std::string, std::string>, Counter*> requests;
  std::map<std::string, Counter*> refusals;
  Counter* documents;
  Counter* tokens;
  Counter* truncated;
  Counter* duplicates;
  Counter* batches;
  Counter* pairs;
  Counter* batch_tokens;
  Counter* busy;
  Counter* log_dropped;
  Counter* failed_handshakes;
  Counter* throttled;
  Counter* cpu;
  Gauge* busy_ratio;
  Gauge* inside;
  Gauge* cost;
  Gauge* waiting;
  Gauge* speed;
  Gauge* connections;
  Gauge* body_bytes;
  Gauge* certificate;
  Gauge* resident;
  Gauge* descriptors;
  Histogram* total;
  Histogram* tokenize;
  Histogram* queue;
  Histogram* compute;
  Histogram* fill;
  Histogram* batch_pairs;

  // Of the busy ratio: as it was at the scrape before, at least a second ago.
  Mutex mutex;
  Clock::time_point seen GUARDED_BY(mutex) = Clock::now();
  double busy_seen GUARDED_BY(mutex) = 0;

  Counter& AddCounter(const char* name, const char* help) {
    return prometheus::BuildCounter().Name(name).Help(help).Register(*registry).Add({});
  }
  Gauge& AddGauge(const char* name, const char* help) {
    return prometheus::BuildGauge().Name(name).Help(help).Register(*registry).Add({});
  }
  Histogram& AddHistogram(const char* name, const char* help,
                          const Histogram::BucketBoundaries& buckets) {
    return prometheus::BuildHistogram().Name(name).Help(help).Register(*registry).Add({}, buckets);
  }
};

Metrics::Metrics(const MetricsInfo& info, const std::vector<std::string>& routes,
                 const std::vector<std::string>& outcomes, const std::vector<std::string>& reasons)
    : series_(std::make_unique<Series>()) {
  Series& s = *series_;
  prometheus::BuildGauge()
      .Name("podium_info")
      .Help("What is served; always 1")
      .Register(*s.registry)
      .Add({{"version", info.version},
            {"model", info.model},
            {"precision", info.precision},
            {"isa", info.isa}})
      .Set(1);
  auto& requests = prometheus::BuildCounter()
                       .Name("podium_requests_total")
                       .Help("Requests by route and by how they ended")
                       .Register(*s.registry);
  for (const std::string& route : routes) {
    for (const std::string& outcome : outcomes) {
      s.requests[{route, outcome}] = &requests.Add({{"route", route}, {"outcome", outcome}});
    }
  }
  auto& refusals = prometheus::BuildCounter()
                       .Name("podium_admission_rejections_total")
                       .Help("Requests that were not let in, by reason")
                       .Register(*s.registry);
  for (const std::string& reason : reasons) {
    s.refusals[reason] = &refusals.Add({{"reason", reason}});
  }
  s.documents = &s.AddCounter("podium_request_documents_total", "Documents of answered requests");
  s.tokens = &s.AddCounter("podium_request_tokens_total",
                           "Tokens of their pairs, special tokens included");
  s.truncated = &s.AddCounter("podium_request_truncated_documents_total",
                              "Documents that were cut, or whose query was");
  s.duplicates = &s.AddCounter("podium_request_duplicate_documents_total",
                               "Documents that were not computed again");
  s.batches = &s.AddCounter("podium_batches_total", "Batches computed");
  s.pairs = &s.AddCounter("podium_batch_pairs_total", "Pairs computed");
  s.batch_tokens = &s.AddCounter("podium_batch_tokens_total", "Tokens computed");
  s.busy = &s.AddCounter("podium_compute_busy_seconds_total", "Seconds in which a batch ran");
  s.busy_ratio = &s.AddGauge("podium_compute_busy_ratio",
                             "Share of the time since the scrape before in which a batch ran");
  s.inside = &s.AddGauge("podium_queue_requests", "Requests inside, from admission to answer");
  s.cost = &s.AddGauge("podium_queue_cost_tokens", "Their cost, tokens + c * length squared");
  s.waiting = &s.AddGauge("podium_queue_pairs", "Pairs that wait for the engine");
  s.speed = &s.AddGauge("podium_compute_cost_per_second", "Measured speed, in cost");
  s.connections = &s.AddGauge("podium_http_connections", "Open connections");
  s.body_bytes = &s.AddGauge("podium_http_body_bytes", "Bytes of bodies held");
  s.failed_handshakes = &s.AddCounter("podium_tls_handshake_failures_total",
                                      "Connections that ended in the handshake of TLS");
  s.certificate = &s.AddGauge("podium_tls_certificate_not_after_seconds",
                              "End of the certificate's validity, Unix time; 0 without TLS");
  s.log_dropped = &s.AddCounter("podium_log_lines_dropped_total",
                                "Log lines lost because writing them was too slow or failed");
  s.throttled = &s.AddCounter("podium_cpu_throttled_seconds_total",
                              "Time for which the cgroup's quota stopped the process");
  s.cpu = &s.AddCounter("process_cpu_seconds_total", "Processor time used");
  s.resident = &s.AddGauge("process_resident_memory_bytes", "Resident memory");
  s.descriptors = &s.AddGauge("process_open_fds", "Open file descriptors");
  s.total = &s.AddHistogram("podium_request_seconds",
                            "From the last byte of a request to its reply", SecondsBuckets());
  s.tokenize =
      &s.AddHistogram("podium_tokenize_seconds", "Tokenizing, of a request", SecondsBuckets());
  s.queue = &s.AddHistogram("podium_queue_wait_seconds",
                            "From tokenized to the first batch, of a request", SecondsBuckets());
  s.compute = &s.AddHistogram("podium_compute_seconds", "Time of the batches that a request was in",
                              SecondsBuckets());
  s.fill = &s.AddHistogram("podium_batch_fill_ratio", "Cost of a batch over its budget",
                           {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0});
  s.batch_pairs = &s.AddHistogram("podium_batch_pairs", "Pairs of a batch",
                                  {1, 2, 4, 8, 16, 32, 64, 128, 256, 512});
}

Metrics::~Metrics() = default;

void Metrics::CountRequest(const std::string& route, const std::string& outcome,
                           Clock::duration total) {
  auto found = series_->requests.find({route, outcome});
  if (found == series_->requests.end()) found = series_->requests.find({"other", outcome});
  if (found == series_->requests.end()) found = series_->requests.begin();
  found->second->Increment();
  series_->total->Observe(Seconds(total));
}

void Metrics::CountComputed(const RequestFigures& figures) {
  series_->documents->Increment(static_cast<double>(figures.documents));
  series_->tokens->Increment(static_cast<double>(figures.tokens));
  series_->truncated->Increment(static_cast<double>(figures.truncated));
  series_->duplicates->Increment(static_cast<double>(figures.duplicates));
  series_->tokenize->Observe(Seconds(figures.tokenize));
  series_->queue->Observe(Seconds(figures.queue));
  series_->compute->Observe(Seconds(figures.compute));
}

void Metrics::CountRefusal(const std::string& reason) {
  const auto found = series_->refusals.find(reason);
  if (found != series_->refusals.end()) found->second->Increment();
}

void Metrics::CountBatch(int pairs, int tokens, double fill, Clock::duration compute) {
  series_->batches->Increment();
  series_->pairs->Increment(pairs);
  series_->batch_tokens->Increment(tokens);
  series_->busy->Increment(Seconds(compute));
  series_->fill->Observe(fill);
  series_->batch_pairs->Observe(pairs);
}

std::string Metrics::Text(const MetricsNow& now) {
  Series& s = *series_;
  s.inside->Set(now.requests_inside);
  s.cost->Set(now.cost_inside);
  s.waiting->Set(static_cast<double>(now.pairs_waiting));
  s.speed->Set(now.cost_per_second);
  s.connections->Set(now.connections);
  s.body_bytes->Set(static_cast<double>(now.body_bytes));
  s.certificate->Set(static_cast<double>(now.certificate_valid_until));
  const ProcessFigures process = ReadProcessFigures();
  s.resident->Set(static_cast<double>(process.resident_bytes));
  s.descriptors->Set(process.open_descriptors);
  {
    MutexLock lock(s.mutex);
    // Totals that others keep; under the lock so that two scrapes do not both add a difference.
    const auto catch_up = [](Counter& counter, double total) {
      if (total > counter.Value()) counter.Increment(total - counter.Value());
    };
    catch_up(*s.failed_handshakes, static_cast<double>(now.failed_handshakes));
    catch_up(*s.log_dropped, static_cast<double>(now.log_lines_dropped));
    catch_up(*s.throttled, process.throttled_seconds);
    catch_up(*s.cpu, process.cpu_seconds);
    const Clock::time_point time = Clock::now();
    const double span = Seconds(time - s.seen);
    if (span >= 1) {
      const double busy = s.busy->Value();
      s.busy_ratio->Set((busy - s.busy_seen) / span);
      s.busy_seen = busy;
      s.seen = time;
    }
  }
  std::ostringstream text;
  prometheus::TextSerializer().Serialize(text, s.registry->Collect());
  return text.str();
}

}  // namespace podium
