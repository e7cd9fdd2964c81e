#include "app/bench_output.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "app/display_width.h"
#include "app/table.h"
#include "base/concat.h"
#include "json/writer.h"
#include "plot/panel.h"
#include "podium/version.h"

namespace podium {
namespace {

using plot::Ink;

std::string Fixed(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

// Three digits that count, without an exponent.
std::string Short(double value) {
  return Fixed(value, value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3);
}

std::string Share(const BenchReport& report, const BenchRow& row) {
  return report.peak > 0 ? Fixed(100 * row.operations_per_s() / report.peak, 1) + " %" : "";
}

std::string Mebibytes(size_t bytes) {
  return Fixed(static_cast<double>(bytes) / (1 << 20), 1) + " MiB";
}

double Spread(const BenchRow& row) { return row.times.worst() / row.times.best(); }

std::string Remark(const BenchRow& row) {
  if (!row.remark.empty()) return row.remark;
  return row.left_out == 0 ? "" : Concat(row.left_out, " pairs left out for lack of time");
}

std::string Name(const BenchReport& report, const BenchRow& row) {
  return report.sweep ? Concat(row.length, " tokens, budget ", row.budget) : row.name;
}

std::vector<std::string> Cells(const BenchReport& report, const BenchRow& row) {
  std::vector<std::string> cells;
  if (report.sweep) {
    cells = {Concat(row.length), Concat(row.budget)};
  } else {
    cells = {row.name};
  }
  cells.push_back(Concat(row.pairs));
  if (!report.sweep) cells.push_back(Concat(row.batches));
  for (std::string cell :
       {Fixed(row.tokens_per_s(), 0), Short(row.pairs_per_s()),
        Short(1e3 * row.batch_quantile(0.5)), Short(1e3 * row.batch_quantile(0.99)),
        Fixed(row.operations_per_s() * 1e-9, 0), Share(report, row)}) {
    cells.push_back(std::move(cell));
  }
  return cells;
}

void WriteRow(const BenchReport& report, const BenchRow& row, json::Writer& writer) {
  writer.BeginObject();
  if (report.sweep) {
    writer.Key("length");
    writer.Int(row.length);
    writer.Key("batch_tokens_max");
    writer.Int(row.budget);
  } else {
    writer.Key("workload");
    writer.String(row.name);
  }
  const std::string remark = Remark(row);
  if (!remark.empty()) {
    writer.Key("remark");
    writer.String(remark);
  }
  if (row.remark.empty()) {
    for (const auto& [name, value] : {std::pair<const char*, size_t>{"pairs", row.pairs},
                                      {"tokens", row.tokens},
                                      {"batches", row.batches},
                                      {"rounds", row.times.rounds.size()}}) {
      writer.Key(name);
      writer.Int(static_cast<int64_t>(value));
    }
    for (const auto& [name, value] :
         {std::pair<const char*, double>{"tokens_per_s", row.tokens_per_s()},
          {"pairs_per_s", row.pairs_per_s()},
          {"seconds_best", row.times.best()},
          {"seconds_median", row.times.median()},
          {"seconds_worst", row.times.worst()},
          {"batch_seconds_p50", row.batch_quantile(0.5)},
          {"batch_seconds_p99", row.batch_quantile(0.99)},
          {"operations_per_s", row.operations_per_s()}}) {
      writer.Key(name);
      writer.Double(value);
    }
    writer.Key("share_of_peak");
    if (report.peak > 0) {
      writer.Double(row.operations_per_s() / report.peak);
    } else {
      writer.Null();
    }
  }
  writer.EndObject();
}

// The figures are of this and nothing else.
std::vector<std::pair<std::string, std::string>> Facts(const BenchReport& report) {
  const EncoderSpec& spec = report.spec;
  return {
      {"model",
       Concat(Printable(report.model, 200), ", ", spec.layers, " × ", spec.hidden, ", ",
              Fixed(static_cast<double>(report.engine.parameters) * 1e-6, 1), " M parameters")},
      {"processor", report.processor},
      {"precision", report.engine.precision},
      {"table", report.engine.isa},
      {"threads", Concat(report.threads)},
      {"peak", report.peak > 0 ? Concat(Fixed(report.peak * 1e-9, 0), " GFLOPS of ", report.unit)
                               : "none for this table"},
      {"plan", Concat("batches of ", report.batch_tokens_max,
                      " tokens; a token's attention to "
                      "another costs 1/",
                      Fixed(1 / report.engine.attention_cost, 0), " of its own work")},
      {"memory", Concat("weights ", Mebibytes(report.engine.weight_bytes), ", activations ",
                        Mebibytes(report.arena_bytes))},
      {"opened in", Fixed(report.open_seconds, 2) + " s"}};
}

}  // namespace

double BenchRow::batch_quantile(double share) const {
  const auto count = static_cast<double>(times.batches.size());
  const auto at = static_cast<size_t>(std::max(0.0, std::ceil(share * count) - 1));
  return times.batches[std::min(at, times.batches.size() - 1)];
}

std::string BenchTable(const BenchReport& report, int columns) {
  std::vector<std::string> header = {"workload", "pairs", "batches"};
  if (report.sweep) header = {"length", "budget", "pairs"};
  header.insert(header.end(), {"tokens/s", "pairs/s", "ms/batch", "p99", "GFLOPS", "of peak"});
  std::vector<bool> right(header.size(), true);
  right.front() = report.sweep;
  Table table(std::move(right));
  table.Add(std::move(header));
  std::string below;
  double spread = 1;
  for (const BenchRow& row : report.rows) {
    const std::string remark = Remark(row);
    if (!remark.empty()) below += Concat(Name(report, row), ": ", remark, "\n");
    if (!row.remark.empty()) continue;
    table.Add(Cells(report, row));
    spread = std::max(spread, Spread(row));
  }
  return Concat(RenderFacts(Facts(report)), "\n", table.Render(columns), below,
                "medians of the rounds; the slowest took ", Fixed(spread, 2),
                " times as long as the fastest at most\n");
}

std::string BenchJson(const BenchReport& report) {
  std::string out;
  json::Writer writer(out);
  const auto text = [&](const char* key, const std::string& value) {
    writer.Key(key);
    writer.String(value);
  };
  const auto number = [&](const char* key, auto value) {
    writer.Key(key);
    writer.Int(static_cast<int64_t>(value));
  };
  writer.BeginObject();
  text("podium", Version());
  text("model", report.model);
  text("processor", report.processor);
  text("architecture", report.spec.architecture);
  number("layers", report.spec.layers);
  number("hidden", report.spec.hidden);
  number("ffn", report.spec.ffn);
  number("parameters", report.engine.parameters);
  text("precision", report.engine.precision);
  text("isa", report.engine.isa);
  number("threads", report.threads);
  number("batch_tokens_max", report.batch_tokens_max);
  writer.Key("attention_cost");
  writer.Double(report.engine.attention_cost);
  number("weight_bytes", report.engine.weight_bytes);
  number("arena_bytes", report.arena_bytes);
  writer.Key("open_seconds");
  writer.Double(report.open_seconds);
  writer.Key("peak");
  if (report.peak > 0) {
    writer.BeginObject();
    text("instruction", report.unit);
    writer.Key("operations_per_s");
    writer.Double(report.peak);
    writer.EndObject();
  } else {
    writer.Null();
  }
  writer.Key(report.sweep ? "sweep" : "workloads");
  writer.BeginArray();
  for (const BenchRow& row : report.rows) WriteRow(report, row, writer);
  writer.EndArray();
  writer.EndObject();
  out += '\n';
  return out;
}

std::string BenchCsv(const BenchReport& report) {
  std::string out =
      "workload,length,batch_tokens_max,pairs,tokens,batches,rounds,tokens_per_s,pairs_per_s,"
      "batch_ms_p50,batch_ms_p99,gflops,share_of_peak\n";
  for (const BenchRow& row : report.rows) {
    if (!row.remark.empty()) continue;
    const auto or_empty = [](int number) { return number > 0 ? Concat(number) : std::string(); };
    out += Concat(
        row.name, ",", or_empty(row.length), ",",
        report.sweep ? row.budget : report.batch_tokens_max, ",", row.pairs, ",", row.tokens, ",",
        row.batches, ",", row.times.rounds.size(), ",", Fixed(row.tokens_per_s(), 1), ",",
        Fixed(row.pairs_per_s(), 3), ",", Fixed(1e3 * row.batch_quantile(0.5), 4), ",",
        Fixed(1e3 * row.batch_quantile(0.99), 4), ",", Fixed(row.operations_per_s() * 1e-9, 2), ",",
        report.peak > 0 ? Fixed(row.operations_per_s() / report.peak, 4) : "", "\n");
  }
  return out;
}

std::string BenchSvg(const BenchReport& report) {
  constexpr Ink kInks[] = {Ink::kFirst, Ink::kSecond, Ink::kThird};
  double slowest = 0;
  double most = 0;
  std::vector<std::pair<int, std::vector<plot::Point>>> curves;
  for (const BenchRow& row : report.rows) {
    if (!row.remark.empty()) continue;
    if (curves.empty() || curves.back().first != row.length) curves.push_back({row.length, {}});
    curves.back().second.push_back({1e3 * row.batch_quantile(0.5), row.tokens_per_s()});
    slowest = std::max(slowest, curves.back().second.back().x);
    most = std::max(most, row.tokens_per_s());
  }
  const std::string title =
      Concat("Latency and throughput, ", report.model, ", ", report.engine.precision, ", ",
             report.engine.isa, ", ", report.threads, report.threads == 1 ? " thread" : " threads");
  plot::Svg svg(1000, 560, title, "Tokens per second over the time of one batch, by pair length");
  plot::Panel panel(svg, {80, 60, 860, 430}, {0, slowest > 0 ? slowest * 1.1 : 1},
                    {0, most > 0 ? most * 1.1 : 1},
                    {title, "milliseconds of a batch (median)", "tokens per second"});
  for (size_t i = 0; i < curves.size(); ++i) {
    const Ink ink = kInks[i % std::size(kInks)];
    const std::vector<plot::Point>& points = curves[i].second;
    panel.Curve(points, ink);
    panel.Marks(points, ink);
    plot::Point end = panel.At(points.back().x, points.back().y);
    svg.Text({end.x, end.y - 10}, plot::Anchor::kEnd, Concat(curves[i].first, " tokens a pair"),
             ink);
  }
  return std::move(svg).Finish();
}

}  // namespace podium
