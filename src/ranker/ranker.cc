#include "ranker/ranker.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/concat.h"

namespace podium {
namespace {

// The smaller of what the engine's positions and the tokenizer's own limit allow.
int ModelLengthMax(const Tokenizer& tokenizer, const EngineInfo& info) {
  return tokenizer.length_max() > 0 ? std::min(tokenizer.length_max(), info.length_max)
                                    : info.length_max;
}

Status CheckBelongTogether(const Tokenizer& tokenizer, const EngineInfo& info) {
  if (tokenizer.vocabulary() > info.vocabulary) {
    return Corrupt(Concat("the tokenizer has ", tokenizer.vocabulary(),
                          " ids, the model's word table has ", info.vocabulary,
                          " rows: they do not belong together"));
  }
  if (info.token_types > 1) {
    for (const TemplatePiece& piece : tokenizer.pair_template().pieces) {
      if (piece.type >= info.token_types) {
        return Corrupt(Concat("the tokenizer's pair template uses segment ", int{piece.type},
                              ", the model has ", info.token_types));
      }
    }
  }
  return OkStatus();
}

Result<int> ChooseLengthMax(const Tokenizer& tokenizer, const EngineInfo& info,
                            const RankerOptions& options) {
  const int asked = options.max_length;
  const int model = ModelLengthMax(tokenizer, info);
  const int special = tokenizer.pair_template().special_tokens();
  const int least = LengthMin(options.truncation, special);
  if (asked > model) {
    return InvalidArgument(
        Concat("max_length: got ", asked, ", the model's own limit is ", model, " tokens"));
  }
  if (asked < 0 || (asked > 0 && asked < least)) {
    return InvalidArgument(Concat("max_length: got ", asked, "; at least ", least,
                                  " (the template's ", special,
                                  " special tokens and one token of each side), at most ", model,
                                  ", or 0 for the model's own limit"));
  }
  if (asked == 0 && model < least) {
    return Corrupt(Concat("the model's limit of ", model, " tokens leaves no room beside the ",
                          special, " special tokens of a pair"));
  }
  return asked > 0 ? asked : model;
}

bool Full(const EncodedPairs& window, const RankerOptions& options) {
  return window.size() >= static_cast<size_t>(options.window_pairs_max) ||
         window.ids.size() >= static_cast<size_t>(options.window_tokens_max);
}

}  // namespace

Status FillSlots(const EncodedPairs& pairs, std::span<const float> logits, const char* pair_word,
                 std::span<Score> scores) {
  for (size_t i = 0; i < logits.size(); ++i) {
    if (!std::isfinite(logits[i])) {
      return Internal(Concat(pair_word, " ", pairs.indices[i], ": the model gave ", logits[i],
                             " instead of a score"));
    }
    scores[pairs.indices[i]].logit = logits[i];
  }
  for (const auto& [index, first] : pairs.copies) scores[index].logit = scores[first].logit;
  return OkStatus();
}

Result<std::unique_ptr<Ranker>> Ranker::Make(Parts parts, const RankerOptions& options) {
  const EngineInfo& info = parts.engine->info();
  PODIUM_RETURN_IF_ERROR(CheckBelongTogether(*parts.tokenizer, info));
  if (parts.token_cache != nullptr) {
    parts.tokenizer =
        std::make_unique<CachedTokenizer>(std::move(parts.tokenizer), parts.token_cache);
  }
  PODIUM_ASSIGN_OR_RETURN(const int length_max, ChooseLengthMax(*parts.tokenizer, info, options));
  const LaneLimits limits{.length_max = length_max,
                          .batch_tokens_max = options.batch_tokens_max,
                          .sequences_max = options.batch_sequences_max};
  PODIUM_ASSIGN_OR_RETURN(std::unique_ptr<Lane> lane, parts.engine->NewLane(*parts.team, limits));
  return std::unique_ptr<Ranker>(
      new Ranker(std::move(parts), std::move(lane), options, length_max));
}

Ranker::Ranker(Parts parts, std::unique_ptr<Lane> lane, const RankerOptions& options,
               int length_max)
    : parts_(std::move(parts)),
      lane_(std::move(lane)),
      options_(options),
      budget_{.tokens_max = options.batch_tokens_max,
              .sequences_max = options.batch_sequences_max,
              .attention_cost = parts_.engine->info().attention_cost},
      length_max_(length_max),
      send_types_(parts_.engine->info().token_types > 1) {}

Result<std::vector<Score>> Ranker::ScoreAll(size_t count, FunctionRef<Pair(size_t)> pair_at,
                                            const Interrupt& interrupt, const char* pair_word,
                                            int max_length) const {
  if (max_length > length_max()) {
    return InvalidArgument(
        Concat("max_length: got ", max_length, ", this model was opened for ", length_max()));
  }
  RankerOptions options = options_;
  options.max_length = max_length == 0 ? length_max() : max_length;
  PODIUM_ASSIGN_OR_RETURN(max_length,
                          ChooseLengthMax(*parts_.tokenizer, parts_.engine->info(), options));
  RequestEncoder encoder(*parts_.tokenizer, max_length, options_.truncation,
                         options_.duplicate_ids_max);
  std::vector<Score> scores(count);
  EncodedPairs window;
  std::vector<float> logits;
  for (size_t next = 0; next < count;) {
    window.Clear();
    for (; next < count && !Full(window, options_); ++next) {
      PODIUM_RETURN_IF_ERROR(interrupt.Check());
      PODIUM_RETURN_IF_ERROR(
          encoder.Add(static_cast<uint32_t>(next), pair_at(next), window, scores[next]));
    }
    logits.resize(window.lengths.size());
    PODIUM_RETURN_IF_ERROR(ScoreWindow(window, logits, interrupt));
    PODIUM_RETURN_IF_ERROR(FillSlots(window, logits, pair_word, scores));
  }
  return scores;
}

Status Ranker::ScoreWindow(const EncodedPairs& window, std::span<float> logits,
                           const Interrupt& interrupt) const {
  std::vector<int32_t> starts;
  size_t token = 0;
  for (const BatchRange& range : FormBatches(window.lengths, budget_)) {
    starts.assign(1, 0);
    for (size_t i = range.begin; i < range.end; ++i) {
      starts.push_back(starts.back() + window.lengths[i]);
    }
    const auto tokens = static_cast<size_t>(starts.back());
    Batch batch;
    batch.ids = std::span(window.ids).subspan(token, tokens);
    batch.types = std::span(window.types).subspan(token, tokens);
    batch.starts = starts;
    token += tokens;

    PODIUM_RETURN_IF_ERROR(
        ScoreBatch(batch, logits.subspan(range.begin, range.end - range.begin), interrupt));
  }
  return OkStatus();
}

Status Ranker::ScoreBatch(const Batch& batch, std::span<float> logits,
                          const Interrupt& interrupt) const {
  PODIUM_RETURN_IF_ERROR(turns_.Enter(interrupt));
  const LeaveAtEnd leave(turns_);
  if (send_types_) return lane_->Score(batch, logits, interrupt);
  Batch plain = batch;
  plain.types = {};
  return lane_->Score(plain, logits, interrupt);
}

RequestEncoder Ranker::NewEncoder(const EncodeOptions& options) const {
  return RequestEncoder(*parts_.tokenizer, length_max_, options_.truncation,
                        options_.duplicate_ids_max, options);
}

}  // namespace podium
