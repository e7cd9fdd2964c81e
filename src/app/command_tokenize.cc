#include <algorithm>
#include <utility>

#include "app/commands.h"
#include "app/display_width.h"
#include "app/table.h"
#include "app/tokens.h"
#include "base/concat.h"
#include "json/writer.h"
#include "model/model.h"
#include "ranker/loader.h"
#include "text/tokenizer.h"

namespace podium {
namespace {

struct Line {
  std::string_view text;      // or the query of a pair
  std::string_view document;  // of a pair
  TokenizedText tokens;
};

void WriteJson(const Tokenizer& tokenizer, const Line& line, bool pair, json::Writer& writer) {
  writer.BeginObject();
  writer.Key(pair ? "query" : "text");
  writer.String(line.text);
  if (pair) {
    writer.Key("document");
    writer.String(line.document);
  }
  writer.Key("ids");
  writer.BeginArray();
  for (const int32_t id : line.tokens.ids) writer.Int(id);
  writer.EndArray();
  writer.Key("types");
  writer.BeginArray();
  for (const uint8_t type : line.tokens.types) writer.Int(type);
  writer.EndArray();
  writer.Key("pieces");
  writer.BeginArray();
  for (const int32_t id : line.tokens.ids) writer.String(tokenizer.Piece(id));
  writer.EndArray();
  writer.Key("truncated");
  writer.Bool(line.tokens.truncated);
  writer.EndObject();
}

std::string RenderTable(const Tokenizer& tokenizer, const Line& line, int columns) {
  Table table({true, true, true, false});
  table.Add({"#", "id", "segment", "piece"});
  for (size_t i = 0; i < line.tokens.ids.size(); ++i) {
    table.Add({Concat(i), Concat(line.tokens.ids[i]), Concat(int{line.tokens.types[i]}),
               Printable(tokenizer.Piece(line.tokens.ids[i]), columns)});
  }
  return table.Render(columns) + Concat(line.tokens.ids.size(), " tokens",
                                        line.tokens.truncated ? ", truncated" : "", "\n");
}

// "<s> query </s> </s> document </s>"
std::string TemplateText(const Tokenizer& tokenizer) {
  std::string out;
  for (const TemplatePiece& piece : tokenizer.pair_template().pieces) {
    if (!out.empty()) out += ' ';
    switch (piece.kind) {
      case TemplatePiece::Kind::kId:
        out += tokenizer.Piece(piece.id);
        break;
      case TemplatePiece::Kind::kQuery:
        out += "query";
        break;
      case TemplatePiece::Kind::kDocument:
        out += "document";
        break;
    }
  }
  return out;
}

// The limit asked for, checked; 0 becomes the smaller of the tokenizer's and the positions' limit.
Result<int> ChooseLimit(const TokenizeCommand& command, PairRule rule, const Tokenizer& tokenizer) {
  constexpr int kLengthMax = 1 << 20;
  const int least = LengthMin(rule, tokenizer.pair_template().special_tokens());
  if (command.max_length == 0) {
    return tokenizer.length_max() > 0 ? tokenizer.length_max() : kLengthMax;
  }
  if (command.max_length < least || command.max_length > kLengthMax) {
    return InvalidArgument(
        Concat("max_length: got ", command.max_length, ", allowed: ", least, " to ", kLengthMax));
  }
  return command.max_length;
}

// Of a packed model, or of a folder that need not hold more than a tokenizer.
Result<std::unique_ptr<Tokenizer>> OpenTokenizerAt(const std::string& path) {
  if (!IsPackedFile(path)) return OpenTokenizer(path);
  PODIUM_ASSIGN_OR_RETURN(const std::shared_ptr<const Model> model, OpenModel(path));
  return OpenTokenizer(*model);
}

Status Tokenize(const TokenizeCommand& command, Session session) {
  PODIUM_ASSIGN_OR_RETURN(const PairRule rule, ParsePairRule(command.truncation));
  PODIUM_ASSIGN_OR_RETURN(const std::string model, ChooseModel(command.model));
  PODIUM_ASSIGN_OR_RETURN(const std::string folder, FindModelFolder(model));
  PODIUM_ASSIGN_OR_RETURN(const std::unique_ptr<Tokenizer> tokenizer, OpenTokenizerAt(folder));
  PODIUM_ASSIGN_OR_RETURN(const int limit, ChooseLimit(command, rule, *tokenizer));
  const bool pair = command.query.has_value();
  std::vector<Line> lines;
  if (pair) {
    PODIUM_ASSIGN_OR_RETURN(TokenizedText tokens, TokenizePair(*tokenizer, *command.query,
                                                               *command.document, limit, rule));
    lines.push_back({*command.query, *command.document, std::move(tokens)});
  }
  for (const std::string& text : command.texts) {
    lines.push_back({text, "", TokenizeText(*tokenizer, text, limit)});
  }
  const bool table = command.format == OutputFormat::kTable ||
                     (command.format == OutputFormat::kAuto && session.out.is_terminal());
  for (const Line& line : lines) {
    std::string text;
    if (table) {
      if (pair) text = Concat("template  ", TemplateText(*tokenizer), "\n");
      text += RenderTable(*tokenizer, line, session.out.columns());
    } else {
      json::Writer writer(text);
      WriteJson(*tokenizer, line, pair, writer);
      text += '\n';
    }
    session.out.Write(text);
  }
  return session.out.Finish();
}

}  // namespace

int Run(const TokenizeCommand& command, Session session) {
  const char* wrong = nullptr;
  if (command.query.has_value() != command.document.has_value()) {
    wrong = "a pair needs both --query and --document";
  } else if (command.query && !command.texts.empty()) {
    wrong = "give texts, or one pair with --query and --document, not both";
  } else if (!command.query && command.texts.empty()) {
    wrong = "no text: give texts, or a pair with --query and --document";
  }
  if (wrong != nullptr) return UsageFail(wrong, "tokenize");
  const Status status = Tokenize(command, session);
  return status.ok() ? kExitOk : Fail(status);
}

}  // namespace podium
