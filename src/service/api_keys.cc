#include "service/api_keys.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/concat.h"

namespace podium {
namespace {

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r";
  const size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

// Looks at every byte of `given`, whatever `secret` is.
bool EqualInConstantTime(std::string_view given, std::string_view secret) {
  unsigned difference = given.size() == secret.size() ? 0 : 1;
  for (size_t i = 0; i < given.size(); ++i) {
    const char other = secret[i % secret.size()];  // never empty
    difference |= static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(other);
  }
  return difference == 0;
}

// "Bearer x", "bearer x" and "x" alike.
std::string_view WithoutScheme(std::string_view authorization) {
  constexpr std::string_view kScheme = "bearer ";
  authorization = Trim(authorization);
  if (authorization.size() <= kScheme.size()) return authorization;
  for (size_t i = 0; i < kScheme.size(); ++i) {
    const char c = authorization[i];
    if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c) != kScheme[i]) return authorization;
  }
  return Trim(authorization.substr(kScheme.size()));
}

// What a header can carry and a person can read; a file that is no list of keys has other bytes.
bool IsPrintable(std::string_view word) {
  return std::all_of(word.begin(), word.end(), [](char c) { return c >= 0x21 && c <= 0x7E; });
}

Status CheckWord(const char* what, std::string_view word) {
  if (word.size() > static_cast<size_t>(kApiKeyBytesMax)) {
    return InvalidArgument(Concat("the ", what, " has ", word.size(), " bytes, at most ",
                                  kApiKeyBytesMax, " are allowed"));
  }
  if (!IsPrintable(word)) {
    return InvalidArgument(Concat("the ", what,
                                  " has a byte that is not printable ASCII; allowed are letters, "
                                  "digits and signs, 0x21 to 0x7E"));
  }
  return OkStatus();
}

}  // namespace

Result<ApiKeys> ApiKeys::Parse(std::string_view text, std::string_view origin) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark) {
    text.remove_prefix(kByteOrderMark.size());
  }
  ApiKeys keys;
  std::unordered_map<std::string, int> line_of;  // by key
  int number = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = Trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.empty() || line[0] == '#') continue;
    const size_t space = line.find_first_of(" \t");
    Key key;
    if (space == std::string_view::npos) {
      key = {Concat("key-", keys.keys_.size() + 1), std::string(line)};
    } else {
      key = {std::string(line.substr(0, space)), std::string(Trim(line.substr(space)))};
    }
    if (key.secret.find_first_of(" \t") != std::string::npos) {
      return InvalidArgument(
          Concat(origin, ":", number, ": expected KEY or NAME KEY, got more than two words"));
    }
    for (const auto& [what, word] : {std::pair("name", &key.name), std::pair("key", &key.secret)}) {
      if (const Status status = CheckWord(what, *word); !status.ok()) {
        return InvalidArgument(Concat(origin, ":", number, ": ", status.message()));
      }
    }
    const auto [earlier, is_new] = line_of.emplace(key.secret, number);
    if (!is_new) {
      return InvalidArgument(
          Concat(origin, ":", number, ": the key of line ", earlier->second, " again"));
    }
    if (keys.keys_.size() >= static_cast<size_t>(kApiKeysMax)) {
      return ResourceExhausted(Concat(origin, ": more than ", kApiKeysMax, " keys"));
    }
    keys.keys_.push_back(std::move(key));
  }
  if (keys.empty()) {
    return InvalidArgument(Concat(origin, ": it has no key; leave the setting out to need none"));
  }
  return keys;
}

std::optional<std::string_view> ApiKeys::Check(std::string_view authorization,
                                               std::string_view api_key) const {
  if (empty()) return std::string_view();
  const std::string_view given = api_key.empty() ? WithoutScheme(authorization) : api_key;
  std::optional<std::string_view> name;
  for (const Key& key : keys_) {
    if (EqualInConstantTime(given, key.secret)) name = key.name;
  }
  return given.empty() ? std::nullopt : name;
}

}  // namespace podium
