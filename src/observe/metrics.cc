#include "observe/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <tuple>

#include "base/mutex.h"
#include "observe/process_figures.h"

namespace podium {
namespace {

using Clock = std::chrono::steady_clock;
using prometheus::Counter;
using prometheus::Gauge;
using prometheus::Histogram;
using prometheus::Labels;

double Seconds(Clock::duration time) { return std::chrono::duration<double>(time).count(); }

// A rerank takes from half a millisecond (one short document) to half a minute (the default limit).
Histogram::BucketBoundaries SecondsBuckets() {
  return {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
          0.25,   0.5,   1.0,    2.5,   5.0,  10.0,  30.0};
}

}  // namespace

struct Metrics::Series {
  // With the label `model`.
  struct Model {
    Counter* documents;
    Counter* tokens;
    Counter* truncated;
    Counter* duplicates;
    Counter* batches;
    Counter* pairs;
    Counter* batch_tokens;
    Counter* busy;
    Gauge* waiting;
    Gauge* speed;
    Histogram* tokenize;
    Histogram* queue;
    Histogram* compute;
    Histogram* fill;
    Histogram* batch_pairs;
  };
  // By route, outcome and the model's name, which is "" where there was none.
  using RequestLabels = std::tuple<std::string, std::string, std::string>;

  std::shared_ptr<prometheus::Registry> registry = std::make_shared<prometheus::Registry>();
  std::map<RequestLabels, Counter*> requests;
  std::map<std::string, Counter*> refusals;
  std::vector<std::string> names;  // of the models
  std::vector<Model> models;
  Counter* cache_hits;
  Counter* cache_misses;
  Counter* cache_evictions;
  Gauge* cache_bytes;
  Counter* log_dropped;
  Counter* failed_handshakes;
  Counter* throttled;
  Counter* cpu;
  Gauge* busy_ratio;
  Gauge* inside;
  Gauge* cost;
  Gauge* connections;
  Gauge* body_bytes;
  Gauge* certificate;
  Gauge* resident;
  Gauge* descriptors;
  Histogram* total;

  // Of the busy ratio: as it was at the scrape before, at least a second ago.
  Mutex mutex;
  Clock::time_point seen GUARDED_BY(mutex) = Clock::now();
  double busy_seen GUARDED_BY(mutex) = 0;

  Counter& AddCounter(const char* name, const char* help, const Labels& labels = {}) {
    return prometheus::BuildCounter().Name(name).Help(help).Register(*registry).Add(labels);
  }
  Gauge& AddGauge(const char* name, const char* help, const Labels& labels = {}) {
    return prometheus::BuildGauge().Name(name).Help(help).Register(*registry).Add(labels);
  }
  Histogram& AddHistogram(const char* name, const char* help,
                          const Histogram::BucketBoundaries& buckets, const Labels& labels = {}) {
    return prometheus::BuildHistogram().Name(name).Help(help).Register(*registry).Add(labels,
                                                                                      buckets);
  }

  void AddRequests(const MetricsLabels& labels);
  Model AddModel(const std::string& name);
  double busy_seconds() const {
    double seconds = 0;
    for (const Model& model : models) seconds += model.busy->Value();
    return seconds;
  }
};

void Metrics::Series::AddRequests(const MetricsLabels& labels) {
  auto& family = prometheus::BuildCounter()
                     .Name("podium_requests_total")
                     .Help("Requests by route, by model and by how they ended")
                     .Register(*registry);
  const auto add = [&](const std::string& route, const std::string& model) {
    for (const std::string& outcome : labels.outcomes) {
      requests[{route, outcome, model}] =
          &family.Add({{"route", route}, {"outcome", outcome}, {"model", model}});
    }
  };
  for (const std::string& route : labels.routes) add(route, "");
  for (const std::string& route : labels.model_routes) {
    for (const std::string& name : names) add(route, name);
  }
}

Metrics::Series::Model Metrics::Series::AddModel(const std::string& name) {
  const Labels labels = {{"model", name}};
  Model m;
  m.documents =
      &AddCounter("podium_request_documents_total", "Documents of answered requests", labels);
  m.tokens = &AddCounter("podium_request_tokens_total",
                         "Tokens of their pairs, special tokens included", labels);
  m.truncated = &AddCounter("podium_request_truncated_documents_total",
                            "Documents that were cut, or whose query was", labels);
  m.duplicates = &AddCounter("podium_request_duplicate_documents_total",
                             "Documents that were not computed again", labels);
  m.batches = &AddCounter("podium_batches_total", "Batches computed", labels);
  m.pairs = &AddCounter("podium_batch_pairs_total", "Pairs computed", labels);
  m.batch_tokens = &AddCounter("podium_batch_tokens_total", "Tokens computed", labels);
  m.busy = &AddCounter("podium_compute_busy_seconds_total", "Seconds in which a batch ran", labels);
  m.waiting = &AddGauge("podium_queue_pairs", "Pairs that wait for the engine", labels);
  m.speed = &AddGauge("podium_compute_cost_per_second", "Measured speed, in cost", labels);
  m.tokenize = &AddHistogram("podium_tokenize_seconds", "Tokenizing, of a request",
                             SecondsBuckets(), labels);
  m.queue =
      &AddHistogram("podium_queue_wait_seconds", "From tokenized to the first batch, of a request",
                    SecondsBuckets(), labels);
  m.compute = &AddHistogram("podium_compute_seconds", "Time of the batches that a request was in",
                            SecondsBuckets(), labels);
  m.fill = &AddHistogram("podium_batch_fill_ratio", "Cost of a batch over its budget",
                         {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0}, labels);
  m.batch_pairs = &AddHistogram("podium_batch_pairs", "Pairs of a batch",
                                {1, 2, 4, 8, 16, 32, 64, 128, 256, 512}, labels);
  return m;
}

Metrics::Metrics(const MetricsLabels& labels) : series_(std::make_unique<Series>()) {
  Series& s = *series_;
  auto& info = prometheus::BuildGauge()
                   .Name("podium_info")
                   .Help("What is served; always 1")
                   .Register(*s.registry);
  for (const MetricsLabels::Model& model : labels.models) {
    info.Add({{"version", labels.version},
              {"model", model.name},
              {"precision", model.precision},
              {"isa", model.isa}})
        .Set(1);
    s.names.push_back(model.name);
    s.models.push_back(s.AddModel(model.name));
  }
  s.AddRequests(labels);
  auto& refusals = prometheus::BuildCounter()
                       .Name("podium_admission_rejections_total")
                       .Help("Requests that were not let in, by reason")
                       .Register(*s.registry);
  for (const std::string& reason : labels.refusals) {
    s.refusals[reason] = &refusals.Add({{"reason", reason}});
  }
  s.busy_ratio = &s.AddGauge("podium_compute_busy_ratio",
                             "Share of the time since the scrape before in which a batch ran");
  s.inside = &s.AddGauge("podium_queue_requests", "Requests inside, from admission to answer");
  s.cost = &s.AddGauge("podium_queue_cost_tokens", "Their cost, tokens + c * length squared");
  s.cache_hits = &s.AddCounter("podium_token_cache_hits_total",
                               "Texts whose ids were known, queries and documents");
  s.cache_misses = &s.AddCounter("podium_token_cache_misses_total", "Texts that were tokenized");
  s.cache_evictions =
      &s.AddCounter("podium_token_cache_evictions_total", "Texts that made room for others");
  s.cache_bytes = &s.AddGauge("podium_token_cache_bytes", "Bytes that the cache holds");
  s.connections = &s.AddGauge("podium_http_connections", "Open connections");
  s.body_bytes = &s.AddGauge("podium_http_body_bytes", "Bytes of bodies and replies held");
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
}

Metrics::~Metrics() = default;

void Metrics::CountRequest(const std::string& route, const std::string& outcome, int model,
                           Clock::duration total) {
  const std::string& name =
      model == kNoModel ? std::string() : series_->names[static_cast<size_t>(model)];
  auto found = series_->requests.find({route, outcome, name});
  if (found == series_->requests.end()) found = series_->requests.find({"other", outcome, ""});
  if (found == series_->requests.end()) found = series_->requests.begin();
  found->second->Increment();
  series_->total->Observe(Seconds(total));
}

void Metrics::CountComputed(int model, const RequestFigures& figures) {
  const Series::Model& m = series_->models[static_cast<size_t>(model)];
  m.documents->Increment(static_cast<double>(figures.documents));
  m.tokens->Increment(static_cast<double>(figures.tokens));
  m.truncated->Increment(static_cast<double>(figures.truncated));
  m.duplicates->Increment(static_cast<double>(figures.duplicates));
  m.tokenize->Observe(Seconds(figures.tokenize));
  m.queue->Observe(Seconds(figures.queue));
  m.compute->Observe(Seconds(figures.compute));
}

void Metrics::CountRefusal(const std::string& reason) {
  const auto found = series_->refusals.find(reason);
  if (found != series_->refusals.end()) found->second->Increment();
}

void Metrics::CountBatch(int model, int pairs, int tokens, double fill, Clock::duration compute) {
  const Series::Model& m = series_->models[static_cast<size_t>(model)];
  m.batches->Increment();
  m.pairs->Increment(pairs);
  m.batch_tokens->Increment(tokens);
  m.busy->Increment(Seconds(compute));
  m.fill->Observe(fill);
  m.batch_pairs->Observe(pairs);
}

std::string Metrics::Text(const MetricsNow& now) {
  Series& s = *series_;
  s.inside->Set(now.requests_inside);
  s.cost->Set(now.cost_inside);
  for (size_t i = 0; i < std::min(s.models.size(), now.models.size()); ++i) {
    s.models[i].waiting->Set(static_cast<double>(now.models[i].pairs_waiting));
    s.models[i].speed->Set(now.models[i].cost_per_second);
  }
  s.cache_bytes->Set(static_cast<double>(now.token_cache.bytes));
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
    catch_up(*s.cache_hits, static_cast<double>(now.token_cache.hits));
    catch_up(*s.cache_misses, static_cast<double>(now.token_cache.misses));
    catch_up(*s.cache_evictions, static_cast<double>(now.token_cache.evictions));
    catch_up(*s.log_dropped, static_cast<double>(now.log_lines_dropped));
    catch_up(*s.throttled, process.throttled_seconds);
    catch_up(*s.cpu, process.cpu_seconds);
    const Clock::time_point time = Clock::now();
    const double span = Seconds(time - s.seen);
    if (span >= 1) {
      const double busy = s.busy_seconds();
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
