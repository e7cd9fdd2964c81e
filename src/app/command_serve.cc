#include <signal.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <memory>
#include <optional>
#include <utility>

#include "app/commands.h"
#include "app/serve_options.h"
#include "base/byte_size.h"
#include "base/concat.h"
#include "base/file.h"
#include "observe/process_figures.h"
#include "podium/version.h"
#include "ranker/loader.h"

namespace podium {
namespace {

using std::chrono::milliseconds;

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

// What the process can come to hold, all limits reached.
struct WorstCase {
  int64_t fixed = 0;   // weights, activations, jobs, connections
  int64_t bodies = 0;  // and what is made of them

  int64_t total() const { return fixed + bodies; }
};

constexpr int64_t kCopiesOfABody = 3;  // its bytes, the parsed text, the reply

WorstCase ComputeWorstCase(const ServeOptions& options, const Ranker& ranker) {
  constexpr int64_t kBytesOfAToken = 8;  // id, segment, and what is remembered of duplicates
  // Buffers of a connection; through TLS those of OpenSSL and Asio beside them.
  const int64_t connection_bytes = options.server.tls != nullptr ? 192 << 10 : 96 << 10;
  const NetLimits& limits = options.server.limits;
  WorstCase worst;
  worst.fixed = static_cast<int64_t>(ranker.engine_info().weight_bytes + ranker.arena_bytes()) +
                kBytesOfAToken * options.service.admission.cost_max +
                connection_bytes * (limits.connections_max + kAdminConnectionsMax);
  worst.bodies = kCopiesOfABody * limits.body_bytes_inside_max;
  return worst;
}

// The worst case must fit the cgroup's memory. Where the bodies' share was not chosen by the user
// it gives way, down to one body.
Status FitMemory(const ResolvedOptions& resolved, const Ranker& ranker, ServeOptions& options) {
  const int64_t limit = ReadProcessFigures().memory_limit_bytes;
  const WorstCase worst = ComputeWorstCase(options, ranker);
  if (limit == 0 || worst.total() <= limit) return OkStatus();
  NetLimits& limits = options.server.limits;
  const int64_t inside = (limit - worst.fixed) / kCopiesOfABody;
  if (resolved.sources.at("body-bytes-inside-max") == "default" &&
      inside >= limits.body_bytes_max) {
    limits.body_bytes_inside_max = inside;
    return OkStatus();
  }
  return ResourceExhausted(
      Concat("memory: at worst ", ByteSize(static_cast<uint64_t>(worst.total())),
             " are needed, the cgroup allows ", ByteSize(static_cast<uint64_t>(limit)),
             "; lower body-bytes-inside-max (and body-bytes-max), cost-max or connections-max"));
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

// The names that replies and /v1/models show: without "*", never empty.
std::vector<std::string> ShownNames(const std::vector<std::string>& served,
                                    const std::string& name) {
  std::vector<std::string> shown;
  for (const std::string& one : served) {
    if (one != "*") shown.push_back(one);
  }
  if (shown.empty()) shown.push_back(name);
  return shown;
}

api::ServedModel Describe(const ServeOptions& options, const std::string& name,
                          const Service& service) {
  const Ranker& ranker = service.ranker();
  return {.names = ShownNames(options.routes.served_names, name),
          .model_id = name,
          .precision = ranker.engine_info().precision,
          .isa = ranker.engine_info().isa,
          .length_max = ranker.length_max(),
          .batch_tokens_max = ranker.budget().tokens_max,
          .requests_max = options.service.admission.requests_max,
          .documents_max = options.routes.decode.documents_max,
          .text_threads = service.text_threads(),
          .created = std::time(nullptr),
          .version = Version()};
}

void PrintStart(const ServeOptions& options, const Server& server, const std::string& name,
                const Ranker& ranker) {
  const EngineInfo& engine = ranker.engine_info();
  const WorstCase worst = ComputeWorstCase(options, ranker);
  if (const std::string admin = server.admin_address(); !admin.empty()) {
    std::fprintf(stderr, "podium %s: metrics and health on http://%s\n", Version(), admin.c_str());
  }
  std::fprintf(stderr,
               "podium %s: serving %s on %s://%s\n"
               "  %s, %s, %d thread%s, pairs of up to %d tokens\n"
               "  memory: weights %s, activations %s, at most %s in all\n",
               Version(), name.c_str(), options.server.tls != nullptr ? "https" : "http",
               server.address().c_str(), engine.precision.c_str(), engine.isa.c_str(),
               ranker.threads(), ranker.threads() == 1 ? "" : "s", ranker.length_max(),
               ByteSize(engine.weight_bytes).c_str(), ByteSize(ranker.arena_bytes()).c_str(),
               ByteSize(static_cast<uint64_t>(worst.total())).c_str());
}

int PrintConfig(ResolvedOptions& resolved, Output& out) {
  for (const ServeSetting& setting : ServeSettings(resolved.options)) {
    out.Write(
        Concat(setting.name, ": ", setting.get(), "  # ", resolved.sources.at(setting.name), "\n"));
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
    caught = AwaitSignal(signals, std::chrono::hours(1));
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
  auto model = ChooseModel(options.open.model);
  if (!model.ok()) return Fail(model.status());
  options.open.model = *std::move(model);
  auto keys = ReadKeys(options.api_keys_file);
  if (!keys.ok()) return Fail(keys.status());

  auto tls = ReadTls(options);
  if (!tls.ok()) return Fail(tls.status());
  options.server.tls = *std::move(tls);

  const sigset_t signals = BlockSignals();
  auto log = Log::Open(options.log);
  if (!log.ok()) return Fail(log.status());
  auto loaded = LoadRanker(options.open);
  if (!loaded.ok()) return Fail(loaded.status());
  if (const Status status = FitMemory(*resolved, *loaded->ranker, options); !status.ok()) {
    return Fail(status);
  }
  const std::string name = loaded->folder.substr(loaded->folder.find_last_of('/') + 1);
  std::vector<std::string> reasons;
  for (const Refusal refusal : {Refusal::kRequests, Refusal::kCost, Refusal::kKeyShare,
                                Refusal::kDeadline, Refusal::kStopping}) {
    reasons.emplace_back(RefusalName(refusal));
  }
  const EngineInfo& engine = loaded->ranker->engine_info();
  Metrics metrics(
      {.version = Version(), .model = name, .precision = engine.precision, .isa = engine.isa},
      RouteLabels(), OutcomeLabels(), reasons);
  auto service = std::make_unique<Service>(
      std::move(loaded->ranker), options.service, [&metrics](const BatchReport& report) {
        metrics.CountBatch(report.pairs, report.tokens, report.fill, report.compute);
      });
  if (const Status status = service->WarmUp(); !status.ok()) return Fail(status);
  Routes routes(*service, metrics, **log, options.routes, Describe(options, name, *service));
  routes.SetKeys(*std::move(keys));
  auto server = Server::Start(options.server, routes);
  if (!server.ok()) return Fail(server.status());
  NoteCertificate(options.server.tls.get(), routes, **log);
  PrintStart(options, **server, name, service->ranker());
  const int code = ServeUntilSignal(command, options, signals, routes, **server, **log);
  // Completions of the service go to the server's threads' queues, so those outlive it.
  (*server)->Stop();
  service.reset();
  return code;
}

}  // namespace podium
