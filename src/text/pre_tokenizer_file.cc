// The "pre_tokenizer" of a tokenizer file.
#include "text/pre_tokenizer_file.h"

#include <optional>
#include <utility>

#include "base/concat.h"
#include "base/utf8.h"
#include "text/file_error.h"

namespace podium {
namespace {

using Keep = SplitRule::Keep;
using Step = std::variant<SplitRule, MetaspaceRule>;

Result<bool> ReadFlag(json::Value value, std::string_view key, bool absent,
                      const std::string& where) {
  const auto given = value.Find(key);
  if (!given || given->is(json::Type::kNull)) return absent;
  if (const auto flag = given->AsBool()) return *flag;
  return WrongType(Concat(where, ".", key), given, "a bool");
}

// One character; `key` says whose value it is.
Result<char32_t> ReadCharacter(json::Value value, std::string_view key, const std::string& where) {
  const auto found = value.Find(key);
  const auto text = found ? found->AsString() : std::nullopt;
  if (text && !text->empty()) {
    const Utf8Char first = DecodeUtf8(*text);
    if (static_cast<size_t>(first.bytes) == text->size()) return first.code;
  }
  return Corrupt(Concat(where, ".", key, ": one character is needed"));
}

Result<Step> ParseMetaspace(json::Value value, const std::string& where) {
  MetaspaceRule rule;
  PODIUM_ASSIGN_OR_RETURN(const char32_t space, ReadCharacter(value, "replacement", where));
  AppendUtf8(space, rule.space);

  std::string_view scheme = "always";
  if (const auto given = value.Find("prepend_scheme"); given && !given->is(json::Type::kNull)) {
    const auto text = given->AsString();
    if (!text) return WrongType(where + ".prepend_scheme", given, "a string");
    scheme = *text;
  }
  if (scheme == "always") {
    rule.prepend = MetaspaceRule::Prepend::kAlways;
  } else if (scheme == "first") {
    rule.prepend = MetaspaceRule::Prepend::kFirst;
  } else if (scheme == "never") {
    rule.prepend = MetaspaceRule::Prepend::kNever;
  } else {
    return Corrupt(
        Concat(where, ".prepend_scheme: got \"", scheme, "\", allowed are always, first, never"));
  }
  PODIUM_ASSIGN_OR_RETURN(rule.split, ReadFlag(value, "split", true, where));
  // The older spelling. False needs the newer one to say "never", as in the reference; true says
  // nothing that the newer one does not say.
  PODIUM_ASSIGN_OR_RETURN(const bool prefix, ReadFlag(value, "add_prefix_space", true, where));
  if (!prefix && rule.prepend != MetaspaceRule::Prepend::kNever) {
    return Corrupt(Concat(where, ".add_prefix_space is false, prepend_scheme is \"", scheme,
                          "\": they contradict each other"));
  }
  return Step(std::move(rule));
}

Result<Keep> ReadKeep(json::Value value, const std::string& where) {
  static constexpr std::pair<std::string_view, Keep> kNames[] = {
      {"Removed", Keep::kRemoved},
      {"Isolated", Keep::kIsolated},
      {"MergedWithPrevious", Keep::kMergedWithPrevious},
      {"MergedWithNext", Keep::kMergedWithNext},
      {"Contiguous", Keep::kContiguous},
  };
  const auto found = value.Find("behavior");
  const auto text = found ? found->AsString() : std::nullopt;
  for (const auto& [name, keep] : kNames) {
    if (text == name) return keep;
  }
  return Corrupt(Concat(where, ".behavior: Removed, Isolated, MergedWithPrevious, MergedWithNext ",
                        "or Contiguous is needed"));
}

// A pattern is one character as text, or a regular expression of the forms c, c+, \s and \s+.
Result<Step> ParseSplit(json::Value value, const std::string& where) {
  PODIUM_ASSIGN_OR_RETURN(const Keep keep, ReadKeep(value, where));
  PODIUM_ASSIGN_OR_RETURN(const bool invert, ReadFlag(value, "invert", false, where));
  const auto pattern = value.Find("pattern");
  const auto text_value = pattern ? pattern->Find("String") : std::nullopt;
  const auto regex_value = pattern ? pattern->Find("Regex") : std::nullopt;
  const auto text = text_value ? text_value->AsString() : std::nullopt;
  const auto regex = regex_value ? regex_value->AsString() : std::nullopt;
  if (!text && !regex) {
    return Corrupt(Concat(where, ".pattern: an object with \"String\" or \"Regex\" is needed"));
  }
  std::string_view rest = text ? *text : *regex;
  char32_t character = 0;
  bool supported = !rest.empty();
  if (supported && regex && rest.starts_with("\\s")) {
    rest.remove_prefix(2);
  } else if (supported) {
    const Utf8Char first = DecodeUtf8(rest);
    character = first.code;
    supported = character != 0 && !(regex && std::string_view("\\^$.|?*+()[]{}").find(rest[0]) !=
                                                 std::string_view::npos);
    rest.remove_prefix(static_cast<size_t>(first.bytes));
  }
  const bool in_a_row = regex && rest == "+";
  if (!supported || !(rest.empty() || in_a_row)) {
    return Unsupported(Concat(where, ".pattern: \"", text ? *text : *regex,
                              "\" is not supported; one character, and the regular expressions c, ",
                              "c+, \\s and \\s+ are"));
  }
  return Step(SplitRule::Characters(character, in_a_row, invert, keep));
}

Result<Step> ParseStep(std::string_view type, json::Value value, const std::string& where) {
  if (type == "Metaspace") return ParseMetaspace(value, where);
  if (type == "BertPreTokenizer") return Step(SplitRule::Bert());
  if (type == "Whitespace") return Step(SplitRule::Whitespace());
  if (type == "WhitespaceSplit") return Step(SplitRule::WhitespaceSplit());
  if (type == "Punctuation") {
    // Older files have none.
    if (!value.Find("behavior")) return Step(SplitRule::Punctuation(Keep::kIsolated));
    PODIUM_ASSIGN_OR_RETURN(const Keep keep, ReadKeep(value, where));
    return Step(SplitRule::Punctuation(keep));
  }
  if (type == "Digits") {
    PODIUM_ASSIGN_OR_RETURN(const bool individual,
                            ReadFlag(value, "individual_digits", false, where));
    return Step(SplitRule::Digits(individual));
  }
  if (type == "CharDelimiterSplit") {
    PODIUM_ASSIGN_OR_RETURN(const char32_t character, ReadCharacter(value, "delimiter", where));
    if (character == 0) return Unsupported(Concat(where, ".delimiter: U+0000"));
    return Step(SplitRule::Characters(character, false, false, Keep::kRemoved));
  }
  if (type == "Split") return ParseSplit(value, where);
  return Unsupported(Concat(
      where, ": \"", type, "\" is not supported; BertPreTokenizer, CharDelimiterSplit, Digits, ",
      "Metaspace, Punctuation, Sequence, Split, Whitespace and ", "WhitespaceSplit are"));
}

Status AppendSteps(json::Value value, const std::string& where, PreTokenizer& out) {
  const auto type_value = value.Find("type");
  const auto type = type_value ? type_value->AsString() : std::nullopt;
  if (!type) return WrongType(where + ".type", type_value, "a string");
  if (*type != "Sequence") {
    PODIUM_ASSIGN_OR_RETURN(Step step, ParseStep(*type, value, where));
    const auto* metaspace = std::get_if<MetaspaceRule>(&step);
    if (metaspace != nullptr && metaspace->prepend == MetaspaceRule::Prepend::kFirst &&
        !out.steps.empty()) {
      // "First" is about places in the text before normalization, which are not kept.
      return Unsupported(
          Concat(where, ".prepend_scheme: \"first\" after another pre-tokenizer is not supported"));
    }
    out.steps.push_back(std::move(step));
    return OkStatus();
  }
  const auto steps = value.Find("pretokenizers");
  if (!steps || !steps->is(json::Type::kArray)) {
    return WrongType(where + ".pretokenizers", steps, "an array");
  }
  Status status;
  size_t index = 0;
  steps->ForEachElement([&](json::Value element) {
    status = AppendSteps(element, Concat(where, ".pretokenizers[", index++, "]"), out);
    return status.ok();
  });
  return status;
}

}  // namespace

Result<PreTokenizer> ParsePreTokenizer(json::Value value, const std::string& where) {
  PreTokenizer out;
  if (value.is(json::Type::kNull)) return out;
  PODIUM_RETURN_IF_ERROR(AppendSteps(value, where, out));
  return out;
}

}  // namespace podium
