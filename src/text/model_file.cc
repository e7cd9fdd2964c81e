// The "model" of a tokenizer file.
#include "text/model_file.h"

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "base/concat.h"
#include "text/file_error.h"
#include "text/reference_number.h"
#include "text/unigram.h"
#include "text/wordpiece.h"

namespace podium {
namespace {

using ModelResult = Result<std::unique_ptr<const Model>>;

Status Within(const std::string& where, const Status& status) {
  return Status(status.code(), Concat(where, ": ", status.message()));
}

Result<json::Value> ReadVocabulary(json::Value value, json::Type type, const char* needed,
                                   const std::string& where) {
  const auto vocabulary = value.Find("vocab");
  if (!vocabulary || !vocabulary->is(type)) return WrongType(where + ".vocab", vocabulary, needed);
  if (vocabulary->size() > kVocabularyMax) {
    return ResourceExhausted(
        Concat(where, ".vocab: ", vocabulary->size(), " pieces, limit ", kVocabularyMax));
  }
  return *vocabulary;
}

ModelResult ParseUnigram(json::Value value, const std::string& where) {
  if (const auto fallback = value.Find("byte_fallback");
      fallback && fallback->AsBool().value_or(true) && !fallback->is(json::Type::kNull)) {
    return Unsupported(Concat(where, ".byte_fallback: only false is supported"));
  }
  PODIUM_ASSIGN_OR_RETURN(const json::Value vocabulary,
                          ReadVocabulary(value, json::Type::kArray, "an array", where));
  const auto unknown_value = value.Find("unk_id");
  const auto unknown = unknown_value ? unknown_value->AsInt() : std::nullopt;
  if (!unknown || *unknown < 0 || *unknown >= static_cast<int64_t>(vocabulary.size())) {
    return Unsupported(
        Concat(where, ".unk_id: an id inside the vocabulary of ", vocabulary.size(), " is needed"));
  }
  std::vector<Unigram::Piece> pieces;
  pieces.reserve(vocabulary.size());
  bool ok = true;
  vocabulary.ForEachElement([&](json::Value element) {
    std::optional<std::string_view> text;
    std::optional<double> score;
    size_t index = 0;
    element.ForEachElement([&](json::Value part) {
      if (index == 0) text = part.AsString();
      if (index == 1) score = part.AsDouble();
      return ++index <= 2;
    });
    ok = index == 2 && text && score && std::isfinite(*score);
    if (ok) pieces.push_back({*text, ReferenceNumber(*score)});
    return ok;
  });
  if (!ok) {
    return Corrupt(Concat(where, ".vocab[", pieces.size(),
                          "]: an array of a string and a finite number is needed"));
  }
  Result<Unigram> model = Unigram::Build(pieces, static_cast<int32_t>(*unknown));
  if (!model.ok()) return Within(where + ".vocab", model.status());
  return std::unique_ptr<const Model>(std::make_unique<Unigram>(std::move(model).value()));
}

// The reference refuses a text with an unknown word when there is no piece for it; so do we, but
// the file.
ModelResult ParseWordPiece(json::Value value, const std::string& where) {
  const auto read_text = [&](const char* key) -> Result<std::string_view> {
    const auto found = value.Find(key);
    const auto text = found ? found->AsString() : std::nullopt;
    if (!text) return WrongType(Concat(where, ".", key), found, "a string");
    return *text;
  };
  PODIUM_ASSIGN_OR_RETURN(const std::string_view unknown, read_text("unk_token"));
  PODIUM_ASSIGN_OR_RETURN(const std::string_view prefix, read_text("continuing_subword_prefix"));
  const auto chars_value = value.Find("max_input_chars_per_word");
  const auto chars = chars_value ? chars_value->AsInt() : std::nullopt;
  if (!chars || *chars < 1 || *chars > WordPiece::kWordCharsMax) {
    return Unsupported(Concat(where, ".max_input_chars_per_word: an integer from 1 to ",
                              WordPiece::kWordCharsMax, " is needed"));
  }
  PODIUM_ASSIGN_OR_RETURN(const json::Value pieces,
                          ReadVocabulary(value, json::Type::kObject, "an object", where));
  // With as many pieces as ids, and no id twice, there is no gap.
  std::vector<std::string_view> texts(pieces.size());
  std::vector<bool> given(pieces.size());
  Status status;
  pieces.ForEachMember([&](std::string_view text, json::Value id_value) {
    const auto id = id_value.AsInt();
    if (!id || *id < 0 || static_cast<size_t>(*id) >= texts.size()) {
      status = Corrupt(Concat(where, ".vocab[\"", text, "\"]: got ",
                              id ? Concat("id ", *id) : std::string(id_value.type_name()),
                              ", an id below ", texts.size(), ", the number of pieces, is needed"));
    } else if (given[static_cast<size_t>(*id)]) {
      status = Corrupt(Concat(where, ".vocab[\"", text, "\"]: id ", *id, " is there twice"));
    } else if (text.empty()) {
      status = Corrupt(Concat(where, ".vocab: id ", *id, " has no text"));
    } else {
      given[static_cast<size_t>(*id)] = true;
      texts[static_cast<size_t>(*id)] = text;
    }
    return status.ok();
  });
  PODIUM_RETURN_IF_ERROR(std::move(status));
  Result<Vocabulary> vocabulary = Vocabulary::Build(texts);
  if (!vocabulary.ok()) return Within(where + ".vocab", vocabulary.status());
  const int32_t unknown_id = vocabulary->Find(unknown);
  if (unknown_id < 0) {
    return Corrupt(Concat(where, ".unk_token: \"", unknown, "\" is not in the vocabulary"));
  }
  for (int32_t id = 0; id < vocabulary->size(); ++id) {
    if (vocabulary->Find(vocabulary->Text(id)) != id) {
      return Corrupt(
          Concat(where, ".vocab: \"", vocabulary->Text(id), "\" is there twice, once as id ", id));
    }
  }
  return std::unique_ptr<const Model>(std::make_unique<WordPiece>(
      std::move(vocabulary).value(), unknown_id, prefix, static_cast<int>(*chars)));
}

}  // namespace

ModelResult ParseModel(json::Value value, const std::string& where) {
  const auto type_value = value.Find("type");
  const auto type = type_value ? type_value->AsString() : std::nullopt;
  if (!type) return WrongType(where + ".type", type_value, "a string");
  if (*type == "Unigram") return ParseUnigram(value, where);
  if (*type == "WordPiece") return ParseWordPiece(value, where);
  return Unsupported(
      Concat(where, ": \"", *type, "\" is not supported; Unigram and WordPiece are"));
}

}  // namespace podium
