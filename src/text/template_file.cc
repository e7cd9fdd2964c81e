#include "text/template_file.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/concat.h"

namespace podium {
namespace {

using Kind = TemplatePiece::Kind;

// More special tokens than a sequence of any model has room for.
constexpr size_t kPiecesMax = 64;

Result<int32_t> ReadId(std::optional<json::Value> value, int vocabulary, const std::string& where) {
  const auto id = value ? value->AsInt() : std::nullopt;
  if (!id) return Corrupt(Concat(where, ": an id is needed"));
  if (*id < 0 || *id >= vocabulary) {
    return Corrupt(Concat(where, ": id ", *id, " is outside the vocabulary of ", vocabulary));
  }
  return static_cast<int32_t>(*id);
}

// RobertaProcessing and BertProcessing name their two tokens as ["</s>", 2].
Result<int32_t> ReadNamedId(json::Value value, const char* key, int vocabulary,
                            const std::string& where) {
  std::optional<json::Value> id;
  if (const auto pair = value.Find(key)) {
    size_t index = 0;
    pair->ForEachElement([&](json::Value element) {
      if (index++ == 1) id = element;
      return true;
    });
  }
  return ReadId(id, vocabulary, Concat(where, ".", key, "[1]"));
}

Status AppendSpecial(json::Value piece, std::optional<json::Value> special_tokens, int vocabulary,
                     uint8_t type, const std::string& where, std::vector<TemplatePiece>& pieces) {
  const auto name_value = piece.Find("id");
  const auto name = name_value ? name_value->AsString() : std::nullopt;
  if (!name) return Corrupt(Concat(where, ".id: a string is needed"));
  const auto special = special_tokens ? special_tokens->Find(*name) : std::nullopt;
  const auto ids = special ? special->Find("ids") : std::nullopt;
  if (!ids || !ids->is(json::Type::kArray)) {
    return Corrupt(Concat(where, ": special_tokens has no ids for \"", *name, "\""));
  }
  Status status;
  ids->ForEachElement([&](json::Value value) {
    Result<int32_t> id = ReadId(value, vocabulary, where);
    if (!id.ok()) {
      status = std::move(id).status();
    } else {
      pieces.push_back({Kind::kId, id.value(), type});
    }
    return status.ok();
  });
  return status;
}

Status ParsePieces(json::Value file, std::string_view key, int vocabulary, const std::string& outer,
                   std::vector<TemplatePiece>& pieces) {
  const std::string where = Concat(outer, ".", key);
  const auto array = file.Find(key);
  if (!array || !array->is(json::Type::kArray)) {
    return Corrupt(Concat(where, ": an array is needed"));
  }
  if (array->size() > kPiecesMax) {
    return ResourceExhausted(Concat(where, ": ", array->size(), " pieces, limit ", kPiecesMax));
  }
  const auto special_tokens = file.Find("special_tokens");
  Status status;
  size_t index = 0;
  array->ForEachElement([&](json::Value element) {
    const std::string piece_where = Concat(where, "[", index++, "]");
    const auto sequence = element.Find("Sequence");
    const auto special = element.Find("SpecialToken");
    if (!sequence && !special) {
      status = Corrupt(Concat(piece_where, ": \"Sequence\" or \"SpecialToken\" is needed"));
      return false;
    }
    const json::Value piece = sequence ? *sequence : *special;
    const auto type_value = piece.Find("type_id");
    const auto type = type_value ? type_value->AsInt() : std::nullopt;
    if (!type || *type < 0 || *type > 255) {
      status = Corrupt(Concat(piece_where, ".type_id: an integer from 0 to 255 is needed"));
      return false;
    }
    if (sequence) {
      const auto name_value = piece.Find("id");
      const auto name = name_value ? name_value->AsString() : std::nullopt;
      if (!name || (*name != "A" && *name != "B")) {
        status = Corrupt(Concat(piece_where, ".id: \"A\" or \"B\" is needed"));
        return false;
      }
      pieces.push_back(
          {*name == "A" ? Kind::kQuery : Kind::kDocument, 0, static_cast<uint8_t>(*type)});
      return true;
    }
    status = AppendSpecial(piece, special_tokens, vocabulary, static_cast<uint8_t>(*type),
                           piece_where, pieces);
    return status.ok();
  });
  PODIUM_RETURN_IF_ERROR(std::move(status));
  if (pieces.size() > kPiecesMax) {
    return ResourceExhausted(Concat(where, ": ", pieces.size(), " ids, limit ", kPiecesMax));
  }
  const auto count = [&](Kind kind) {
    return std::count_if(pieces.begin(), pieces.end(),
                         [&](const TemplatePiece& piece) { return piece.kind == kind; });
  };
  if (count(Kind::kQuery) != 1 || count(Kind::kDocument) != (key == "pair" ? 1 : 0)) {
    return Unsupported(Concat(where, ": each text must stand there exactly once"));
  }
  return OkStatus();
}

// A Sequence is one template among kinds that only change where in the text a token was.
Result<json::Value> ChooseTemplate(json::Value value, const std::string& where) {
  const auto steps = value.Find("processors");
  if (!steps || !steps->is(json::Type::kArray)) {
    return Corrupt(Concat(where, ".processors: an array is needed"));
  }
  std::optional<json::Value> chosen;
  Status status;
  size_t index = 0;
  steps->ForEachElement([&](json::Value step) {
    const std::string step_where = Concat(where, ".processors[", index++, "]");
    const auto type = step.Find("type");
    if (type && type->AsString() == "ByteLevel") return true;
    if (chosen) {
      status = Unsupported(Concat(step_where, ": a second template is not supported"));
      return false;
    }
    chosen = step;
    return true;
  });
  PODIUM_RETURN_IF_ERROR(std::move(status));
  if (!chosen) return Unsupported(Concat(where, ".processors: no template among them"));
  return *chosen;
}

Templates Surround(int32_t cls, int32_t sep, bool roberta) {
  const uint8_t second = roberta ? 0 : 1;
  const TemplatePiece open{Kind::kId, cls, 0}, close{Kind::kId, sep, 0};
  Templates out;
  out.single = {open, {Kind::kQuery, 0, 0}, close};
  out.pair.pieces = out.single;
  if (roberta) out.pair.pieces.push_back(close);
  out.pair.pieces.push_back({Kind::kDocument, 0, second});
  out.pair.pieces.push_back({Kind::kId, sep, second});
  return out;
}

}  // namespace

Result<Templates> ParseTemplates(json::Value value, int vocabulary, const std::string& where) {
  Templates out;
  const TemplatePiece query{Kind::kQuery, 0, 0};
  if (value.is(json::Type::kNull)) {
    out.single = {query};
    out.pair.pieces = {query, {Kind::kDocument, 0, 1}};
    return out;
  }
  const auto type_value = value.Find("type");
  const auto type = type_value ? type_value->AsString() : std::nullopt;
  if (!type) return Corrupt(Concat(where, ".type: a string is needed"));
  if (*type == "Sequence") {
    PODIUM_ASSIGN_OR_RETURN(const json::Value chosen, ChooseTemplate(value, where));
    const auto chosen_type = chosen.Find("type");
    if (chosen_type && chosen_type->AsString() == "Sequence") {
      return Unsupported(Concat(where, ": a Sequence in a Sequence is not supported"));
    }
    return ParseTemplates(chosen, vocabulary, where + ".processors");
  }
  if (*type == "TemplateProcessing") {
    PODIUM_RETURN_IF_ERROR(ParsePieces(value, "single", vocabulary, where, out.single));
    PODIUM_RETURN_IF_ERROR(ParsePieces(value, "pair", vocabulary, where, out.pair.pieces));
    return out;
  }
  const bool roberta = *type == "RobertaProcessing";
  if (!roberta && *type != "BertProcessing") {
    return Unsupported(Concat(where, ": \"", *type,
                              "\" is not supported; BertProcessing, RobertaProcessing, ",
                              "TemplateProcessing and Sequence are"));
  }
  PODIUM_ASSIGN_OR_RETURN(const int32_t sep, ReadNamedId(value, "sep", vocabulary, where));
  PODIUM_ASSIGN_OR_RETURN(const int32_t cls, ReadNamedId(value, "cls", vocabulary, where));
  return roberta ? RobertaTemplates(cls, sep) : BertTemplates(cls, sep);
}

Templates BertTemplates(int32_t cls, int32_t sep) { return Surround(cls, sep, false); }
Templates RobertaTemplates(int32_t cls, int32_t sep) { return Surround(cls, sep, true); }

}  // namespace podium
