#include "ranker/ranker.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/concat.h"
#include "ranker/duplicates.h"

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

}  // namespace

// Encoded pairs waiting for their batch, end to end.
struct Ranker::Window {
  std::vector<int32_t> ids;
  std::vector<uint8_t> types;
  std::vector<int> lengths;
  std::vector<uint32_t> indices;                      // of each pair, in the request
  std::vector<std::pair<uint32_t, uint32_t>> copies;  // pair ← earlier pair with the same ids

  bool Full(const RankerOptions& options) const {
    return lengths.size() + copies.size() >= static_cast<size_t>(options.window_pairs_max) ||
           ids.size() >= static_cast<size_t>(options.window_tokens_max);
  }
  void Clear() {
    ids.clear();
    types.clear();
    lengths.clear();
    indices.clear();
    copies.clear();
  }
};

Result<std::unique_ptr<Ranker>> Ranker::Make(Parts parts, const RankerOptions& options) {
  const EngineInfo& info = parts.engine->info();
  PODIUM_RETURN_IF_ERROR(CheckBelongTogether(*parts.tokenizer, info));
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
  const PairEncoder encoder(*parts_.tokenizer, max_length, options_.truncation);
  std::vector<Score> scores(count);
  Duplicates duplicates(options_.duplicate_ids_max);
  Window window;
  std::vector<float> logits;
  std::string_view query_text;
  Encoded query;
  for (size_t next = 0; next < count;) {
    window.Clear();
    for (; next < count && !window.Full(options_); ++next) {
      PODIUM_RETURN_IF_ERROR(interrupt.Check());
      const Pair pair = pair_at(next);
      if (next == 0 || pair.query != query_text) {
        query_text = pair.query;
        query = encoder.EncodeQuery(pair.query);
      }
      const Encoded document = encoder.EncodeDocument(pair.document, query);
      PODIUM_RETURN_IF_ERROR(encoder.CheckRoom(query, document));
      const size_t start = window.ids.size();
      scores[next].truncated = encoder.AppendPair(query, document, window.ids, window.types);
      const auto index = static_cast<uint32_t>(next);
      const std::span<const int32_t> ids = std::span(window.ids).subspan(start);
      scores[next].tokens = static_cast<int>(ids.size());
      if (const auto first = duplicates.FindOrAdd(ids, index)) {
        window.ids.resize(start);
        window.types.resize(start);
        window.copies.emplace_back(index, *first);
      } else {
        window.lengths.push_back(scores[next].tokens);
        window.indices.push_back(index);
      }
    }
    logits.resize(window.lengths.size());
    PODIUM_RETURN_IF_ERROR(ScoreWindow(window, logits, interrupt));
    for (size_t i = 0; i < logits.size(); ++i) {
      if (!std::isfinite(logits[i])) {
        return Internal(Concat(pair_word, " ", window.indices[i], ": the model gave ", logits[i],
                               " instead of a score"));
      }
      scores[window.indices[i]].logit = logits[i];
    }
    for (const auto& [index, first] : window.copies) scores[index].logit = scores[first].logit;
  }
  return scores;
}

Status Ranker::ScoreWindow(const Window& window, std::span<float> logits,
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
    if (send_types_) batch.types = std::span(window.types).subspan(token, tokens);
    batch.starts = starts;
    token += tokens;

    PODIUM_RETURN_IF_ERROR(turns_.Enter(interrupt));
    const LeaveAtEnd leave(turns_);
    PODIUM_RETURN_IF_ERROR(
        lane_->Score(batch, logits.subspan(range.begin, range.end - range.begin), interrupt));
  }
  return OkStatus();
}

}  // namespace podium
