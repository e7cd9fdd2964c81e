#include "ranker/loader.h"

#include <pthread.h>

#include <optional>
#include <thread>
#include <utility>

#include "base/concat.h"
#include "engine/factory.h"
#include "model/model.h"

namespace podium {
namespace {

constexpr int kThreadsMax = 1024;
constexpr int kBatchTokensMax = 1 << 20;

Status CheckRange(const char* option, int got, int max, const char* zero_means) {
  if (got >= 0 && got <= max) return OkStatus();
  return InvalidArgument(
      Concat(option, ": got ", got, ", allowed: 1 to ", max, ", or 0 for ", zero_means));
}

Status CheckOptions(const OpenOptions& options) {
  if (options.model.empty()) return InvalidArgument("model: got \"\", expected a folder or a name");
  if (const auto rule = ParsePairRule(options.truncation); !rule.ok()) return rule.status();
  return CheckRange("batch_tokens_max", options.batch_tokens_max, kBatchTokensMax, "the default");
}

std::string NameOf(const std::string& asked, const std::string& folder) {
  if (asked != folder) return asked;
  const size_t end = folder.find_last_not_of('/');
  if (end == std::string::npos) return folder;
  const size_t slash = folder.rfind('/', end);
  return folder.substr(slash + 1, end - slash);  // npos + 1 is 0
}

// Runs `work` on a thread of its own; Result() waits for it.
class TokenizerLoading {
 public:
  explicit TokenizerLoading(std::shared_ptr<const Model> model)
      : thread_([this, model = std::move(model)] { result_.emplace(OpenTokenizer(*model)); }) {
    pthread_setname_np(thread_.native_handle(), "podium-loader");
  }
  ~TokenizerLoading() {
    if (thread_.joinable()) thread_.join();
  }
  TokenizerLoading(const TokenizerLoading&) = delete;
  TokenizerLoading& operator=(const TokenizerLoading&) = delete;

  Result<std::unique_ptr<Tokenizer>> Take() {
    thread_.join();
    return *std::move(result_);
  }

 private:
  std::optional<Result<std::unique_ptr<Tokenizer>>> result_;  // before the thread that writes it
  std::thread thread_;
};

// RoBERTa's rows of the position table are counted from the padding id. transformers takes the one
// of config.json; where the tokenizer has another, one of the two files is not the model's.
Status CheckPadding(const Tokenizer& tokenizer, const Model& model) {
  const int padding_id = model.spec().padding_id();
  if (padding_id < 0) return OkStatus();
  PODIUM_ASSIGN_OR_RETURN(const std::string token, ReadPaddingToken(model));
  const std::string_view piece = tokenizer.Piece(padding_id);
  if (token.empty() || piece == token) return OkStatus();
  return Corrupt(Concat(model.folder(), "/config.json: pad_token_id is ", padding_id,
                        ", which the tokenizer has as \"", piece, "\"; its pad_token is \"", token,
                        "\". Positions count from the padding id, so that every score would be "
                        "another: make both the same"));
}

}  // namespace

Result<std::unique_ptr<Tokenizer>> OpenTokenizer(const Model& model) {
  return OpenTokenizer(model.folder(), [&](const std::string& name, size_t bytes_max) {
    return model.ReadFile(name, bytes_max);
  });
}

Result<std::shared_ptr<Team>> MakeTeam(int threads) {
  PODIUM_RETURN_IF_ERROR(
      CheckRange("threads", threads, kThreadsMax, "as many as this process may use"));
  return std::make_shared<Team>(threads > 0 ? threads : UsableCores());
}

Result<LoadedRanker> LoadRanker(const OpenOptions& options, SharedParts shared) {
  PODIUM_RETURN_IF_ERROR(CheckOptions(options));
  if (shared.team == nullptr) {
    PODIUM_ASSIGN_OR_RETURN(shared.team, MakeTeam(options.threads));
  }
  LoadedRanker loaded;
  PODIUM_ASSIGN_OR_RETURN(loaded.folder, FindModelFolder(options.model));
  PODIUM_ASSIGN_OR_RETURN(const std::shared_ptr<const Model> model, OpenModel(loaded.folder));
  loaded.name = NameOf(options.model, loaded.folder);
  TokenizerLoading tokenizer(model);
  loaded.architecture = model->spec().architecture;
  loaded.score_scale = model->spec().score_scale;
  loaded.layers = model->spec().layers;
  loaded.hidden = model->spec().hidden;

  Ranker::Parts parts;
  parts.team = std::move(shared.team);
  parts.token_cache = std::move(shared.token_cache);
  EngineOptions engine_options;
  engine_options.precision = options.precision;
  engine_options.isa = options.isa;
  engine_options.lock_memory = options.lock_memory;
  engine_options.read_in_place = options.read_in_place;
  PODIUM_ASSIGN_OR_RETURN(parts.engine, MakeEngine(model, engine_options, *parts.team));
  PODIUM_ASSIGN_OR_RETURN(parts.tokenizer, tokenizer.Take());
  PODIUM_RETURN_IF_ERROR(CheckPadding(*parts.tokenizer, *model));

  RankerOptions ranker_options;
  ranker_options.max_length = options.max_length;
  PODIUM_ASSIGN_OR_RETURN(ranker_options.truncation, ParsePairRule(options.truncation));
  if (options.batch_tokens_max > 0) ranker_options.batch_tokens_max = options.batch_tokens_max;
  PODIUM_ASSIGN_OR_RETURN(loaded.ranker, Ranker::Make(std::move(parts), ranker_options));
  return loaded;
}

}  // namespace podium
