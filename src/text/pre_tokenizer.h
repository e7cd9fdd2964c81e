// The pre-tokenizer of a tokenizer file: cuts normalised text into the segments that a model sees.
#ifndef PODIUM_TEXT_PRE_TOKENIZER_H_
#define PODIUM_TEXT_PRE_TOKENIZER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "text/model.h"

namespace podium {

/// Cuts between characters as their classes say. All kinds but Metaspace are of this form.
struct SplitRule {
  static constexpr uint8_t kOther = 0, kMatch = 1, kSpace = 2, kClasses = 3;
  using Classify = uint8_t (*)(char32_t code, char32_t character);
  enum class Keep : uint8_t {  // what becomes of a match, in the library's words
    kRemoved,
    kIsolated,
    kMergedWithPrevious,
    kMergedWithNext,
    kContiguous
  };

  Classify classify = nullptr;
  char32_t character = 0;             // that `classify` is given
  bool cut[kClasses][kClasses] = {};  // between a character of one class and one of another
  bool drop[kClasses] = {};           // such characters go
  uint8_t ascii[128] = {};            // classify() of each

  static SplitRule Whitespace();       // \w+|[^\w\s]+
  static SplitRule WhitespaceSplit();  // words between white space
  static SplitRule Bert();             // the same, and each punctuation character a word
  static SplitRule Punctuation(Keep keep);
  static SplitRule Digits(bool individual);
  /// Matches are `character`, or white space when it is 0; one each, or one for all in a row.
  static SplitRule Characters(char32_t character, bool in_a_row, bool invert, Keep keep);
};

/// Spaces become `space`, words start with it.
struct MetaspaceRule {
  enum class Prepend : uint8_t { kAlways, kFirst, kNever };
  std::string space;  // "▁"
  bool split = true;  // a segment starts at each `space`
  Prepend prepend = Prepend::kAlways;
};

/// Immutable; any thread.
struct PreTokenizer {
  std::vector<std::variant<SplitRule, MetaspaceRule>> steps;
};

/// Feeds a model with the segments of text that arrives in parts. One thread.
class PreTokenizerRun {
 public:
  PreTokenizerRun(const PreTokenizer& rules, Model::Run& model);

  /// A stretch of text between added tokens begins; `at_text_start`: before everything else.
  void BeginSpan(bool at_text_start) { at_text_start_ = at_text_start; }
  void Feed(std::string_view part, std::vector<int32_t>& ids) {
    if (!part.empty()) first_->Append(part, ids);
  }
  void EndSpan(std::vector<int32_t>& ids) { first_->End(ids); }

 private:
  bool at_text_start_ = true;
  std::vector<std::unique_ptr<Model::Run>> steps_;  // the last one first
  Model::Run* first_;
};

}  // namespace podium

#endif  // PODIUM_TEXT_PRE_TOKENIZER_H_
