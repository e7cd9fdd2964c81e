#include "text/bert_normalizer.h"

#include <cstddef>
#include <string>
#include <string_view>

#include "base/utf8.h"
#include "text/character_steps.h"
#include "text/characters.h"
#include "text/combining_run.h"
#include "text/unicode.h"
#include "text/wordpiece.h"

namespace podium {
namespace {

// Combining characters are part of a word, and a word of more is one unknown whatever their order.
static_assert(kReorderedMax > size_t{WordPiece::kWordCharsMax});

class BertRun final : public NormalizerStep::Run {
 public:
  explicit BertRun(BertRules rules) : rules_(rules) {}

  void Feed(std::string_view part, bool last, std::string& out) override {
    while (!part.empty()) {
      const Utf8Char next = DecodeValidUtf8(part.data());
      part.remove_prefix(static_cast<size_t>(next.bytes));
      char32_t code = next.code;
      if (rules_.clean_text) {
        if (IsBertControl(code)) continue;
        if (IsWhitespace(code)) code = ' ';
      }
      if (rules_.ideographs && IsBertIdeograph(code)) {
        Strip(' ', out);
        Strip(code, out);
        Strip(' ', out);
      } else {
        Strip(code, out);
      }
    }
    if (last) Flush(out);
  }

 private:
  void Strip(char32_t code, std::string& out) {
    if (!rules_.strip_accents) {
      Put(code, out);
      return;
    }
    for (const char32_t decomposed : Decompose(code, false)) {
      const int order = CanonicalOrder(decomposed);
      if (order == 0) Flush(out);
      if (IsBertMark(decomposed)) continue;
      if (order == 0) {
        Put(decomposed, out);
        continue;
      }
      marks_.Add(order, decomposed);
      if (marks_.size() >= kReorderedMax) Flush(out);
    }
  }

  void Flush(std::string& out) {
    marks_.Flush([&](char32_t code, int) { Put(code, out); });
  }

  void Put(char32_t code, std::string& out) const {
    if (rules_.lowercase) {
      AppendLower(code, out);
    } else {
      AppendUtf8(code, out);
    }
  }

  const BertRules rules_;
  CombiningRun marks_;  // combining characters that no character of order 0 has followed yet
};

class BertStep final : public NormalizerStep {
 public:
  explicit BertStep(BertRules rules) : rules_(rules) {}
  std::unique_ptr<NormalizerStep::Run> Start() const override {
    return std::make_unique<BertRun>(rules_);
  }

 private:
  const BertRules rules_;
};

}  // namespace

std::unique_ptr<NormalizerStep> MakeBert(BertRules rules) {
  return std::make_unique<BertStep>(rules);
}

}  // namespace podium
