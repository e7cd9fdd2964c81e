#include "text/pre_tokenizer.h"

#include <algorithm>

#include "base/utf8.h"
#include "text/characters.h"
#include "text/unicode.h"

namespace podium {
namespace {

using Keep = SplitRule::Keep;

SplitRule WithClasses(SplitRule::Classify classify, char32_t character) {
  SplitRule rule;
  rule.classify = classify;
  rule.character = character;
  for (char32_t code = 0; code < 128; ++code) rule.ascii[code] = classify(code, character);
  return rule;
}

// The library finds matches, and stretches between them, then lets `keep` join or drop them. Here
// it is said of two characters that stand side by side.
void SetCuts(SplitRule& rule, bool in_a_row, bool invert, Keep keep) {
  const auto is_match = [&](uint8_t c) { return (c == SplitRule::kMatch) != invert; };
  for (uint8_t before = 0; before <= SplitRule::kMatch; ++before) {
    for (uint8_t after = 0; after <= SplitRule::kMatch; ++after) {
      const bool apart = before != after || (before == SplitRule::kMatch && !in_a_row);
      bool joined = false;
      if (keep == Keep::kContiguous) joined = is_match(before) == is_match(after);
      if (keep == Keep::kMergedWithPrevious) joined = is_match(after) && !is_match(before);
      if (keep == Keep::kMergedWithNext) joined = is_match(before) && !is_match(after);
      rule.cut[before][after] = apart && !joined;
    }
    rule.drop[before] = keep == Keep::kRemoved && is_match(before);
  }
}

// White space goes and ends words.
void DropSpace(SplitRule& rule) {
  for (uint8_t other = 0; other < SplitRule::kClasses; ++other) {
    rule.cut[other][SplitRule::kSpace] = rule.cut[SplitRule::kSpace][other] = true;
  }
  rule.drop[SplitRule::kSpace] = true;
}

class SplitStep final : public Model::Run {
 public:
  SplitStep(const SplitRule& rule, Model::Run& next) : rule_(rule), next_(next) {}

  void Append(std::string_view part, std::vector<int32_t>& ids) override {
    size_t kept = 0;  // from here to `at` nothing was handed on
    for (size_t at = 0; at < part.size();) {
      const uint8_t byte = static_cast<uint8_t>(part[at]);
      size_t bytes = 1;
      uint8_t now;
      if (byte < 0x80) {
        now = rule_.ascii[byte];
      } else {
        const Utf8Char next = DecodeValidUtf8(part.data() + at);
        bytes = static_cast<size_t>(next.bytes);
        now = rule_.classify(next.code, rule_.character);
      }
      if (open_ && rule_.cut[before_][now]) {
        HandOn(part.substr(kept, at - kept), ids);
        Close(ids);
        kept = at;
      }
      if (rule_.drop[now]) kept = at + bytes;
      open_ = true;
      before_ = now;
      at += bytes;
    }
    HandOn(part.substr(kept), ids);
  }

  void End(std::vector<int32_t>& ids) override {
    Close(ids);
    open_ = false;
  }

 private:
  void HandOn(std::string_view part, std::vector<int32_t>& ids) {
    if (part.empty()) return;
    next_.Append(part, ids);
    next_open_ = true;
  }
  void Close(std::vector<int32_t>& ids) {
    if (next_open_) next_.End(ids);
    next_open_ = false;
  }

  const SplitRule& rule_;
  Model::Run& next_;
  bool open_ =
      false;  // a segment came and has not ended; before_ is the class of its last character
  uint8_t before_ = 0;
  bool next_open_ = false;
};

class MetaspaceStep final : public Model::Run {
 public:
  MetaspaceStep(const MetaspaceRule& rule, bool& at_text_start, Model::Run& next)
      : rule_(rule), at_text_start_(at_text_start), next_(next) {}

  void Append(std::string_view part, std::vector<int32_t>& ids) override {
    const std::string& space = rule_.space;
    while (!part.empty()) {
      const size_t space_bytes = part[0] == ' ' ? 1 : part.starts_with(space) ? space.size() : 0;
      if (space_bytes > 0) {
        if (open_ && rule_.split) next_.End(ids);
        next_.Append(space, ids);
        part.remove_prefix(space_bytes);
      } else {
        if (!open_ && Prepends()) next_.Append(space, ids);
        size_t end = 1;
        while (end < part.size() && part[end] != ' ' &&
               !(part[end] == space[0] && part.substr(end).starts_with(space))) {
          ++end;
        }
        next_.Append(part.substr(0, end), ids);
        part.remove_prefix(end);
      }
      open_ = true;
      at_text_start_ = false;
    }
  }

  void End(std::vector<int32_t>& ids) override {
    if (open_) next_.End(ids);
    open_ = false;
  }

 private:
  bool Prepends() const {
    return rule_.prepend == MetaspaceRule::Prepend::kAlways ||
           (rule_.prepend == MetaspaceRule::Prepend::kFirst && at_text_start_);
  }

  const MetaspaceRule& rule_;
  bool& at_text_start_;
  Model::Run& next_;
  bool open_ = false;
};

}  // namespace

SplitRule SplitRule::Whitespace() {
  SplitRule rule = WithClasses(
      [](char32_t code, char32_t) -> uint8_t {
        return IsWhitespace(code) ? kSpace : IsWord(code) ? kMatch : kOther;
      },
      0);
  SetCuts(rule, true, false, Keep::kIsolated);
  DropSpace(rule);
  return rule;
}

SplitRule SplitRule::WhitespaceSplit() {
  SplitRule rule = WithClasses(
      [](char32_t code, char32_t) -> uint8_t { return IsWhitespace(code) ? kSpace : kOther; }, 0);
  DropSpace(rule);
  return rule;
}

SplitRule SplitRule::Bert() {
  SplitRule rule = WithClasses(
      [](char32_t code, char32_t) -> uint8_t {
        return IsWhitespace(code) ? kSpace : IsBertPunctuation(code) ? kMatch : kOther;
      },
      0);
  SetCuts(rule, false, false, Keep::kIsolated);
  DropSpace(rule);
  return rule;
}

SplitRule SplitRule::Punctuation(Keep keep) {
  SplitRule rule = WithClasses(
      [](char32_t code, char32_t) -> uint8_t { return IsBertPunctuation(code) ? kMatch : kOther; },
      0);
  SetCuts(rule, false, false, keep);
  return rule;
}

SplitRule SplitRule::Digits(bool individual) {
  SplitRule rule = WithClasses(
      [](char32_t code, char32_t) -> uint8_t { return IsNumeric(code) ? kMatch : kOther; }, 0);
  SetCuts(rule, false, false, individual ? Keep::kIsolated : Keep::kContiguous);
  return rule;
}

SplitRule SplitRule::Characters(char32_t character, bool in_a_row, bool invert, Keep keep) {
  SplitRule rule = WithClasses(
      [](char32_t code, char32_t wanted) -> uint8_t {
        return (wanted == 0 ? IsWhitespace(code) : code == wanted) ? kMatch : kOther;
      },
      character);
  SetCuts(rule, in_a_row, invert, keep);
  return rule;
}

PreTokenizerRun::PreTokenizerRun(const PreTokenizer& rules, Model::Run& model) : first_(&model) {
  for (size_t i = rules.steps.size(); i-- > 0;) {
    if (const auto* split = std::get_if<SplitRule>(&rules.steps[i])) {
      steps_.push_back(std::make_unique<SplitStep>(*split, *first_));
    } else {
      steps_.push_back(std::make_unique<MetaspaceStep>(std::get<MetaspaceRule>(rules.steps[i]),
                                                       at_text_start_, *first_));
    }
    first_ = steps_.back().get();
  }
}

}  // namespace podium
