#include <signal.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <memory>
#include <optional>
#include <utility>

#include "app/commands.h"
#include "app/config_file.h"
#include "app/serve_options.h"
#include "app/served_models.h"
#include "app/worst_case.h"
#include "base/byte_size.h"
#include "base/concat.h"
#include "base/file.h"
#include "base/heap.h"
#include "observe/process_figures.h"
#include "podium/version.h"
#include "ranker/loader.h"

namespace podium {
namespace {

using std::chrono::milliseconds;

// Often enough that a crowd of requests is forgotten soon; seldom enough to cost nothing.
constexpr milliseconds kBetweenReturns = std::chrono::seconds(10);

// The signals that the main thread waits for. Blocked before any thread starts, so that no other
// thread gets them.
sigset_t BlockSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

// Until one comes, or the time is over; 0 then.
int AwaitSignal(const sigset_t& signals, milliseconds patience) {
  const timespec time = {.tv_sec = patience.count() / 1000,
                         .tv_nsec = patience.count() % 1000 * 1'000'000};
  const int got = sigtimedwait(&signals, nullptr, &time);
  return got > 0 ? got : 0;
}

Result<ApiKeys> ReadKeys(const std::string& file) {
  constexpr size_t kKeysBytesMax = 4 << 20;
  if (file.empty()) return ApiKeys();
  PODIUM_ASSIGN_OR_RETURN(const std::string text, ReadFile(file, kKeysBytesMax));
  return ApiKeys::Parse(text, file);
}

// Null where no files were named.
Result<std::shared_ptr<const TlsIdentity>> ReadTls(const ServeOptions& options) {
  if (options.tls_certificate_file.empty()) return std::shared_ptr<const TlsIdentity>();
  return TlsIdentity::Read(options.tls_certificate_file, options.tls_key_file);
}

// Keeps the end of its validity where the metrics show it, and warns where it is no use today.
void NoteCertificate(const TlsIdentity* tls, Routes& routes, Log& log) {
  if (tls == nullptr) return;
  routes.certificate_valid_until.store(tls->valid_until());
  const int64_t now = std::time(nullptr);
  const bool valid = now >= tls->valid_from() && now < tls->valid_until();
  log.Write(valid ? LogLevel::kInfo : LogLevel::kWarning,
            valid ? "certificate" : "certificate_not_valid_now",
            {{"subject", tls->subject()},
             {"valid_from", tls->valid_from()},
             {"valid_until", tls->valid_until()}});
}

void PrintStart(const ServeOptions& options, const Server& server, const Service& service,
                const ModelNames& names, const WorstCase& worst) {
  if (const std::string admin = server.admin_address(); !admin.empty()) {
    std::fprintf(stderr, "podium %s: metrics and health on http://%s\n", Version(), admin.c_str());
  }
  std::string shown;
  for (int model = 0; model < service.models(); ++model) {
    shown += (shown.empty() ? "" : ", ") + names.shown(model);
  }
  std::fprintf(stderr, "podium %s: serving %s on %s://%s\n", Version(), shown.c_str(),
               options.server.tls != nullptr ? "https" : "http", server.address().c_str());
  for (int model = 0; model < service.models(); ++model) {
    const Ranker& ranker = service.ranker(model);
    const EngineInfo& engine = ranker.engine_info();
    std::fprintf(stderr, "  %s%s%s, %s, pairs of up to %d tokens, weights %s, activations %s\n",
                 service.models() > 1 ? names.shown(model).c_str() : "",
                 service.models() > 1 ? ": " : "", engine.precision.c_str(), engine.isa.c_str(),
                 ranker.length_max(), ByteSize(engine.weight_bytes).c_str(),
                 ByteSize(ranker.arena_bytes()).c_str());
  }
  const NetLimits& limits = options.server.limits;
  const AdmissionOptions& admission = options.service.admission;
  std::fprintf(stderr,
               "  at most %d documents a request, bodies of %s, %d connections; inside at once %d "
               "requests, a cost of %s tokens\n",
               options.routes.decode.documents_max,
               ByteSize(static_cast<uint64_t>(limits.body_bytes_max)).c_str(),
               limits.connections_max, admission.requests_max, Concat(admission.cost_max).c_str());
  const int threads = service.ranker(0).threads();
  std::fprintf(stderr, "  %d thread%s, at most %s of memory in all, %s of it for bodies\n", threads,
               threads == 1 ? "" : "s", ByteSize(static_cast<uint64_t>(worst.total())).c_str(),
               ByteSize(static_cast<uint64_t>(worst.bodies)).c_str());
}

MetricsLabels ListLabels(const ServedModels& models) {
  MetricsLabels labels{.version = Version(),
                       .models = {},
                       .routes = RouteLabels(),
                       .model_routes = ModelRouteLabels(),
                       .outcomes = OutcomeLabels(),
                       .refusals = {}};
  for (size_t i = 0; i < models.rankers.size(); ++i) {
    const EngineInfo& engine = models.rankers[i]->engine_info();
    labels.models.push_back(
        {models.names.shown(static_cast<int>(i)), engine.precision, engine.isa});
  }
  for (const Refusal refusal : {Refusal::kRequests, Refusal::kCost, Refusal::kKeyShare,
                                Refusal::kDeadline, Refusal::kStopping}) {
    labels.refusals.emplace_back(RefusalName(refusal));
  }
  return labels;
}

int PrintConfig(ResolvedOptions& resolved, Output& out) {
  for (const ServeSetting& setting : ServeSettings(resolved.options)) {
    out.Write(Concat(setting.name, ": ", ConfigValue(setting.get()), "  # ",
                     resolved.sources.at(setting.name), "\n"));
  }
  const Status status = out.Finish();
  return status.ok() ? kExitOk : Fail(status);
}

// Keys, certificate and log level again, from where they came. What is wrong is logged, and then
// nothing changes.
Status TryReload(const ServeCommand& command, bool secure, Routes& routes, Server& server,
                 Log& log) {
  PODIUM_ASSIGN_OR_RETURN(auto resolved, ResolveServeOptions(command.given, ProcessEnvironment));
  PODIUM_ASSIGN_OR_RETURN(auto keys, ReadKeys(resolved.options.api_keys_file));
  PODIUM_ASSIGN_OR_RETURN(const auto tls, ReadTls(resolved.options));
  if (secure != (tls != nullptr)) {
    return InvalidArgument("tls-certificate-file: a start is needed to begin or end with TLS");
  }
  log.set_level(resolved.options.log.level);
  log.Write(LogLevel::kInfo, "reloaded", {{"keys", static_cast<int64_t>(keys.size())}});
  routes.SetKeys(std::move(keys));
  NoteCertificate(tls.get(), routes, log);
  server.SetTls(tls);
  return OkStatus();
}

// Serves until a signal ends it; the exit code.
int ServeUntilSignal(const ServeCommand& command, const ServeOptions& options,
                     const sigset_t& signals, Routes& routes, Server& server, Log& log) {
  int caught = 0;
  while (caught != SIGTERM && caught != SIGINT) {
    caught = AwaitSignal(signals, kBetweenReturns);
    if (caught == 0) ReturnFreeMemory();
    if (caught != SIGHUP) continue;
    const Status status = TryReload(command, options.server.tls != nullptr, routes, server, log);
    if (!status.ok()) log.Write(LogLevel::kError, "reload_failed", {{"error", status.message()}});
  }
  log.Write(LogLevel::kInfo, "stopping", {{"signal", int64_t{caught}}});
  routes.BeginStopping();
  // A second signal ends the process at once.
  std::signal(SIGTERM, SIG_DFL);
  std::signal(SIGINT, SIG_DFL);
  sigset_t ending = signals;
  sigdelset(&ending, SIGHUP);
  pthread_sigmask(SIG_UNBLOCK, &ending, nullptr);
  if (caught == SIGTERM) {
    const timespec delay = {.tv_sec = options.drain_delay_ms / 1000,
                            .tv_nsec = options.drain_delay_ms % 1000 * 1'000'000};
    nanosleep(&delay, nullptr);
  }
  server.StopAccepting();
  if (server.AwaitClosed(milliseconds(options.drain_ms_max))) return kExitOk;
  log.Write(LogLevel::kError, "connections_cut", {{"count", int64_t{server.connections()}}});
  return kExitError;
}

}  // namespace

int Run(const ServeCommand& command, Session session) {
  auto resolved = ResolveServeOptions(command.given, ProcessEnvironment);
  if (!resolved.ok()) return Fail(resolved.status());
  if (command.print_config) return PrintConfig(*resolved, session.out);
  ServeOptions options = resolved->options;
  auto keys = ReadKeys(options.api_keys_file);
  if (!keys.ok()) return Fail(keys.status());

  auto tls = ReadTls(options);
  if (!tls.ok()) return Fail(tls.status());
  options.server.tls = *std::move(tls);

  KeepLargeBlocksApart();
  const sigset_t signals = BlockSignals();
  auto log = Log::Open(options.log);
  if (!log.ok()) return Fail(log.status());
  auto models = OpenModels(options);
  if (!models.ok()) return Fail(models.status());
  const ModelNames& names = models->names;
  ServedMemory served{.text_threads = ChooseTextThreads(options.service.text_threads)};
  for (const auto& ranker : models->rankers) {
    served.model_bytes +=
        static_cast<int64_t>(ranker->engine_info().weight_bytes + ranker->arena_bytes());
  }
  const auto worst =
      FitMemory(ReadProcessFigures().memory_limit_bytes, served, resolved->sources, options);
  if (!worst.ok()) return Fail(worst.status());
  options.service.token_cache = models->token_cache;
  Metrics metrics(ListLabels(*models));
  auto service = std::make_unique<Service>(
      std::move(models->rankers), options.service, [&metrics](const BatchReport& report) {
        metrics.CountBatch(report.model, report.pairs, report.tokens, report.fill, report.compute);
      });
  if (const Status status = service->WarmUp(); !status.ok()) return Fail(status);
  std::vector<api::ServedModel> described;
  for (int model = 0; model < service->models(); ++model) {
    described.push_back(DescribeModel(options, service->ranker(model), names.of(model),
                                      models->ids[static_cast<size_t>(model)],
                                      service->text_threads()));
  }
  Routes routes(*service, metrics, **log, options.routes, names, std::move(described));
  routes.SetKeys(*std::move(keys));
  auto server = Server::Start(options.server, routes);
  if (!server.ok()) return Fail(server.status());
  NoteCertificate(options.server.tls.get(), routes, **log);
  PrintStart(options, **server, *service, names, *worst);
  const int code = ServeUntilSignal(command, options, signals, routes, **server, **log);
  // Completions of the service go to the server's threads' queues, so those outlive it.
  (*server)->Stop();
  service.reset();
  return code;
}

}  // namespace podium
