#include "app/rank_output.h"

#include <cstdio>

#include "app/display_width.h"
#include "app/table.h"
#include "base/concat.h"
#include "base/utf8.h"

namespace podium {
namespace {

void WriteResult(const RankingView& view, const RankedDocument& result, json::Writer& writer) {
  writer.BeginObject();
  writer.Key("index");
  writer.Int(result.index);
  writer.Key("score");
  WriteScore(view.scores, result.score.logit, writer);
  writer.Key("document");
  writer.String(view.documents[result.index]);
  writer.Key("tokens");
  writer.Int(result.score.tokens);
  writer.Key("truncated");
  writer.Bool(result.score.truncated);
  writer.EndObject();
}

std::string ScoreText(const RankingView& view, const RankedDocument& result) {
  char text[32];
  if (view.scores == ScoreKind::kRaw) {
    std::snprintf(text, sizeof text, "%.3f", static_cast<double>(result.score.logit));
  } else {
    const double score = Sigmoid(result.score.logit);
    std::snprintf(text, sizeof text, score < 0.001 ? "%.1e" : "%.4f", score);
  }
  return text;
}

// Whoever prints a file on a terminal must not be steered by what is in it.
bool IsControl(char32_t code) { return code < 0x20 || (code >= 0x7F && code < 0xA0); }

void AppendHex(char32_t code, std::string& out) {
  constexpr char kHex[] = "0123456789abcdef";
  out += "\\x";
  out += kHex[code >> 4];
  out += kHex[code & 15];
}

}  // namespace

ScoreKind ChosenScores(ScoreKind asked, const ModelInfo& model) {
  if (asked != ScoreKind::kModel) return asked;
  return model.score_scale == ScoreScale::kLogit ? ScoreKind::kRaw : ScoreKind::kSigmoid;
}

void WriteScore(ScoreKind kind, float logit, json::Writer& writer) {
  if (kind == ScoreKind::kRaw) {
    writer.Float(logit);
  } else {
    writer.Double(Sigmoid(logit));
  }
}

void AppendTsvText(std::string_view text, std::string& out) {
  for (size_t at = 0; at < text.size();) {
    const Utf8Char c = DecodeUtf8(text.substr(at));
    at += static_cast<size_t>(c.bytes);
    if (c.code == '\t') {
      out += "\\t";
    } else if (c.code == '\n') {
      out += "\\n";
    } else if (c.code == '\r') {
      out += "\\r";
    } else if (c.code == '\\') {
      out += "\\\\";
    } else if (IsControl(c.code)) {
      AppendHex(c.code, out);
    } else {
      AppendUtf8(c.code, out);
    }
  }
}

void AppendTsvLine(std::string_view line, std::string& out) {
  for (size_t at = 0; at < line.size();) {
    const Utf8Char c = DecodeUtf8(line.substr(at));
    const auto bytes = static_cast<size_t>(c.bytes);
    if (c.valid && c.code != '\t' && IsControl(c.code)) {
      AppendHex(c.code, out);
    } else {
      out.append(line.substr(at, bytes));
    }
    at += bytes;
  }
}

std::string RankingJson(const RankingView& view) {
  std::string out;
  json::Writer writer(out);
  writer.BeginObject();
  writer.Key("query");
  writer.String(view.query);
  writer.Key("model");
  writer.String(view.model);
  writer.Key("precision");
  writer.String(view.precision);
  writer.Key("isa");
  writer.String(view.isa);
  writer.Key("results");
  writer.BeginArray();
  for (const RankedDocument& result : view.ranking) WriteResult(view, result, writer);
  writer.EndArray();
  writer.EndObject();
  out += '\n';
  return out;
}

std::string ResultJsonLine(const RankingView& view, const RankedDocument& result) {
  std::string out;
  json::Writer writer(out);
  WriteResult(view, result, writer);
  out += '\n';
  return out;
}

std::string ResultTsvLine(const RankingView& view, const RankedDocument& result) {
  std::string out = Concat(result.index, "\t");
  json::Writer writer(out);
  WriteScore(view.scores, result.score.logit, writer);
  out += Concat("\t", result.score.tokens, result.score.truncated ? "\t1\t" : "\t0\t");
  AppendTsvText(view.documents[result.index], out);
  out += '\n';
  return out;
}

std::string RankingTable(const RankingView& view, int columns, bool style) {
  constexpr int kBarColumns = 10;
  Table table({true, true, false, true, true, false, false});
  table.Add({"#", "score", "", "index", "tokens", "", "document"});
  for (size_t i = 0; i < view.ranking.size(); ++i) {
    const RankedDocument& result = view.ranking[i];
    table.Add({Concat(i + 1), ScoreText(view, result),
               FitToWidth(Bar(Sigmoid(result.score.logit), kBarColumns), kBarColumns),
               Concat(result.index), Concat(result.score.tokens),
               result.score.truncated ? "cut" : "",
               Printable(view.documents[result.index], columns)});
  }
  std::string out = table.Render(columns);
  if (style) {
    const size_t header = out.find('\n');
    out = "\x1b[2m" + out.substr(0, header) + "\x1b[0m" + out.substr(header);
  }
  return out;
}

}  // namespace podium
