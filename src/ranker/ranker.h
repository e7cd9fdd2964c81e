// One loaded version of a model, from text to scores.
//
// ranker/ joins text/, batch/, engine/ and model/: pairs are encoded (a query once, a document
// once), cut into batches, scored on the lane, and the logits put where the caller asked. It may
// include those four and base/. It starts no thread but the loader's; any thread may call, callers
// share the lane in turns (turns.h), and the calling thread is member 0 of the team while it is
// inside.
#ifndef PODIUM_RANKER_RANKER_H_
#define PODIUM_RANKER_RANKER_H_

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/function_ref.h"
#include "base/status.h"
#include "base/team.h"
#include "batch/former.h"
#include "engine/engine.h"
#include "podium/types.h"
#include "ranker/request_encoder.h"
#include "ranker/token_cache.h"
#include "ranker/turns.h"
#include "text/pair_encoder.h"
#include "text/tokenizer.h"

namespace podium {

struct RankerOptions {
  /// Tokens of a pair at most; 0 for the model's own limit.
  int max_length = 0;
  /// Which side of a pair that is too long is cut.
  PairRule truncation = PairRule::kLongestFirst;
  /// Tokens computed together. 2048 keeps a batch near 0.1 s on two cores with a 12 × 768 model,
  /// and is past the size where products stop gaining speed.
  int batch_tokens_max = 2048;
  /// Pairs computed together.
  int batch_sequences_max = 512;
  /// Encoded pairs held at once: encoding runs this far ahead of scoring, so memory does not grow
  /// with the request.
  int window_pairs_max = 4096;
  int window_tokens_max = 65536;
  /// Ids remembered per request to find duplicates (16 MiB).
  size_t duplicate_ids_max = size_t{4} << 20;
};

class Ranker {
 public:
  struct Parts {
    std::unique_ptr<Tokenizer> tokenizer;
    std::shared_ptr<Team> team;  // of several rankers only where one thread at a time scores
    std::unique_ptr<const Engine> engine;
    std::shared_ptr<TokenCache> token_cache = nullptr;  // none: texts are tokenized each time
  };
  /// kInvalidArgument for options the model cannot have; kCorrupt when tokenizer and engine do not
  /// belong together.
  static Result<std::unique_ptr<Ranker>> Make(Parts parts, const RankerOptions& options);

  /// One score per pair; pair_at(i) is called once for each i in [0, count), in order. Equal
  /// consecutive queries are encoded once, equal pairs scored once. Fails as a whole: kCancelled,
  /// kDeadlineExceeded, the engine's error, or kInternal that names the pair whose logit is no
  /// finite number. `pair_word` is what to call a pair in that message. `max_length` cuts these
  /// pairs shorter than length_max(); 0 for that.
  Result<std::vector<Score>> ScoreAll(size_t count, FunctionRef<Pair(size_t)> pair_at,
                                      const Interrupt& interrupt, const char* pair_word,
                                      int max_length = 0) const;

  /// For a server, which encodes and forms batches itself. The encoder for one request; any thread.
  RequestEncoder NewEncoder(const EncodeOptions& options) const;
  /// Scores one batch in turn; its types may be there also when the model has only one segment. The
  /// calling thread works as member 0 of the team.
  Status ScoreBatch(const Batch& batch, std::span<float> logits, const Interrupt& interrupt) const;
  const BatchBudget& budget() const { return budget_; }

  int length_max() const { return length_max_; }
  int threads() const { return parts_.team->size(); }
  size_t arena_bytes() const { return lane_->arena_bytes(); }
  const EngineInfo& engine_info() const { return parts_.engine->info(); }
  const Tokenizer& tokenizer() const { return *parts_.tokenizer; }

 private:
  Ranker(Parts parts, std::unique_ptr<Lane> lane, const RankerOptions& options, int length_max);
  Status ScoreWindow(const EncodedPairs& window, std::span<float> logits,
                     const Interrupt& interrupt) const;

  const Parts parts_;
  const std::unique_ptr<Lane> lane_;  // used by whoever has the turn
  const RankerOptions options_;
  const BatchBudget budget_;
  const int length_max_;
  const bool send_types_;  // the model has more than one segment
  mutable Turns turns_;
};

/// Puts the logits of encoded pairs, and those of their copies, into the request's scores.
/// kInternal when one is no finite number.
Status FillSlots(const EncodedPairs& pairs, std::span<const float> logits, const char* pair_word,
                 std::span<Score> scores);

}  // namespace podium

#endif  // PODIUM_RANKER_RANKER_H_
