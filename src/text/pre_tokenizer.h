// The pre-tokenizer of a tokenizer file: cuts normalised text into the segments that a model sees.
#ifndef PODIUM_TEXT_PRE_TOKENIZER_H_
#define PODIUM_TEXT_PRE_TOKENIZER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "json/json.h"
#include "text/model.h"

namespace podium {

/// BertPreTokenizer or WhitespaceSplit, Metaspace, or one of the former followed by the latter.
struct PreTokenizer {
  enum class Prepend : uint8_t { kAlways, kFirst, kNever };

  bool whitespace_split = false;   // white space goes, the words between are cut further
  bool punctuation_split = false;  // and so are punctuation characters, each a word by itself
  bool metaspace = false;          // spaces become `space`, words start with it
  bool split_at_space = false;     // a segment starts at each `space`
  Prepend prepend = Prepend::kNever;
  std::string space;  // "▁"
};

/// Reads the value of "pre_tokenizer"; `where` names it in errors.
Result<PreTokenizer> ParsePreTokenizer(json::Value value, const std::string& where);

/// Feeds a model with the segments of text that arrives in parts. One thread.
class PreTokenizerRun {
 public:
  PreTokenizerRun(const PreTokenizer& rules, Model::Run& model) : rules_(rules), model_(model) {}

  /// A stretch of text between added tokens begins; `at_text_start`: before everything else.
  void BeginSpan(bool at_text_start) { at_text_start_ = at_text_start; }
  void Feed(std::string_view part, std::vector<int32_t>& ids);
  void EndSpan(std::vector<int32_t>& ids) { EndWord(ids); }

 private:
  void FeedWord(std::string_view part, std::vector<int32_t>& ids);
  void EndWord(std::vector<int32_t>& ids);

  const PreTokenizer& rules_;
  Model::Run& model_;
  bool at_text_start_ = true;
  bool word_open_ = false;
};

}  // namespace podium

#endif  // PODIUM_TEXT_PRE_TOKENIZER_H_
