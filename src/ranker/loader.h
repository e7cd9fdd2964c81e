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
  std::string architecture;
  ScoreScale score_scale = ScoreScale::kSigmoid;
  int layers = 0;
  int hidden = 0;
  std::unique_ptr<Ranker> ranker;
};

/// The tokenizer of a model's own files.
Result<std::unique_ptr<Tokenizer>> OpenTokenizer(const Model& model);

/// Finds the folder or packed file and reads it: weights and tokenizer at the same time, one thread
/// beside the caller's and the team's, gone when this returns. Options are checked before any file
/// is read.
Result<LoadedRanker> LoadRanker(const OpenOptions& options);

}  // namespace podium

#endif  // PODIUM_RANKER_LOADER_H_
