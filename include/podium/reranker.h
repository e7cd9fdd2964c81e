// Start here: open a model once, rank with it from any thread.
//
//   auto reranker = podium::Reranker::Open({.model = "models/podium-mini-zh-en"});
//   if (!reranker.ok()) return Fail(reranker.status());
//   std::vector<std::string_view> documents = {"…", "…"};
//   auto ranking = (*reranker)->Rank("how do I reset my router", documents);
//   for (const podium::RankedDocument& hit : *ranking) use(documents[hit.index], hit.score.logit);
#ifndef PODIUM_RERANKER_H_
#define PODIUM_RERANKER_H_

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "podium/status.h"
#include "podium/types.h"
#include "podium/version.h"

namespace podium {

/// What was opened; fixed for the life of a Reranker.
struct ModelInfo {
  std::string name;          // the hub name that was asked for, or the folder's own name
  std::string folder;        // where it was found
  std::string architecture;  // "XLMRobertaForSequenceClassification"
  std::string precision;     // "fp32", "int8"
  std::string isa;           // the kernel table in use
  int max_length = 0;        // tokens of a pair, special tokens included
  /// What the model's own files (as sentence-transformers writes them) say its score is; the
  /// sigmoid where they say nothing. Ranking is by the logit either way.
  ScoreScale score_scale = ScoreScale::kSigmoid;
  int layers = 0;
  int hidden = 0;
  int threads = 0;
  size_t parameters = 0;
  size_t weight_bytes = 0;  // packed weights and embeddings in memory or mapped
  size_t arena_bytes = 0;   // activations, reserved once
};

/// Installs a SIGBUS handler for model files that are cut short, or whose disk fails, while they
/// are in use: the call that meets it then ends with kIo and names the file, instead of the process
/// ending. For a program to call once, early; opening a model does not. Any other SIGBUS goes to
/// the handler that was there before.
PODIUM_EXPORT void CatchLostModelFiles();

/// A loaded model. Safe to call from many threads: calls share one compute team and wait for it in
/// turn. A score depends on its pair, the model and the kernel table only, bit for bit, never on
/// what else is in the call.
class PODIUM_EXPORT Reranker {
 public:
  static Result<std::unique_ptr<Reranker>> Open(const OpenOptions& options);
  ~Reranker();
  Reranker(const Reranker&) = delete;
  Reranker& operator=(const Reranker&) = delete;

  /// Documents by falling logit, ties in input order, the best `top_n`. No documents give an empty
  /// ranking. Text is UTF-8; invalid bytes count as U+FFFD, as Python's decode('utf-8', 'replace')
  /// has it. A NaN score is kInternal and names the document.
  Result<std::vector<RankedDocument>> Rank(std::string_view query,
                                           std::span<const std::string_view> documents,
                                           const RankOptions& options = {}) const;

  /// One score per pair, in input order.
  Result<std::vector<Score>> ScorePairs(std::span<const Pair> pairs,
                                        const RankOptions& options = {}) const;

  const ModelInfo& info() const;

 private:
  class Impl;
  explicit Reranker(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace podium

#endif  // PODIUM_RERANKER_H_
