#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <fstream>

#include "app/commands.h"
#include "app/display_width.h"
#include "app/eval_output.h"
#include "app/progress.h"
#include "base/concat.h"
#include "evaluation/rerank_set.h"
#include "podium/reranker.h"

namespace podium {
namespace {

using Clock = std::chrono::steady_clock;

struct Ranked {
  Judgements judgements;
  TrecRun run;
  std::string model;
  std::string precision;
  std::string isa;
};

// The first `limit` queries, where there is a limit.
Judgements Limited(Judgements judgements, int limit) {
  if (limit == 0 || judgements.queries().size() <= static_cast<size_t>(limit)) return judgements;
  Judgements kept;
  for (int i = 0; i < limit; ++i) kept.AddQuery(judgements.queries()[i]);
  return kept;
}

// An existing run against its judgements.
Result<Ranked> ReadRanked(const EvalCommand& command) {
  Ranked ranked;
  auto judgements = command.lists.set.qrels.empty()
                        ? ReadDataJudgements(command.lists.path, command.lists.set.split)
                        : ReadJudgements(command.lists.set.qrels);
  if (!judgements.ok()) return judgements.status();
  ranked.judgements = Limited(*std::move(judgements), command.lists.limit);
  PODIUM_ASSIGN_OR_RETURN(ranked.run, ReadRun(command.lists.set.run, nullptr));
  return ranked;
}

Result<Ranked> RankAll(const EvalCommand& command, const std::atomic<bool>& cancel) {
  PODIUM_ASSIGN_OR_RETURN(RerankSet set, ReadRerankSet(command.lists.path, command.lists.set));
  if (set.judgements.queries().empty()) {
    return InvalidArgument(
        Concat(command.lists.path, ": no labels to evaluate with; give --qrels"));
  }
  if (const auto limit = static_cast<size_t>(command.lists.limit);
      limit > 0 && limit < set.lists.size()) {
    set.lists.resize(limit);
    Judgements kept;
    for (const RerankList& list : set.lists) {
      if (const auto* judged = set.judgements.Find(list.id)) kept.AddQuery(*judged);
    }
    set.judgements = std::move(kept);
  }
  OpenOptions open = command.open;
  PODIUM_ASSIGN_OR_RETURN(open.model, ChooseModel(open.model));
  PODIUM_ASSIGN_OR_RETURN(const std::unique_ptr<Reranker> reranker, Reranker::Open(open));

  Ranked ranked{std::move(set.judgements),
                {},
                reranker->info().name,
                reranker->info().precision,
                reranker->info().isa};
  RankOptions options;
  options.cancel = &cancel;
  ProgressLine progress(isatty(STDERR_FILENO) == 0);
  RateMeter meter;
  size_t pairs = 0;
  for (size_t i = 0; i < set.lists.size(); ++i) {
    const RerankList& list = set.lists[i];
    if (list.document_ids.empty()) continue;  // a query that the run lacks stays missing
    std::vector<Pair> wanted;
    for (const size_t document : list.documents)
      wanted.push_back({list.query, set.texts[document]});
    auto scores = reranker->ScorePairs(wanted, options);
    if (scores.status().code() == StatusCode::kInternal) {
      return Status(StatusCode::kInternal,
                    Concat("query ", list.id, ": ", scores.status().message()));
    }
    PODIUM_RETURN_IF_ERROR(scores.status());
    std::vector<RunEntry> entries;
    for (size_t d = 0; d < scores->size(); ++d) {
      entries.push_back({list.document_ids[d], (*scores)[d].logit});
    }
    ranked.run.Add(list.id, std::move(entries));
    pairs += scores->size();
    const Clock::time_point now = Clock::now();
    meter.Add(now, static_cast<double>(i + 1));
    if (!progress.IsDue(now)) continue;
    const std::string left = TimeLeft(meter.rate(), static_cast<double>(set.lists.size() - i - 1));
    progress.Show(now, Concat(i + 1, " of ", set.lists.size(), " queries, ", pairs, " pairs",
                              left.empty() ? "" : "  ", left, left.empty() ? "" : " left"));
  }
  return ranked;
}

Status WriteRun(const std::string& path, const TrecRun& run, std::string tag) {
  for (char& c : tag) {
    if (static_cast<unsigned char>(c) <= ' ') c = '_';
  }
  std::ofstream file(path, std::ios::binary);
  for (const TrecRun::Query& query : run.queries()) {
    for (size_t i = 0; i < query.entries.size(); ++i) {
      const RunEntry& entry = query.entries[i];
      PODIUM_ASSIGN_OR_RETURN(const std::string line,
                              RunLine(query.id, entry.document, i + 1, entry.score, tag));
      file << line;
    }
  }
  file.close();
  return file ? OkStatus() : IoError(Concat(path, ": cannot write the run"));
}

}  // namespace

int Run(const EvalCommand& command, Session session) {
  const auto metrics = ParseMetrics(command.metrics);
  if (!metrics.ok()) return UsageFail(metrics.status().message().c_str(), "eval");
  const bool has_run = !command.lists.set.run.empty();
  const bool reads = has_run && command.open.model.empty();
  if (command.lists.path.empty() && (!reads || command.lists.set.qrels.empty())) {
    return UsageFail("give lists (and --run FILE to evaluate), or --qrels FILE and --run FILE",
                     "eval");
  }
  if (reads && !command.write_run.empty()) {
    return UsageFail("--write-run writes what a model ranked; a model is named with --model",
                     "eval");
  }
  auto ranked = reads ? ReadRanked(command) : RankAll(command, session.cancel);
  if (!ranked.ok()) return Fail(ranked.status());
  if (!command.write_run.empty()) {
    const Status status = WriteRun(command.write_run, ranked->run, ranked->model);
    if (!status.ok()) return Fail(status);
  }
  const Evaluation evaluation =
      EvaluateRun(ranked->judgements, ranked->run, *metrics,
                  command.skip_missing ? MissingQueries::kSkip : MissingQueries::kZero);
  if (evaluation.queries.empty()) {
    return Fail(InvalidArgument(Concat(has_run ? command.lists.set.run : command.lists.path,
                                       ": not one query of it is judged")));
  }
  std::vector<Interval> intervals;
  for (size_t m = 0; command.interval && m < metrics->size(); ++m) {
    std::vector<double> values;
    for (const Evaluation::Query& query : evaluation.queries) values.push_back(query.values[m]);
    intervals.push_back(BootstrapMean(values, BootstrapOptions()));
  }
  const std::string& judgements =
      command.lists.set.qrels.empty() ? command.lists.path : command.lists.set.qrels;
  const EvaluationView view{ranked->model,    ranked->precision, ranked->isa, command.lists.set.run,
                            judgements,       *metrics,          evaluation,  intervals,
                            command.per_query};
  const bool table = command.format == OutputFormat::kTable ||
                     (command.format == OutputFormat::kAuto && session.out.is_terminal());
  session.out.Write(table ? EvaluationTable(view, session.out.columns()) : EvaluationJson(view));
  if (Status status = session.out.Finish(); !status.ok()) return Fail(status);
  if (evaluation.missing > 0) {
    PrintMessage(Concat(
        evaluation.missing, " judged queries are missing from the ranking and ",
        command.skip_missing ? "not counted" : "count with 0; --skip-missing leaves them out"));
  }
  return kExitOk;
}

}  // namespace podium
