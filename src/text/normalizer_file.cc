// The "normalizer" of a tokenizer file.
#include "text/normalizer_file.h"

#include <array>
#include <optional>
#include <utility>

#include "base/concat.h"
#include "base/utf8.h"
#include "text/bert_normalizer.h"
#include "text/character_steps.h"

namespace podium {
namespace {

Result<std::string> DecodeBase64(std::string_view text, const std::string& where) {
  static constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::array<int8_t, 256> value_of;
  value_of.fill(-1);
  for (size_t i = 0; i < kAlphabet.size(); ++i) {
    value_of[static_cast<uint8_t>(kAlphabet[i])] = static_cast<int8_t>(i);
  }
  if (text.size() % 4 != 0) {
    return Corrupt(
        Concat(where, ": base64 of ", text.size(), " characters, a multiple of 4 is ", "needed"));
  }
  size_t padding = 0;
  while (padding < 2 && text.ends_with('=')) {
    text.remove_suffix(1);
    ++padding;
  }
  std::string out;
  out.reserve(text.size() / 4 * 3 + 3);
  uint32_t bits = 0;
  int count = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const int8_t value = value_of[static_cast<uint8_t>(text[i])];
    if (value < 0) return Corrupt(Concat(where, ": character ", i, " is not base64"));
    bits = bits << 6 | static_cast<uint32_t>(value);
    count += 6;
    if (count >= 8) {
      count -= 8;
      out.push_back(static_cast<char>(bits >> count & 0xFF));
    }
  }
  return out;
}

Result<std::string_view> ReadString(json::Value value, std::string_view key,
                                    const std::string& where) {
  const auto found = value.Find(key);
  const auto text = found ? found->AsString() : std::nullopt;
  if (!text) return Corrupt(Concat(where, ".", key, ": a string is needed"));
  return *text;
}

// A pattern of the two kinds that tokenizer files of this family use: plain text, or one character
// with "+" or "{n,}".
Result<std::unique_ptr<NormalizerStep>> ParsePattern(std::string_view pattern, std::string to,
                                                     const std::string& where) {
  const auto refuse = [&] {
    return Unsupported(Concat(where, ": the regular expression \"", pattern,
                              "\" is not supported; plain text, c+ and c{n,} are"));
  };
  constexpr std::string_view kSpecial = "\\^$.|?*+()[]{}";
  if (pattern.empty()) return refuse();
  const size_t special = pattern.find_first_of(kSpecial);
  if (special == std::string_view::npos) return MakeReplace(std::string(pattern), std::move(to));
  const Utf8Char first = DecodeUtf8(pattern);
  if (special != static_cast<size_t>(first.bytes)) return refuse();
  std::string_view rest = pattern.substr(special);
  if (rest == "+") return MakeReplaceRun(first.code, 1, std::move(to));
  if (rest.size() < 4 || rest.size() > 8 || !rest.starts_with('{') || !rest.ends_with(",}")) {
    return refuse();
  }
  size_t count = 0;
  for (const char digit : rest.substr(1, rest.size() - 3)) {
    if (digit < '0' || digit > '9') return refuse();
    count = count * 10 + static_cast<size_t>(digit - '0');
  }
  if (count == 0) return refuse();
  return MakeReplaceRun(first.code, count, std::move(to));
}

Result<std::unique_ptr<NormalizerStep>> ParseReplace(json::Value value, const std::string& where) {
  PODIUM_ASSIGN_OR_RETURN(const std::string_view to, ReadString(value, "content", where));
  const auto pattern = value.Find("pattern");
  if (pattern && pattern->Find("String")) {
    PODIUM_ASSIGN_OR_RETURN(const std::string_view from,
                            ReadString(*pattern, "String", where + ".pattern"));
    if (from.empty()) return Unsupported(Concat(where, ".pattern: an empty text"));
    return MakeReplace(std::string(from), std::string(to));
  }
  if (pattern && pattern->Find("Regex")) {
    PODIUM_ASSIGN_OR_RETURN(const std::string_view regex,
                            ReadString(*pattern, "Regex", where + ".pattern"));
    return ParsePattern(regex, std::string(to), where + ".pattern");
  }
  return Corrupt(Concat(where, ".pattern: an object with \"String\" or \"Regex\" is needed"));
}

Result<bool> ReadBool(json::Value value, std::string_view key, const std::string& where) {
  const auto found = value.Find(key);
  const auto flag = found ? found->AsBool() : std::nullopt;
  if (!flag) return Corrupt(Concat(where, ".", key, ": a bool is needed"));
  return *flag;
}

Result<std::unique_ptr<NormalizerStep>> ParseBert(json::Value value, const std::string& where) {
  BertRules rules;
  PODIUM_ASSIGN_OR_RETURN(rules.clean_text, ReadBool(value, "clean_text", where));
  PODIUM_ASSIGN_OR_RETURN(rules.ideographs, ReadBool(value, "handle_chinese_chars", where));
  PODIUM_ASSIGN_OR_RETURN(rules.lowercase, ReadBool(value, "lowercase", where));
  const auto accents = value.Find("strip_accents");
  if (!accents || accents->is(json::Type::kNull)) {
    rules.strip_accents = rules.lowercase;
  } else {
    PODIUM_ASSIGN_OR_RETURN(rules.strip_accents, ReadBool(value, "strip_accents", where));
  }
  return MakeBert(rules);
}

Result<std::unique_ptr<NormalizerStep>> ParseStep(std::string_view type, json::Value value,
                                                  const std::string& where) {
  if (type == "Precompiled") {
    PODIUM_ASSIGN_OR_RETURN(const std::string_view text,
                            ReadString(value, "precompiled_charsmap", where));
    const std::string map_where = where + ".precompiled_charsmap";
    PODIUM_ASSIGN_OR_RETURN(const std::string blob, DecodeBase64(text, map_where));
    Result<Charsmap> map = Charsmap::Parse(blob);
    if (!map.ok()) return Corrupt(Concat(map_where, ": ", map.status().message()));
    return MakePrecompiled(std::move(map).value());
  }
  if (type == "BertNormalizer") return ParseBert(value, where);
  if (type == "Replace") return ParseReplace(value, where);
  if (type == "Strip") {
    PODIUM_ASSIGN_OR_RETURN(const bool left, ReadBool(value, "strip_left", where));
    PODIUM_ASSIGN_OR_RETURN(const bool right, ReadBool(value, "strip_right", where));
    return MakeStrip(left, right);
  }
  if (type == "Prepend") {
    PODIUM_ASSIGN_OR_RETURN(const std::string_view text, ReadString(value, "prepend", where));
    return MakePrepend(std::string(text));
  }
  if (type == "Lowercase") return MakeLowercase();
  if (type == "StripAccents") return MakeStripAccents();
  if (type == "Nmt") return MakeNmt();
  if (type == "NFC") return MakeNormalForm(false, true);
  if (type == "NFD") return MakeNormalForm(false, false);
  if (type == "NFKC") return MakeNormalForm(true, true);
  if (type == "NFKD") return MakeNormalForm(true, false);
  return Unsupported(Concat(
      where, ": \"", type, "\" is not supported; BertNormalizer, Lowercase, NFC, NFD, NFKC, NFKD, ",
      "Nmt, Precompiled, Prepend, Replace, Strip, StripAccents and Sequence ", "are"));
}

}  // namespace

Status ParseNormalizer(json::Value value, const std::string& where, Normalizer& out) {
  if (value.is(json::Type::kNull)) return OkStatus();
  PODIUM_ASSIGN_OR_RETURN(const std::string_view type, ReadString(value, "type", where));
  if (type != "Sequence") {
    PODIUM_ASSIGN_OR_RETURN(auto step, ParseStep(type, value, where));
    out.Add(std::move(step));
    return OkStatus();
  }
  const auto steps = value.Find("normalizers");
  if (!steps || !steps->is(json::Type::kArray)) {
    return Corrupt(Concat(where, ".normalizers: an array is needed"));
  }
  Status status;
  size_t index = 0;
  steps->ForEachElement([&](json::Value step) {
    status = ParseNormalizer(step, Concat(where, ".normalizers[", index++, "]"), out);
    return status.ok();
  });
  return status;
}

}  // namespace podium
