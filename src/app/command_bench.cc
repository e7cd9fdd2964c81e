#include <algorithm>
#include <cmath>
#include <utility>

#include "app/bench_output.h"
#include "app/commands.h"
#include "app/machine.h"
#include "base/concat.h"
#include "engine/factory.h"
#include "measure/clock.h"
#include "measure/pass.h"
#include "measure/peak.h"
#include "model/model.h"
#include "ranker/ranker.h"

namespace podium {
namespace {

constexpr int kSweepTokensMax = 1 << 17;  // of a batch
constexpr int kBatchSequencesMax = 512;   // RankerOptions'
constexpr double kPeakSeconds = 0.02;     // before each round

Status CheckCommand(const BenchCommand& command) {
  if (!(command.seconds > 0) || command.seconds > kTimedSecondsMax) {
    return InvalidArgument(
        Concat("seconds: got ", command.seconds, ", allowed: above 0, to ", kTimedSecondsMax));
  }
  for (const int budget : command.budgets) {
    if (budget < 1 || budget > kSweepTokensMax) {
      return InvalidArgument(Concat("budgets: got ", budget, ", allowed: 1 to ", kSweepTokensMax));
    }
  }
  if (!command.plot.empty() && !command.sweep) {
    return InvalidArgument("plot: there is a picture of --sweep only");
  }
  return OkStatus();
}

// One lane, and what it is known to do: rows are added to the report.
class Bench {
 public:
  Bench(Lane& lane, Team& team, const Interrupt& interrupt, BenchReport& report)
      : lane_(lane), team_(team), interrupt_(interrupt), report_(report) {}

  Status Calibrate() {
    PODIUM_ASSIGN_OR_RETURN(speed_, measure::RoughSpeed(lane_, report_.spec, interrupt_));
    return OkStatus();
  }

  // As many of the workload's pairs as `seconds` allow.
  Status Time(BenchRow row, std::vector<int> lengths, const BatchBudget& budget, double seconds) {
    const int longest = *std::max_element(lengths.begin(), lengths.end());
    if (longest > lane_.limits().length_max) {
      row.remark = Concat("longer than the model's ", lane_.limits().length_max);
      report_.rows.push_back(std::move(row));
      return OkStatus();
    }
    // The first batch runs twice.
    const double allowed = speed_ * seconds / 2;
    while (lengths.size() > 1 && measure::NominalOperations(report_.spec, lengths) > allowed) {
      lengths.pop_back();
      ++row.left_out;
    }
    row.operations = measure::NominalOperations(report_.spec, lengths);
    if (row.operations > 2 * allowed) {
      row.remark =
          Concat("left out: one pair would take about ", std::ceil(row.operations / speed_), " s");
      report_.rows.push_back(std::move(row));
      return OkStatus();
    }
    const auto batches = measure::MakeBatches(report_.spec.vocabulary, lengths, budget);
    const measure::Unit unit = measure::UnitOf(report_.engine.precision);
    const auto peak = [&] {
      report_.peak =
          std::max(report_.peak, measure::TeamPeak(report_.engine.isa, unit, kPeakSeconds, team_));
    };
    PODIUM_ASSIGN_OR_RETURN(row.times,
                            measure::TimePass(lane_, batches, seconds, interrupt_, peak));
    row.pairs = lengths.size();
    row.batches = batches.size();
    for (const int n : lengths) row.tokens += static_cast<size_t>(n);
    speed_ = std::max(speed_, row.operations_per_s());
    report_.rows.push_back(std::move(row));
    return OkStatus();
  }

 private:
  Lane& lane_;
  Team& team_;
  const Interrupt& interrupt_;
  BenchReport& report_;
  double speed_ = 0;  // operations per second that were reached so far
};

Status TimeWorkloads(const BenchCommand& command, Bench& bench, const BenchReport& report) {
  const BatchBudget budget{.tokens_max = report.batch_tokens_max,
                           .sequences_max = kBatchSequencesMax,
                           .attention_cost = report.engine.attention_cost};
  for (const std::string& name : command.workloads) {
    PODIUM_ASSIGN_OR_RETURN(measure::Workload workload, measure::ParseWorkload(name));
    BenchRow row;
    row.name = workload.name;
    const double share = command.seconds / static_cast<double>(command.workloads.size());
    PODIUM_RETURN_IF_ERROR(bench.Time(std::move(row), std::move(workload.lengths), budget, share));
  }
  return OkStatus();
}

// One batch of as many pairs as each budget takes.
Status TimeSweep(const BenchCommand& command, Bench& bench, const BenchReport& report) {
  std::vector<BenchRow> rows;
  for (const int length : command.lengths) {
    PODIUM_RETURN_IF_ERROR(measure::ParseWorkload(Concat(length)).status());
    size_t before = 0;
    for (const int tokens : command.budgets) {
      const BatchBudget budget{.tokens_max = tokens,
                               .sequences_max = kBatchSequencesMax,
                               .attention_cost = report.engine.attention_cost};
      const double fit = std::floor(tokens / budget.Cost(length));
      BenchRow row;
      row.length = length;
      row.budget = tokens;
      row.pairs = static_cast<size_t>(std::clamp(fit, 1.0, 1.0 * kBatchSequencesMax));
      if (row.pairs == before) continue;  // the same batch again
      before = row.pairs;
      rows.push_back(std::move(row));
    }
  }
  for (BenchRow& row : rows) {
    std::vector<int> lengths(row.pairs, row.length);
    const BatchBudget whole{.tokens_max = kSweepTokensMax, .sequences_max = kBatchSequencesMax};
    PODIUM_RETURN_IF_ERROR(bench.Time(std::move(row), std::move(lengths), whole,
                                      command.seconds / static_cast<double>(rows.size())));
  }
  return OkStatus();
}

Status Measure(const BenchCommand& command, Session session) {
  PODIUM_RETURN_IF_ERROR(CheckCommand(command));
  BenchReport report;
  report.sweep = command.sweep;
  report.processor = ProcessorName();
  PODIUM_ASSIGN_OR_RETURN(report.model, ChooseModel(command.open.model));
  PODIUM_ASSIGN_OR_RETURN(const std::string folder, FindModelFolder(report.model));
  const double start = measure::Now();
  Team team(command.open.threads > 0 ? command.open.threads : UsableCores());
  report.threads = team.size();
  PODIUM_ASSIGN_OR_RETURN(std::shared_ptr<const Model> model, OpenModel(folder));
  report.spec = model->spec();
  PODIUM_ASSIGN_OR_RETURN(const std::unique_ptr<Engine> engine,
                          MakeEngine(std::move(model),
                                     {.precision = command.open.precision,
                                      .isa = command.open.isa,
                                      .lock_memory = command.open.lock_memory,
                                      .read_in_place = command.open.read_in_place},
                                     team));
  report.engine = engine->info();
  report.unit =
      measure::PeakInstruction(report.engine.isa, measure::UnitOf(report.engine.precision));

  LaneLimits limits;
  limits.batch_tokens_max = command.open.batch_tokens_max > 0 ? command.open.batch_tokens_max
                                                              : RankerOptions().batch_tokens_max;
  report.batch_tokens_max = limits.batch_tokens_max;
  limits.sequences_max = kBatchSequencesMax;
  if (command.sweep && !command.budgets.empty()) {
    limits.batch_tokens_max = *std::max_element(command.budgets.begin(), command.budgets.end());
  }
  PODIUM_ASSIGN_OR_RETURN(const std::unique_ptr<Lane> lane, engine->NewLane(team, limits));
  report.arena_bytes = lane->arena_bytes();
  report.open_seconds = measure::Now() - start;

  const Interrupt interrupt{.cancel = &session.cancel};
  Bench bench(*lane, team, interrupt, report);
  PODIUM_RETURN_IF_ERROR(bench.Calibrate());
  PODIUM_RETURN_IF_ERROR(command.sweep ? TimeSweep(command, bench, report)
                                       : TimeWorkloads(command, bench, report));

  const bool table = command.format == OutputFormat::kTable ||
                     (command.format == OutputFormat::kAuto && session.out.is_terminal());
  session.out.Write(table ? BenchTable(report, session.out.columns()) : BenchJson(report));
  if (!command.csv.empty()) PODIUM_RETURN_IF_ERROR(WriteTextFile(command.csv, BenchCsv(report)));
  if (!command.plot.empty()) PODIUM_RETURN_IF_ERROR(WriteTextFile(command.plot, BenchSvg(report)));
  return session.out.Finish();
}

}  // namespace

int Run(const BenchCommand& command, Session session) {
  const Status status = Measure(command, session);
  return status.ok() ? kExitOk : Fail(status);
}

}  // namespace podium
