// The models of `podium serve`: opened side by side on one team, and named.
#ifndef PODIUM_APP_SERVED_MODELS_H_
#define PODIUM_APP_SERVED_MODELS_H_

#include <memory>
#include <string>
#include <vector>

#include "api/info.h"
#include "app/serve_options.h"
#include "base/status.h"
#include "ranker/ranker.h"
#include "service/model_names.h"

namespace podium {

struct ServedModels {
  std::shared_ptr<TokenCache> token_cache;  // of all; null when there is none
  std::vector<std::unique_ptr<Ranker>> rankers;
  ModelNames names;
  std::vector<std::string> ids;  // of each: as it was asked for, or its folder's name
};

/// Opens options.models, which share one team of threads.
Result<ServedModels> OpenModels(const ServeOptions& options);

/// What /info and /v1/models say of a model.
api::ServedModel DescribeModel(const ServeOptions& options, const Ranker& ranker,
                               const std::vector<std::string>& names, const std::string& id,
                               int text_threads);

}  // namespace podium

#endif  // PODIUM_APP_SERVED_MODELS_H_
