#include "app/lengths_output.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "app/display_width.h"
#include "app/table.h"
#include "base/concat.h"
#include "json/writer.h"
#include "plot/panel.h"

namespace podium {
namespace {

using plot::Ink;

std::string Fixed(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

std::string PercentCell(double share) { return Fixed(share * 100, 1) + " %"; }

struct Side {
  const char* name;
  const SortedValues* tokens;
};

std::vector<Side> Sides(const LengthsReport& report) {
  return {{"queries", &report.queries}, {"documents", &report.documents}, {"pairs", &report.pairs}};
}

constexpr std::pair<const char*, double> kQuantiles[] = {{"min", 0},    {"p50", 0.5},  {"p90", 0.9},
                                                         {"p95", 0.95}, {"p99", 0.99}, {"max", 1}};

// Whole tokens in every bin.
plot::Bins TokenBins(const SortedValues& tokens, int wanted) {
  return plot::MakeBins(tokens.values(), wanted, 1);
}

std::string Bars(const SortedValues& tokens, int columns) {
  constexpr int kRows = 16;
  constexpr int kBarColumns = 40;
  const plot::Bins bins = TokenBins(tokens, kRows);
  const auto total = static_cast<double>(tokens.values().size());
  Table table({true, false, true, true});
  for (size_t i = 0; i < bins.counts.size(); ++i) {
    const auto count = static_cast<double>(bins.counts[i]);
    const double share = count / static_cast<double>(std::max<int64_t>(1, bins.highest()));
    const auto from = static_cast<int64_t>(bins.edge(i));
    const int64_t to = static_cast<int64_t>(bins.edge(i + 1)) - 1;
    table.Add({to > from ? Concat(from, "–", to) : Concat(from),
               FitToWidth(Bar(share, kBarColumns), kBarColumns), Concat(bins.counts[i]),
               PercentCell(count / total)});
  }
  return table.Render(columns);
}

std::string SummaryTable(const LengthsReport& report, int columns) {
  Table table(std::vector<bool>(9, true));
  std::vector<std::string> header = {"tokens", "count", "mean"};
  for (const auto& [name, share] : kQuantiles) header.emplace_back(name);
  table.Add(std::move(header));
  for (const Side& side : Sides(report)) {
    std::vector<std::string> row = {side.name, Concat(side.tokens->values().size()),
                                    Fixed(Mean(side.tokens->values()), 1)};
    for (const auto& [name, share] : kQuantiles) {
      row.push_back(Fixed(side.tokens->Quantile(share), 0));
    }
    table.Add(std::move(row));
  }
  return table.Render(columns);
}

std::string RowsTable(const LengthsReport& report, int columns) {
  const bool timed = report.timed_pairs > 0;
  std::vector<std::string> header = {"max length",  "uncut", "pairs cut",
                                     "tokens lost", "lost",  "tokens/pair"};
  if (timed) header.insert(header.end(), {"ms/pair", "slowest", "tokens/s"});
  Table table(std::vector<bool>(header.size(), true));
  table.Add(std::move(header));
  for (const LengthRow& row : report.rows) {
    std::vector<std::string> cells = {Concat(row.max_length),      PercentCell(row.covered),
                                      Concat(row.cut_pairs),       Concat(row.lost_tokens),
                                      PercentCell(row.lost_share), Fixed(row.pair_tokens, 1)};
    if (row.cost) {
      cells.push_back(Fixed(row.cost->ms_per_pair, 2));
      cells.push_back(Fixed(row.cost->ms_per_pair_max, 2));
      cells.push_back(Fixed(row.cost->tokens_per_s, 0));
    }
    table.Add(std::move(cells));
  }
  return table.Render(columns);
}

void WriteSide(const Side& side, json::Writer& writer) {
  constexpr int kJsonBins = 40;
  writer.Key(side.name);
  writer.BeginObject();
  writer.Key("count");
  writer.Int(static_cast<int64_t>(side.tokens->values().size()));
  writer.Key("mean");
  writer.Double(Mean(side.tokens->values()));
  for (const auto& [name, share] : kQuantiles) {
    writer.Key(name);
    writer.Double(side.tokens->Quantile(share));
  }
  const plot::Bins bins = TokenBins(*side.tokens, kJsonBins);
  writer.Key("histogram");
  writer.BeginObject();
  writer.Key("low");
  writer.Double(bins.low);
  writer.Key("width");
  writer.Double(bins.width);
  writer.Key("counts");
  writer.BeginArray();
  for (const int64_t count : bins.counts) writer.Int(count);
  writer.EndArray();
  writer.EndObject();
  writer.EndObject();
}

void WriteRow(const LengthRow& row, json::Writer& writer) {
  writer.BeginObject();
  writer.Key("max_length");
  writer.Int(row.max_length);
  writer.Key("covered");
  writer.Double(row.covered);
  writer.Key("cut_pairs");
  writer.Int(row.cut_pairs);
  writer.Key("lost_tokens");
  writer.Int(row.lost_tokens);
  writer.Key("lost_share");
  writer.Double(row.lost_share);
  writer.Key("pair_tokens");
  writer.Double(row.pair_tokens);
  if (row.cost) {
    writer.Key("ms_per_pair");
    writer.Double(row.cost->ms_per_pair);
    writer.Key("ms_per_pair_max");
    writer.Double(row.cost->ms_per_pair_max);
    writer.Key("tokens_per_s");
    writer.Double(row.cost->tokens_per_s);
  }
  writer.EndObject();
}

void DrawHistogram(plot::Svg& svg, const plot::Box& box, const Side& side, Ink ink,
                   const std::string& title, int mark) {
  constexpr int kBins = 60;
  const plot::Bins bins = TokenBins(*side.tokens, kBins);
  plot::Range x = bins.range();
  if (mark > 0) x.high = std::max(x.high, static_cast<double>(mark));
  const plot::Range y = {0, static_cast<double>(std::max<int64_t>(1, bins.highest()))};
  plot::Panel panel(svg, box, x, y, {title, "tokens", "count"});
  panel.Histogram(bins, ink);
  if (mark > 0) panel.Mark(mark, Concat("max length ", mark), Ink::kText);
}

void DrawCurve(plot::Svg& svg, const plot::Box& box, std::span<const plot::Point> curve,
               std::span<const plot::Point> marks, Ink ink, double top,
               const plot::PanelLabels& labels, int recommended) {
  plot::Panel panel(svg, box, {0, marks.back().x}, {0, top}, labels);
  panel.Curve(curve, ink);
  panel.Marks(marks, ink);
  panel.Mark(recommended, Concat(recommended), Ink::kText);
}

}  // namespace

std::string LengthsTable(const LengthsReport& report, int columns) {
  std::string out = SummaryTable(report, columns);
  out += Concat("\npairs by tokens, ", report.special_tokens, " special ones included\n",
                Bars(report.pairs, columns), "\n", RowsTable(report, columns));
  if (report.timed_pairs > 0) {
    out += Concat("timed on ", report.timed_pairs, " of the pairs, ", Printable(report.model, 100),
                  " ", report.precision, " ", report.isa, ", ", report.threads,
                  report.threads == 1 ? " thread\n" : " threads\n");
  }
  out += Concat("\nrecommended: --max-length ", report.advice.max_length, "\n");
  for (const std::string& reason : report.advice.reasons) out += "  " + reason + "\n";
  return out;
}

std::string LengthsJson(const LengthsReport& report) {
  std::string out;
  json::Writer writer(out);
  writer.BeginObject();
  writer.Key("model");
  writer.String(report.model);
  writer.Key("precision");
  writer.String(report.precision);
  writer.Key("isa");
  writer.String(report.isa);
  writer.Key("threads");
  writer.Int(report.threads);
  writer.Key("special_tokens");
  writer.Int(report.special_tokens);
  for (const Side& side : Sides(report)) WriteSide(side, writer);
  writer.Key("timed_pairs");
  writer.Int(static_cast<int64_t>(report.timed_pairs));
  writer.Key("lengths");
  writer.BeginArray();
  for (const LengthRow& row : report.rows) WriteRow(row, writer);
  writer.EndArray();
  writer.Key("recommended");
  writer.BeginObject();
  writer.Key("max_length");
  writer.Int(report.advice.max_length);
  writer.Key("cover");
  writer.Double(report.cover);
  writer.Key("reasons");
  writer.BeginArray();
  for (const std::string& reason : report.advice.reasons) writer.String(reason);
  writer.EndArray();
  writer.EndObject();
  writer.EndObject();
  out += '\n';
  return out;
}

std::string LengthsSvg(const LengthsReport& report) {
  const int mark = report.advice.max_length;
  const std::string title = Concat("Token lengths, ", report.model);
  plot::Svg svg(1000, 640, title,
                Concat("Histograms of the tokens of ", report.pairs.values().size(),
                       " pairs, share of them left uncut and time taken at each maximum length; "
                       "recommended: ",
                       mark));
  const std::vector<Side> sides = Sides(report);
  DrawHistogram(svg, {70, 40, 420, 330}, sides[2], Ink::kFirst, "Pairs", mark);
  DrawHistogram(svg, {70, 450, 180, 130}, sides[0], Ink::kSecond, "Queries", 0);
  DrawHistogram(svg, {330, 450, 160, 130}, sides[1], Ink::kThird, "Documents", 0);

  std::vector<plot::Point> covered;
  std::vector<plot::Point> cost;
  double slowest = 0;
  for (const LengthRow& row : report.rows) {
    covered.push_back({static_cast<double>(row.max_length), row.covered * 100});
    if (!row.cost) continue;
    cost.push_back({static_cast<double>(row.max_length), row.cost->ms_per_pair});
    slowest = std::max(slowest, row.cost->ms_per_pair);
  }
  constexpr int kSteps = 200;
  std::vector<plot::Point> share;
  for (int i = 0; i <= kSteps; ++i) {
    const double length = covered.back().x * i / kSteps;
    share.push_back({length, report.pairs.ShareUpTo(length) * 100});
  }
  const bool timed = slowest > 0;
  DrawCurve(svg, {580, 40, 390, timed ? 220.0 : 540.0}, share, covered, Ink::kFirst, 100,
            {"Pairs left uncut", "maximum length", "percent"}, mark);
  if (timed) {
    DrawCurve(svg, {580, 340, 390, 240}, cost, cost, Ink::kSecond, slowest * 1.1,
              {"Time a pair", "maximum length", "milliseconds"}, mark);
  }
  return std::move(svg).Finish();
}

}  // namespace podium
