#include "app/served_models.h"

#include <ctime>
#include <utility>

#include "app/commands.h"
#include "base/byte_size.h"
#include "base/concat.h"
#include "observe/process_figures.h"
#include "podium/version.h"
#include "ranker/loader.h"

namespace podium {
namespace {

constexpr int64_t kCopiesOfABody = 3;  // its bytes, the parsed text, the reply

WorstCase ComputeWorstCase(const ServeOptions& options,
                           const std::vector<std::unique_ptr<Ranker>>& rankers) {
  constexpr int64_t kBytesOfAToken = 8;  // id, segment, and what is remembered of duplicates
  // Buffers of a connection; through TLS those of OpenSSL and Asio beside them.
  const int64_t connection_bytes = options.server.tls != nullptr ? 192 << 10 : 96 << 10;
  const NetLimits& limits = options.server.limits;
  WorstCase worst;
  for (const auto& ranker : rankers) {
    worst.fixed += static_cast<int64_t>(ranker->engine_info().weight_bytes + ranker->arena_bytes());
  }
  worst.fixed += options.token_cache_bytes_max +
                 kBytesOfAToken * options.service.admission.cost_max +
                 connection_bytes * (limits.connections_max + kAdminConnectionsMax);
  worst.bodies = kCopiesOfABody * options.routes.body_bytes_inside_max;
  return worst;
}

}  // namespace

Result<ServedModels> OpenModels(const ServeOptions& options) {
  ServedModels served;
  std::vector<std::vector<std::string>> names;
  PODIUM_ASSIGN_OR_RETURN(const std::shared_ptr<Team> team, MakeTeam(options.open.threads));
  if (options.token_cache_bytes_max > 0) {
    served.token_cache =
        std::make_shared<TokenCache>(static_cast<size_t>(options.token_cache_bytes_max));
  }
  for (const ModelOptions& model : options.models) {
    OpenOptions open = model.open;
    PODIUM_ASSIGN_OR_RETURN(open.model, ChooseModel(open.model));
    PODIUM_ASSIGN_OR_RETURN(LoadedRanker loaded, LoadRanker(open, {team, served.token_cache}));
    std::vector<std::string> own = model.names;
    if (own.empty() || (own.size() == 1 && own[0] == kAnyName)) own.push_back(loaded.name);
    names.push_back(std::move(own));
    served.ids.push_back(loaded.name);
    served.rankers.push_back(std::move(loaded.ranker));
  }
  PODIUM_ASSIGN_OR_RETURN(served.names, ModelNames::Make(std::move(names)));
  return served;
}

Result<WorstCase> FitMemory(const ResolvedOptions& resolved,
                            const std::vector<std::unique_ptr<Ranker>>& rankers,
                            ServeOptions& options) {
  const int64_t limit = ReadProcessFigures().memory_limit_bytes;
  const WorstCase worst = ComputeWorstCase(options, rankers);
  if (limit == 0 || worst.total() <= limit) return worst;
  NetLimits& limits = options.server.limits;
  const int64_t inside = (limit - worst.fixed) / kCopiesOfABody;
  if (resolved.sources.at("body-bytes-inside-max") == "default" &&
      inside >= limits.body_bytes_max) {
    options.routes.body_bytes_inside_max = inside;
    return ComputeWorstCase(options, rankers);
  }
  return ResourceExhausted(
      Concat("memory: at worst ", ByteSize(static_cast<uint64_t>(worst.total())), " are needed",
             rankers.size() > 1 ? Concat(" with ", rankers.size(), " models") : "",
             ", the cgroup allows ", ByteSize(static_cast<uint64_t>(limit)),
             "; lower body-bytes-inside-max (and body-bytes-max), token-cache-bytes, cost-max or "
             "connections-max"));
}

api::ServedModel DescribeModel(const ServeOptions& options, const Ranker& ranker,
                               const std::vector<std::string>& names, const std::string& id,
                               int text_threads) {
  return {.names = names,
          .model_id = id,
          .precision = ranker.engine_info().precision,
          .isa = ranker.engine_info().isa,
          .length_max = ranker.length_max(),
          .batch_tokens_max = ranker.budget().tokens_max,
          .requests_max = options.service.admission.requests_max,
          .documents_max = options.routes.decode.documents_max,
          .text_threads = text_threads,
          .created = std::time(nullptr),
          .version = Version()};
}

}  // namespace podium
