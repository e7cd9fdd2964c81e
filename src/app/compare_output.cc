#include "app/compare_output.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/display_width.h"
#include "app/table.h"
#include "base/concat.h"
#include "json/writer.h"
#include "plot/panel.h"

namespace podium {
namespace {

using plot::Ink;

// Four digits that count; "–" where there is nothing.
std::string Short(double value) {
  if (std::isnan(value)) return "–";
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

std::string Fixed(double value, int decimals) {
  if (std::isnan(value)) return "–";
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

std::string Signed(double value) { return (value > 0 ? "+" : "") + Fixed(value, 4); }

std::string Mebibytes(int64_t bytes) {
  return Fixed(static_cast<double>(bytes) / (1 << 20), 1) + " MiB";
}

std::string SidesTable(const CompareReport& report, int columns) {
  Table table({false, true, true});
  const auto add = [&](const char* what, auto cell) {
    table.Add({what, cell(report.a), cell(report.b)});
  };
  add("", [&](const ComparedSide& side) { return &side == &report.a ? "A" : "B"; });
  add("model", [](const ComparedSide& side) { return Printable(side.info.name, 40); });
  add("precision, table",
      [](const ComparedSide& side) { return Concat(side.info.precision, ", ", side.info.isa); });
  add("threads", [](const ComparedSide& side) { return Concat(side.info.threads); });
  add("max length", [](const ComparedSide& side) { return Concat(side.info.max_length); });
  add("pairs cut to fit", [](const ComparedSide& side) { return Concat(side.truncated); });
  add("tokens", [](const ComparedSide& side) { return Concat(side.tokens); });
  add("tokens/s", [](const ComparedSide& side) { return Fixed(side.tokens_per_s(), 0); });
  add("opened in", [](const ComparedSide& side) { return Fixed(side.open_s, 2) + " s"; });
  add("memory", [](const ComparedSide& side) { return Mebibytes(side.memory_bytes); });
  add("weights", [](const ComparedSide& side) {
    return Mebibytes(static_cast<int64_t>(side.info.weight_bytes));
  });
  if (report.result.labelled > 0) {
    const bool all = report.result.labelled == report.result.lists;
    const std::string what =
        all ? report.metric : Concat(report.metric, " of ", report.result.labelled, " lists");
    table.Add({what, Fixed(report.result.ndcg_a, 4), Fixed(report.result.ndcg_b, 4)});
  }
  return table.Render(columns);
}

std::string DeltaTable(const CompareReport& report, int columns) {
  const DeltaSummary& delta = report.result.delta;
  Table table({false, true, true, true, true, true});
  table.Add({"|Δlogit|", "mean", "p50", "p99", "max", "bias"});
  const auto add = [&](const char* unit, double one) {
    table.Add({unit, Short(delta.mean / one), Short(delta.p50 / one), Short(delta.p99 / one),
               Short(delta.max / one), Short(delta.bias / one)});
  };
  add("logits", 1);
  add("standard deviations of A", report.result.sd_a);
  return table.Render(columns);
}

std::vector<std::pair<std::string, std::string>> OrderFacts(const CompareReport& report) {
  const Comparison& result = report.result;
  const Interval& interval = result.ndcg_interval;
  std::vector<std::pair<std::string, std::string>> facts = {
      {"noise", Concat(Short(result.noise), " logits (", Short(report.options.noise_sd),
                       " standard deviations of A); closer documents of A are no pair")},
      {"Kendall τ",
       Concat(Fixed(result.tau, 5), " beyond the noise, worst list ", Fixed(result.tau_list_min, 3),
              "; τ-b of all pairs ", Fixed(result.tau_b, 5))},
      {"swapped", Concat(result.swapped, " of ", result.pairs_beyond, " pairs of documents")},
      {Concat("top-", report.options.k, " overlap"),
       Concat(Fixed(result.overlap, 4), ", worst list ", Fixed(result.overlap_list_min, 2))},
      {"same best", Concat(Fixed(result.top1 * 100, 1), " % of the lists")},
      {"speed", Concat(Fixed(report.speed.ratio, 3), " times A's; of ", report.speed.turns,
                       " turns the middle ", Fixed(report.speed.median, 3), ", most ",
                       Fixed(report.speed.low, 3), " to ", Fixed(report.speed.high, 3))}};
  if (result.labelled > 0) {
    facts.push_back(
        {report.metric,
         Concat(Signed(result.ndcg_difference), ", ",
                Fixed(report.options.bootstrap.confidence * 100, 0), " % interval ",
                Signed(interval.low), " to ", Signed(interval.high), "; better in ", result.better,
                " lists, worse in ", result.worse, " of ", result.labelled)});
  }
  return facts;
}

std::string WorstTable(const CompareReport& report, int columns) {
  Table table({true, true, true, false, false});
  table.Add({"τ", "overlap", "mean |Δ|", "list", "query"});
  for (const WorstList& worst : report.worst) {
    table.Add({Fixed(worst.list.tau, 3), Fixed(worst.list.overlap, 2), Short(worst.list.delta_mean),
               Printable(worst.id, 20), Printable(worst.query, columns)});
  }
  return table.Render(columns);
}

void WriteSide(const char* key, const ComparedSide& side, json::Writer& writer) {
  const auto number = [&](const char* name, double value) {
    writer.Key(name);
    writer.Double(value);
  };
  const auto text = [&](const char* name, const std::string& value) {
    writer.Key(name);
    writer.String(value);
  };
  const auto count = [&](const char* name, int64_t value) {
    writer.Key(name);
    writer.Int(value);
  };
  writer.Key(key);
  writer.BeginObject();
  text("side", side.name);
  text("model", side.info.name);
  text("folder", side.info.folder);
  text("precision", side.info.precision);
  text("isa", side.info.isa);
  count("threads", side.info.threads);
  count("max_length", side.info.max_length);
  count("truncated", side.truncated);
  count("tokens", side.tokens);
  number("seconds", side.seconds);
  number("tokens_per_s", side.tokens_per_s());
  number("open_s", side.open_s);
  count("memory_bytes", side.memory_bytes);
  count("weight_bytes", static_cast<int64_t>(side.info.weight_bytes));
  count("arena_bytes", static_cast<int64_t>(side.info.arena_bytes));
  writer.EndObject();
}

void WriteNumbers(const char* key, std::initializer_list<std::pair<const char*, double>> numbers,
                  json::Writer& writer) {
  writer.Key(key);
  writer.BeginObject();
  for (const auto& [name, value] : numbers) {
    writer.Key(name);
    writer.Double(value);
  }
  writer.EndObject();
}

void WriteLabels(const CompareReport& report, json::Writer& writer) {
  const Comparison& result = report.result;
  writer.Key("labels");
  writer.BeginObject();
  writer.Key("metric");
  writer.String(report.metric);
  writer.Key("lists");
  writer.Int(static_cast<int64_t>(result.labelled));
  const std::pair<const char*, double> numbers[] = {
      {"a", result.ndcg_a},
      {"b", result.ndcg_b},
      {"difference", result.ndcg_difference},
      {"low", result.ndcg_interval.low},
      {"high", result.ndcg_interval.high},
      {"confidence", report.options.bootstrap.confidence},
      {"rounds", report.options.bootstrap.rounds},
      {"seed", static_cast<double>(report.options.bootstrap.seed)},
      {"better", static_cast<double>(result.better)},
      {"worse", static_cast<double>(result.worse)}};
  for (const auto& [name, value] : numbers) {
    writer.Key(name);
    writer.Double(value);
  }
  writer.EndObject();
}

void WriteGate(std::span<const GateResult> gate, json::Writer& writer) {
  writer.Key("passed");
  writer.Bool(
      std::all_of(gate.begin(), gate.end(), [](const GateResult& result) { return result.ok; }));
  writer.Key("thresholds");
  writer.BeginArray();
  for (const GateResult& result : gate) {
    writer.BeginObject();
    writer.Key("option");
    writer.String(result.rule->flag);
    writer.Key("allowed");
    writer.Double(result.allowed);
    writer.Key("got");
    writer.Double(result.got);
    writer.Key("ok");
    writer.Bool(result.ok);
    writer.EndObject();
  }
  writer.EndArray();
}

}  // namespace

std::string CompareTable(const CompareReport& report, std::span<const GateResult> gate,
                         int columns) {
  const Comparison& result = report.result;
  std::string out = Concat(SidesTable(report, columns), "\n", result.pairs, " pairs of ",
                           result.lists, result.lists == 1 ? " list" : " lists",
                           "; A's logits have a standard deviation of ", Short(result.sd_a), "\n",
                           DeltaTable(report, columns), "\n", RenderFacts(OrderFacts(report)));
  if (!report.worst.empty()) {
    out += Concat("\nlists that differ most\n", WorstTable(report, columns));
  }
  if (!gate.empty()) out += '\n';
  for (const GateResult& line : gate) {
    out += Concat(line.ok ? "held    " : "MISSED  ", GateLine(line), "\n");
  }
  return out;
}

std::string CompareJson(const CompareReport& report, std::span<const GateResult> gate) {
  const Comparison& result = report.result;
  const DeltaSummary& delta = result.delta;
  std::string out;
  json::Writer writer(out);
  writer.BeginObject();
  WriteSide("a", report.a, writer);
  WriteSide("b", report.b, writer);
  writer.Key("lists");
  writer.Int(static_cast<int64_t>(result.lists));
  writer.Key("pairs");
  writer.Int(static_cast<int64_t>(result.pairs));
  WriteNumbers("delta",
               {{"mean", delta.mean},
                {"p50", delta.p50},
                {"p99", delta.p99},
                {"max", delta.max},
                {"bias", delta.bias},
                {"sd_a", result.sd_a},
                {"mean_sd", delta.mean / result.sd_a},
                {"p50_sd", delta.p50 / result.sd_a},
                {"p99_sd", delta.p99 / result.sd_a},
                {"max_sd", delta.max / result.sd_a}},
               writer);
  WriteNumbers("order",
               {{"noise_sd", report.options.noise_sd},
                {"noise", result.noise},
                {"kendall", result.tau},
                {"kendall_list_min", result.tau_list_min},
                {"kendall_b", result.tau_b},
                {"pairs_beyond_noise", static_cast<double>(result.pairs_beyond)},
                {"swapped", static_cast<double>(result.swapped)},
                {"k", report.options.k},
                {"overlap", result.overlap},
                {"overlap_list_min", result.overlap_list_min},
                {"top1", result.top1}},
               writer);
  if (result.labelled > 0) {
    WriteLabels(report, writer);
  } else {
    writer.Key("labels");
    writer.Null();
  }
  WriteNumbers("speed",
               {{"ratio", report.speed.ratio},
                {"median", report.speed.median},
                {"p10", report.speed.low},
                {"p90", report.speed.high},
                {"turns", static_cast<double>(report.speed.turns)}},
               writer);
  writer.Key("worst");
  writer.BeginArray();
  for (const WorstList& worst : report.worst) {
    writer.BeginObject();
    writer.Key("id");
    writer.String(worst.id);
    writer.Key("query");
    writer.String(worst.query);
    writer.Key("kendall");
    writer.Double(worst.list.tau);
    writer.Key("overlap");
    writer.Double(worst.list.overlap);
    writer.Key("delta_mean");
    writer.Double(worst.list.delta_mean);
    writer.EndObject();
  }
  writer.EndArray();
  WriteGate(gate, writer);
  writer.EndObject();
  out += '\n';
  return out;
}

std::string CompareSvg(const CompareReport& report) {
  const auto name = [](const ComparedSide& side) {
    return Concat(side.name, " (", side.info.precision, ", ", side.info.isa, ")");
  };
  const std::string a = Concat("A: ", name(report.a));
  const std::string b = Concat("B: ", name(report.b));
  const Comparison& result = report.result;
  const std::string figures = Concat(
      result.pairs, " pairs of ", result.lists, " lists; mean |Δ| ", Short(result.delta.mean), ", ",
      Short(result.delta.mean / result.sd_a), " standard deviations; Kendall τ ",
      Fixed(result.tau, 4), "; top-", report.options.k, " overlap ", Fixed(result.overlap, 3));
  plot::Svg svg(1000, 520, Concat(a, ", ", b), figures);
  svg.Text({20, 22}, plot::Anchor::kStart, Concat(a, ", ", b), Ink::kText, true);
  svg.Text({20, 42}, plot::Anchor::kStart, figures, Ink::kMuted);

  std::vector<double> logits;
  for (const plot::Point& point : report.plotted) {
    logits.push_back(point.x);
    logits.push_back(point.y);
  }
  const plot::Range range = plot::RangeOf(logits);
  const bool sampled = report.plotted.size() < result.pairs;
  const std::string title =
      sampled ? Concat("Logits, ", report.plotted.size(), " of the pairs") : std::string("Logits");
  plot::Panel scatter(svg, {80, 90, 380, 370}, range, range, {title, "A", "B"});
  scatter.Diagonal(Ink::kMuted);
  scatter.Dots(report.plotted, Ink::kFirst);

  constexpr int kBins = 50;
  const plot::Bins bins = plot::MakeBins(report.deltas, kBins, 0);
  const double highest = static_cast<double>(std::max<int64_t>(1, bins.highest()));
  plot::Panel histogram(svg, {560, 90, 410, 370}, bins.range(), {0, highest},
                        {"Δ, B less A", "logits", "pairs"});
  histogram.Histogram(bins, Ink::kSecond);
  if (bins.range().low < 0 && bins.range().high > 0) histogram.Mark(0, "0", Ink::kMuted);
  return std::move(svg).Finish();
}

}  // namespace podium
