// The public library on top of a ranker. No exception leaves: the only one that our code can meet
// is a failed allocation.
#include "podium/reranker.h"

#include <limits>
#include <new>
#include <system_error>
#include <utility>

#include "base/bus_error.h"
#include "base/concat.h"
#include "ranker/loader.h"
#include "ranker/results.h"

namespace podium {

class Reranker::Impl {
 public:
  explicit Impl(LoadedRanker loaded) : ranker_(std::move(loaded.ranker)) {
    const EngineInfo& engine = ranker_->engine_info();
    info_ = {.name = std::move(loaded.name),
             .folder = std::move(loaded.folder),
             .architecture = std::move(loaded.architecture),
             .precision = engine.precision,
             .isa = engine.isa,
             .max_length = ranker_->length_max(),
             .score_scale = loaded.score_scale,
             .layers = loaded.layers,
             .hidden = loaded.hidden,
             .threads = ranker_->threads(),
             .parameters = engine.parameters,
             .weight_bytes = engine.weight_bytes,
             .arena_bytes = ranker_->arena_bytes()};
  }

  const ModelInfo& info() const { return info_; }

  Result<std::vector<Score>> ScoreAll(size_t count, FunctionRef<Pair(size_t)> pair_at,
                                      const RankOptions& options, const char* pair_word) const {
    constexpr size_t kCountMax = std::numeric_limits<uint32_t>::max();
    if (count > kCountMax) {
      return ResourceExhausted(Concat("got ", count, " pairs in one call, at most ", kCountMax));
    }
    const Interrupt interrupt{.deadline = options.deadline, .cancel = options.cancel};
    return ranker_->ScoreAll(count, pair_at, interrupt, pair_word);
  }

 private:
  std::unique_ptr<Ranker> ranker_;
  ModelInfo info_;
};

namespace {

template <typename Body>
auto WithoutExceptions(Body body) -> decltype(body()) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return ResourceExhausted("out of memory");
  } catch (const std::system_error& error) {  // a thread could not be started
    return ResourceExhausted(error.what());
  }
}

}  // namespace

void CatchLostModelFiles() { CatchBusErrors(); }

Reranker::Reranker(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Reranker::~Reranker() = default;

const ModelInfo& Reranker::info() const { return impl_->info(); }

Result<std::unique_ptr<Reranker>> Reranker::Open(const OpenOptions& options) {
  return WithoutExceptions([&]() -> Result<std::unique_ptr<Reranker>> {
    PODIUM_ASSIGN_OR_RETURN(LoadedRanker loaded, LoadRanker(options));
    auto impl = std::make_unique<Impl>(std::move(loaded));
    return std::unique_ptr<Reranker>(new Reranker(std::move(impl)));
  });
}

Result<std::vector<RankedDocument>> Reranker::Rank(std::string_view query,
                                                   std::span<const std::string_view> documents,
                                                   const RankOptions& options) const {
  return WithoutExceptions([&]() -> Result<std::vector<RankedDocument>> {
    const auto pair_at = [&](size_t i) { return Pair{query, documents[i]}; };
    PODIUM_ASSIGN_OR_RETURN(const std::vector<Score> scores,
                            impl_->ScoreAll(documents.size(), pair_at, options, "document"));
    return BestFirst(scores, options.top_n);
  });
}

Result<std::vector<Score>> Reranker::ScorePairs(std::span<const Pair> pairs,
                                                const RankOptions& options) const {
  return WithoutExceptions([&]() -> Result<std::vector<Score>> {
    const auto pair_at = [&](size_t i) { return pairs[i]; };
    return impl_->ScoreAll(pairs.size(), pair_at, options, "pair");
  });
}

}  // namespace podium
