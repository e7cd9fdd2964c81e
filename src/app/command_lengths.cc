#include <algorithm>
#include <limits>
#include <unordered_map>

#include "app/commands.h"
#include "app/length_meter.h"
#include "app/lengths_output.h"
#include "app/lists.h"
#include "base/concat.h"
#include "ranker/loader.h"
#include "text/pair_encoder.h"

namespace podium {
namespace {

// Tokens of each distinct text, to its end.
class TokenCounter {
 public:
  explicit TokenCounter(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}

  /// `text` outlives the counter.
  int32_t Count(std::string_view text) {
    const auto [at, added] = counts_.try_emplace(text, 0);
    if (added) {
      const Encoded encoded = tokenizer_.Encode(text, std::numeric_limits<size_t>::max());
      at->second = static_cast<int32_t>(encoded.ids.size());
    }
    return at->second;
  }

  SortedValues counts() const {
    std::vector<double> all;
    all.reserve(counts_.size());
    for (const auto& [text, count] : counts_) all.push_back(count);
    return SortedValues(std::move(all));
  }

 private:
  const Tokenizer& tokenizer_;
  std::unordered_map<std::string_view, int32_t> counts_;
};

Status CheckLengths(const LengthsCommand& command, PairRule rule, int special_tokens) {
  for (const int length : command.lengths) {
    if (length < LengthMin(rule, special_tokens)) {
      return InvalidArgument(Concat("lengths: got ", length, "; at least ",
                                    LengthMin(rule, special_tokens), " (the template's ",
                                    special_tokens, " special tokens and one token of each side)"));
    }
  }
  if (!(command.cover >= 0 && command.cover <= 1)) {
    return InvalidArgument(Concat("cover: got ", command.cover, ", allowed: 0 to 1"));
  }
  if (!(command.seconds >= 0 && command.seconds <= kTimedSecondsMax)) {
    return InvalidArgument(
        Concat("seconds: got ", command.seconds, ", allowed: 0 to ", kTimedSecondsMax));
  }
  return OkStatus();
}

Status Measure(const LengthsCommand& command, Session session) {
  PODIUM_ASSIGN_OR_RETURN(const RerankSet set, ReadLists(command.lists));
  OpenOptions open = command.open;
  PODIUM_ASSIGN_OR_RETURN(open.model, ChooseModel(open.model));
  PODIUM_ASSIGN_OR_RETURN(const LoadedRanker loaded, LoadRanker(open));
  const Ranker& ranker = *loaded.ranker;
  const int special_tokens = ranker.tokenizer().pair_template().special_tokens();
  PODIUM_ASSIGN_OR_RETURN(const PairRule rule, ParsePairRule(open.truncation));
  PODIUM_RETURN_IF_ERROR(CheckLengths(command, rule, special_tokens));

  const Interrupt interrupt{.cancel = &session.cancel};
  TokenCounter queries(ranker.tokenizer());
  TokenCounter documents(ranker.tokenizer());
  std::vector<Pair> pairs;
  std::vector<PairLength> pair_lengths;
  std::vector<double> tokens;
  std::vector<double> query_of_pair;
  for (const RerankList& list : set.lists) {
    const int32_t query = queries.Count(list.query);
    for (const size_t document : list.documents) {
      PODIUM_RETURN_IF_ERROR(interrupt.Check());
      const std::string& text = set.texts[document];
      pairs.push_back({list.query, text});
      pair_lengths.push_back({query, documents.Count(text)});
      tokens.push_back(static_cast<double>(query) + pair_lengths.back().document + special_tokens);
      query_of_pair.push_back(query);
    }
  }
  const EngineInfo& engine = ranker.engine_info();
  LengthsReport report{.model = open.model,
                       .precision = engine.precision,
                       .isa = engine.isa,
                       .threads = ranker.threads(),
                       .special_tokens = special_tokens,
                       .queries = queries.counts(),
                       .documents = documents.counts(),
                       .pairs = SortedValues(std::move(tokens)),
                       .cover = command.cover};
  const auto query_max = [rule](int length) { return QueryTokensMax(rule, length); };
  // The length at which nothing is cut.
  auto longest = static_cast<int64_t>(report.pairs.values().back());
  const double longest_query = report.queries.values().back();
  while (longest < ranker.length_max() && query_max(static_cast<int>(longest)) < longest_query) {
    ++longest;
  }
  std::vector<int> lengths = LengthsToTry(command.lengths, ranker.length_max(), longest);
  if (rule == PairRule::kOnlySecond) {
    // A pair whose query leaves no room is refused by this rule: no length to recommend.
    const auto no_room = [&](int length) { return length <= special_tokens + longest_query; };
    lengths.erase(lengths.begin(), std::find_if_not(lengths.begin(), lengths.end() - 1, no_room));
  }
  report.rows = LengthRows(pair_lengths, special_tokens, lengths, query_max);
  if (command.seconds > 0) {
    PODIUM_ASSIGN_OR_RETURN(
        report.timed_pairs,
        MeasureCosts(ranker, pairs, pair_lengths, command.seconds, session.cancel, report.rows));
  }
  report.advice = AdviseLength(report.rows, command.cover, special_tokens,
                               SortedValues(std::move(query_of_pair)));

  const bool table = command.format == OutputFormat::kTable ||
                     (command.format == OutputFormat::kAuto && session.out.is_terminal());
  session.out.Write(table ? LengthsTable(report, session.out.columns()) : LengthsJson(report));
  if (!command.plot.empty()) {
    PODIUM_RETURN_IF_ERROR(WriteTextFile(command.plot, LengthsSvg(report)));
  }
  return session.out.Finish();
}

}  // namespace

int Run(const LengthsCommand& command, Session session) {
  const Status status = Measure(command, session);
  return status.ok() ? kExitOk : Fail(status);
}

}  // namespace podium
