#include "app/served_models.h"

#include <ctime>
#include <utility>

#include "app/commands.h"
#include "podium/version.h"
#include "ranker/loader.h"

namespace podium {

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
