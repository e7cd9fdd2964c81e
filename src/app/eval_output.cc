#include "app/eval_output.h"

#include <cmath>
#include <cstdio>

#include "app/display_width.h"
#include "app/table.h"
#include "base/concat.h"
#include "json/writer.h"

namespace podium {
namespace {

constexpr const char* kTies = "score descending, then document id descending";

std::string Digits(double value) {
  if (std::isnan(value)) return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.4f", value);
  return text;
}

void WriteNames(json::Writer& writer, const EvaluationView& view) {
  const auto text_or_null = [&](const char* key, const std::string& text) {
    writer.Key(key);
    if (text.empty()) {
      writer.Null();
    } else {
      writer.String(text);
    }
  };
  text_or_null("model", view.model);
  text_or_null("precision", view.precision);
  text_or_null("isa", view.isa);
  text_or_null("run", view.run);
  text_or_null("judgements", view.judgements);
}

void WriteCounts(json::Writer& writer, const Evaluation& evaluation) {
  const std::pair<const char*, size_t> counts[] = {
      {"queries", evaluation.queries.size()},
      {"missing", evaluation.missing},
      {"unjudged", evaluation.unjudged},
      {"without_relevant", evaluation.without_relevant},
  };
  for (const auto& [key, count] : counts) {
    writer.Key(key);
    writer.Int(static_cast<int64_t>(count));
  }
}

}  // namespace

std::string EvaluationJson(const EvaluationView& view) {
  std::string out;
  json::Writer writer(out);
  writer.BeginObject();
  WriteNames(writer, view);
  WriteCounts(writer, view.evaluation);
  writer.Key("ties");
  writer.String(kTies);
  writer.Key("metrics");
  writer.BeginObject();
  for (size_t m = 0; m < view.metrics.size(); ++m) {
    writer.Key(view.metrics[m].Name());
    writer.Double(view.evaluation.means[m]);
  }
  writer.EndObject();
  if (!view.intervals.empty()) {
    writer.Key("intervals");
    writer.BeginObject();
    for (size_t m = 0; m < view.metrics.size(); ++m) {
      writer.Key(view.metrics[m].Name());
      writer.BeginArray();
      writer.Double(view.intervals[m].low);
      writer.Double(view.intervals[m].high);
      writer.EndArray();
    }
    writer.EndObject();
  }
  if (view.per_query) {
    writer.Key("per_query");
    writer.BeginArray();
    for (const Evaluation::Query& query : view.evaluation.queries) {
      writer.BeginObject();
      writer.Key("query");
      writer.String(query.id);
      writer.Key("ranked");
      writer.Int(static_cast<int64_t>(query.ranked));
      writer.Key("relevant");
      writer.Int(static_cast<int64_t>(query.relevant));
      for (size_t m = 0; m < view.metrics.size(); ++m) {
        writer.Key(view.metrics[m].Name());
        writer.Double(query.values[m]);
      }
      writer.EndObject();
    }
    writer.EndArray();
  }
  writer.EndObject();
  out += '\n';
  return out;
}

std::string EvaluationTable(const EvaluationView& view, int columns) {
  std::string out;
  if (view.per_query) {
    std::vector<bool> right(view.metrics.size() + 1, true);
    std::vector<std::string> head;
    for (const Metric& metric : view.metrics) head.push_back(metric.Name());
    head.emplace_back("relevant");
    head.emplace_back("query");
    right.push_back(false);
    Table table(right);
    table.Add(head);
    for (const Evaluation::Query& query : view.evaluation.queries) {
      std::vector<std::string> row;
      for (const double value : query.values) row.push_back(Digits(value));
      row.push_back(Concat(query.relevant));
      row.push_back(Printable(query.id, columns));
      table.Add(std::move(row));
    }
    out = table.Render(columns) + "\n";
  }
  Table means({false, true, false});
  for (size_t m = 0; m < view.metrics.size(); ++m) {
    std::vector<std::string> row = {view.metrics[m].Name(), Digits(view.evaluation.means[m]), ""};
    if (!view.intervals.empty()) {
      row[2] =
          Concat("95%: ", Digits(view.intervals[m].low), " to ", Digits(view.intervals[m].high));
    }
    means.Add(std::move(row));
  }
  out += means.Render(columns);
  const Evaluation& evaluation = view.evaluation;
  out += Concat("\n", evaluation.queries.size(), " queries");
  if (evaluation.without_relevant > 0) {
    out += Concat(", ", evaluation.without_relevant, " of them without a relevant document (0)");
  }
  if (evaluation.unjudged > 0) {
    out += Concat("; ", evaluation.unjudged, " queries of the run were never judged");
  }
  return out + "\n";
}

}  // namespace podium
