#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "app/commands.h"
#include "app/compare_output.h"
#include "app/compare_report.h"
#include "app/compare_run.h"
#include "app/lists.h"
#include "app/side.h"
#include "base/concat.h"
#include "evaluation/metrics.h"

namespace podium {
namespace {

// The list in the order of its logits, by the judgements.
double Ndcg(const Metric& metric, const Judgements::Query& judged, const RerankList& list,
            std::span<const float> logits) {
  std::vector<RunEntry> ranking;
  for (size_t i = 0; i < logits.size(); ++i) ranking.push_back({list.document_ids[i], logits[i]});
  std::sort(ranking.begin(), ranking.end(), RanksBefore);
  return Evaluate(metric, Grade(judged, ranking));
}

std::vector<ComparedList> Join(const RerankSet& set, const OpenedSide& a, const OpenedSide& b,
                               const Metric& metric) {
  std::vector<ComparedList> lists;
  size_t at = 0;
  for (const RerankList& list : set.lists) {
    const size_t count = list.documents.size();
    const auto logits_a = std::span(a.logits).subspan(at, count);
    const auto logits_b = std::span(b.logits).subspan(at, count);
    at += count;
    ComparedList joined;
    joined.a.assign(logits_a.begin(), logits_a.end());
    joined.b.assign(logits_b.begin(), logits_b.end());
    if (const Judgements::Query* judged = set.judgements.Find(list.id)) {
      joined.ndcg_a = Ndcg(metric, *judged, list, logits_a);
      joined.ndcg_b = Ndcg(metric, *judged, list, logits_b);
    }
    lists.push_back(std::move(joined));
  }
  return lists;
}

// All pairs where they are few; else those that differ most, and evenly spaced ones of the rest.
std::vector<plot::Point> PlottedPairs(const OpenedSide& a, const OpenedSide& b) {
  std::vector<size_t> order(a.logits.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::vector<size_t> chosen;
  if (order.size() > kPlottedPairsMax) {
    constexpr size_t kFarthest = kPlottedPairsMax / 20;
    const auto farther = [&](size_t i, size_t j) {
      return std::abs(b.logits[i] - a.logits[i]) > std::abs(b.logits[j] - a.logits[j]);
    };
    std::nth_element(order.begin(), order.begin() + kFarthest, order.end(), farther);
    chosen.assign(order.begin(), order.begin() + kFarthest);
    constexpr size_t kEven = kPlottedPairsMax - kFarthest;
    for (size_t i = 0; i < kEven; ++i) chosen.push_back(i * a.logits.size() / kEven);
  } else {
    chosen = std::move(order);
  }
  std::vector<plot::Point> points;
  for (const size_t i : chosen) {
    points.push_back({static_cast<double>(a.logits[i]), static_cast<double>(b.logits[i])});
  }
  return points;
}

Result<OpenOptions> Side(const std::string& text) {
  PODIUM_ASSIGN_OR_RETURN(OpenOptions open, ParseSide(text));
  PODIUM_ASSIGN_OR_RETURN(open.model, ChooseModel(open.model));
  return open;
}

Status CheckOptions(const CompareCommand& command) {
  if (command.k < 1) return InvalidArgument(Concat("k: got ", command.k, ", at least 1"));
  if (!(command.noise_sd >= 0 && std::isfinite(command.noise_sd))) {
    return InvalidArgument(Concat("noise-sd: got ", command.noise_sd, ", at least 0"));
  }
  if (command.rounds < 1 || command.rounds > kBootstrapRoundsMax) {
    return InvalidArgument(
        Concat("rounds: got ", command.rounds, ", allowed: 1 to ", kBootstrapRoundsMax));
  }
  if (!(command.confidence > 0 && command.confidence < 1)) {
    return InvalidArgument(
        Concat("confidence: got ", command.confidence, ", allowed: between 0 and 1"));
  }
  return OkStatus();
}

// A threshold on labels that are not there is found before an hour of scoring.
Status CheckLabels(const CompareCommand& command, const RerankSet& set) {
  const bool labelled =
      std::any_of(set.lists.begin(), set.lists.end(),
                  [&](const RerankList& list) { return set.judgements.Find(list.id) != nullptr; });
  for (size_t i = 0; i < command.bounds.size() && !labelled; ++i) {
    if (command.bounds[i] && GateRules()[i].needs_labels) {
      return InvalidArgument(
          Concat(GateRules()[i].flag, ": the lists have no labels to measure it on"));
    }
  }
  return OkStatus();
}

Result<CompareReport> MakeReport(const CompareCommand& command, Session session) {
  PODIUM_RETURN_IF_ERROR(CheckOptions(command));
  PODIUM_ASSIGN_OR_RETURN(const OpenOptions open_a, Side(command.a));
  PODIUM_ASSIGN_OR_RETURN(const OpenOptions open_b, Side(command.b));
  PODIUM_ASSIGN_OR_RETURN(const RerankSet set, ReadLists(command.lists));
  PODIUM_RETURN_IF_ERROR(CheckLabels(command, set));

  const std::vector<Pair> first = PairsOf(set, set.lists.front());
  PODIUM_ASSIGN_OR_RETURN(OpenedSide a, OpenSide(command.a, open_a, first, session.cancel));
  PODIUM_ASSIGN_OR_RETURN(OpenedSide b, OpenSide(command.b, open_b, first, session.cancel));
  CompareReport report;
  PODIUM_ASSIGN_OR_RETURN(report.speed, ScoreByTurns(set, a, b, session.cancel));

  report.options.k = command.k;
  report.options.noise_sd = command.noise_sd;
  report.options.bootstrap = {
      .rounds = command.rounds, .confidence = command.confidence, .seed = command.seed};
  const Metric metric{MetricKind::kNdcgExp, command.k};
  report.metric = metric.Name();
  report.result = Compare(Join(set, a, b, metric), report.options);
  for (const ListComparison& list : report.result.worst) {
    report.worst.push_back({set.lists[list.index].id, set.lists[list.index].query, list});
  }
  report.plotted = PlottedPairs(a, b);
  for (size_t i = 0; i < a.logits.size(); ++i) {
    report.deltas.push_back(static_cast<double>(b.logits[i]) - static_cast<double>(a.logits[i]));
  }
  report.a = std::move(a.about);
  report.b = std::move(b.about);
  return report;
}

}  // namespace

int Run(const CompareCommand& command, Session session) {
  const auto report = MakeReport(command, session);
  if (!report.ok()) return Fail(report.status());
  const std::vector<GateResult> gate = CheckGate(*report, command.bounds);

  const bool table = command.format == OutputFormat::kTable ||
                     (command.format == OutputFormat::kAuto && session.out.is_terminal());
  session.out.Write(table ? CompareTable(*report, gate, session.out.columns())
                          : CompareJson(*report, gate));
  Status status = session.out.Finish();
  if (status.ok() && !command.plot.empty()) {
    status = WriteTextFile(command.plot, CompareSvg(*report));
  }
  if (!status.ok()) return Fail(status);
  bool passed = true;
  for (const GateResult& result : gate) {
    if (result.ok) continue;
    passed = false;
    std::fprintf(stderr, "podium: threshold missed: %s\n", GateLine(result).c_str());
  }
  return passed ? kExitOk : kExitThreshold;
}

}  // namespace podium
