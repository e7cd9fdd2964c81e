// From a model's name to a ranker that is ready.
#ifndef PODIUM_RANKER_LOADER_H_
#define PODIUM_RANKER_LOADER_H_

#include <memory>
#include <string>

#include "base/status.h"
#include "model/model.h"
#include "podium/types.h"
#include "ranker/ranker.h"
#include "text/tokenizer.h"

namespace podium {

struct LoadedRanker {
  std::string folder;
  std::string name;  // a hub name as it was asked for; of a folder or file its last part
  std::string architecture;
  ScoreScale score_scale = ScoreScale::kSigmoid;
  int layers = 0;
  int hidden = 0;
  std::unique_ptr<Ranker> ranker;
};

/// What several rankers of a process have in common.
struct SharedParts {
  std::shared_ptr<Team> team;               // null: a team of its own, as options.threads asks for
  std::shared_ptr<TokenCache> token_cache;  // null: none
};

/// The tokenizer of a model's own files.
Result<std::unique_ptr<Tokenizer>> OpenTokenizer(const Model& model);

/// Finds the folder or packed file and reads it: weights and tokenizer at the same time, one thread
/// beside the caller's and the team's, gone when this returns. Options are checked before any file
/// is read.
Result<LoadedRanker> LoadRanker(const OpenOptions& options, SharedParts shared = {});

/// Threads for compute as options.threads asks for them; kInvalidArgument when it is out of range.
Result<std::shared_ptr<Team>> MakeTeam(int threads);

}  // namespace podium

#endif  // PODIUM_RANKER_LOADER_H_
