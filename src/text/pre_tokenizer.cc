#include "text/pre_tokenizer.h"

#include <algorithm>
#include <optional>

#include "base/concat.h"
#include "base/utf8.h"
#include "text/bert_characters.h"
#include "text/unicode.h"

namespace podium {
namespace {

Result<bool> ReadFlag(json::Value value, std::string_view key, bool absent,
                      const std::string& where) {
  const auto given = value.Find(key);
  if (!given || given->is(json::Type::kNull)) return absent;
  if (const auto flag = given->AsBool()) return *flag;
  return Corrupt(Concat(where, ".", key, ": got ", given->type_name(), ", a bool is needed"));
}

Result<PreTokenizer> ParseMetaspace(json::Value value, const std::string& where) {
  PreTokenizer rules;
  rules.metaspace = true;
  const auto replacement = value.Find("replacement");
  const auto space = replacement ? replacement->AsString() : std::nullopt;
  if (!space || space->empty() || static_cast<size_t>(DecodeUtf8(*space).bytes) != space->size()) {
    return Corrupt(Concat(where, ".replacement: one character is needed"));
  }
  rules.space = *space;

  std::string_view scheme = "always";
  if (const auto given = value.Find("prepend_scheme"); given && !given->is(json::Type::kNull)) {
    const auto text = given->AsString();
    if (!text) {
      return Corrupt(
          Concat(where, ".prepend_scheme: got ", given->type_name(), ", a string is needed"));
    }
    scheme = *text;
  }
  if (scheme == "always") {
    rules.prepend = PreTokenizer::Prepend::kAlways;
  } else if (scheme == "first") {
    rules.prepend = PreTokenizer::Prepend::kFirst;
  } else if (scheme == "never") {
    rules.prepend = PreTokenizer::Prepend::kNever;
  } else {
    return Corrupt(
        Concat(where, ".prepend_scheme: got \"", scheme, "\", allowed are always, first, never"));
  }
  PODIUM_ASSIGN_OR_RETURN(rules.split_at_space, ReadFlag(value, "split", true, where));
  // The older spelling. False needs the newer one to say "never", as in the reference; true says
  // nothing that the newer one does not say.
  PODIUM_ASSIGN_OR_RETURN(const bool prefix, ReadFlag(value, "add_prefix_space", true, where));
  if (!prefix && rules.prepend != PreTokenizer::Prepend::kNever) {
    return Corrupt(Concat(where, ".add_prefix_space is false, prepend_scheme is \"", scheme,
                          "\": they contradict each other"));
  }
  return rules;
}

}  // namespace

Result<PreTokenizer> ParsePreTokenizer(json::Value value, const std::string& where) {
  if (value.is(json::Type::kNull)) return PreTokenizer();
  const auto type_value = value.Find("type");
  const auto type = type_value ? type_value->AsString() : std::nullopt;
  if (!type) return Corrupt(Concat(where, ".type: a string is needed"));
  if (*type == "Metaspace") return ParseMetaspace(value, where);
  if (*type == "WhitespaceSplit" || *type == "BertPreTokenizer") {
    PreTokenizer rules;
    rules.whitespace_split = true;
    rules.punctuation_split = *type == "BertPreTokenizer";
    return rules;
  }
  if (*type != "Sequence") {
    return Unsupported(Concat(where, ": \"", *type,
                              "\" is not supported; BertPreTokenizer, Metaspace, WhitespaceSplit ",
                              "and Sequence are"));
  }
  const auto steps = value.Find("pretokenizers");
  if (!steps || !steps->is(json::Type::kArray)) {
    return Corrupt(Concat(where, ".pretokenizers: an array is needed"));
  }
  PreTokenizer all;
  Status status;
  size_t index = 0;
  steps->ForEachElement([&](json::Value element) {
    const std::string step_where = Concat(where, ".pretokenizers[", index++, "]");
    Result<PreTokenizer> step = ParsePreTokenizer(element, step_where);
    if (!step.ok()) {
      status = std::move(step).status();
      return false;
    }
    if (all.metaspace) {
      status = Unsupported(Concat(step_where, ": nothing may follow a Metaspace"));
      return false;
    }
    const bool split = all.whitespace_split, punctuation = all.punctuation_split;
    all = std::move(step).value();
    all.whitespace_split |= split;
    all.punctuation_split |= punctuation;
    if (all.whitespace_split && all.prepend == PreTokenizer::Prepend::kFirst) {
      // "First" is about places in the text before normalization, which are not kept.
      status = Unsupported(Concat(step_where, ".prepend_scheme: \"first\" after WhitespaceSplit"));
      return false;
    }
    return true;
  });
  PODIUM_RETURN_IF_ERROR(std::move(status));
  return all;
}

void PreTokenizerRun::Feed(std::string_view part, std::vector<int32_t>& ids) {
  if (!rules_.whitespace_split) {
    FeedWord(part, ids);
    return;
  }
  size_t word = 0;
  for (size_t at = 0; at < part.size();) {
    const Utf8Char next = DecodeUtf8(part.substr(at));
    const auto bytes = static_cast<size_t>(next.bytes);
    const bool space = IsWhitespace(next.code);
    if (space || (rules_.punctuation_split && IsBertPunctuation(next.code))) {
      FeedWord(part.substr(word, at - word), ids);
      EndWord(ids);
      at_text_start_ = false;
      word = at + bytes;
      if (!space) {
        FeedWord(part.substr(at, bytes), ids);
        EndWord(ids);
      }
    }
    at += bytes;
  }
  FeedWord(part.substr(word), ids);
}

void PreTokenizerRun::FeedWord(std::string_view part, std::vector<int32_t>& ids) {
  if (part.empty()) return;
  if (!rules_.metaspace) {
    word_open_ = true;
    model_.Append(part, ids);
    return;
  }
  const std::string& space = rules_.space;
  while (!part.empty()) {
    const size_t space_bytes = part[0] == ' ' ? 1 : part.starts_with(space) ? space.size() : 0;
    if (!word_open_) {
      const bool wanted = rules_.prepend == PreTokenizer::Prepend::kAlways ||
                          (rules_.prepend == PreTokenizer::Prepend::kFirst && at_text_start_);
      if (space_bytes == 0 && wanted) model_.Append(space, ids);
      word_open_ = true;
      at_text_start_ = false;
    }
    if (space_bytes > 0) {
      if (rules_.split_at_space && !model_.empty()) model_.End(ids);
      model_.Append(space, ids);
      part.remove_prefix(space_bytes);
      continue;
    }
    size_t end = 1;
    while (end < part.size() && part[end] != ' ' &&
           !(part[end] == space[0] && part.substr(end).starts_with(space))) {
      ++end;
    }
    model_.Append(part.substr(0, end), ids);
    part.remove_prefix(end);
  }
}

void PreTokenizerRun::EndWord(std::vector<int32_t>& ids) {
  if (word_open_) model_.End(ids);
  word_open_ = false;
}

}  // namespace podium
