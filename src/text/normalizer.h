// The normalizer of a tokenizer file: steps that rewrite a text that arrives in parts.
#ifndef PODIUM_TEXT_NORMALIZER_H_
#define PODIUM_TEXT_NORMALIZER_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "text/charsmap.h"

namespace podium {

/// One step. Immutable; any thread. Its Run keeps what one text needs between its parts.
class NormalizerStep {
 public:
  class Run {
   public:
    virtual ~Run() = default;
    /// Appends to `out` what is settled after `part`, which is valid UTF-8 and ends between two
    /// characters. `last` ends the text; the next call begins a new one.
    virtual void Feed(std::string_view part, bool last, std::string& out) = 0;
  };
  virtual ~NormalizerStep() = default;
  virtual std::unique_ptr<Run> Start() const = 0;
};

/// SentencePiece's rules, as the `tokenizers` library applies them: a grapheme cluster of fewer
/// than six bytes is looked up whole, and when a rule matches its start, replaced whole; otherwise
/// each character is looked up by itself and kept when there is no rule.
std::unique_ptr<NormalizerStep> MakePrecompiled(Charsmap map);
/// Every `from` (not empty) becomes `to`.
std::unique_ptr<NormalizerStep> MakeReplace(std::string from, std::string to);
/// Every run of at least `count_min` times `repeated` becomes `to`.
std::unique_ptr<NormalizerStep> MakeReplaceRun(char32_t repeated, size_t count_min, std::string to);
/// White space at the ends is removed.
std::unique_ptr<NormalizerStep> MakeStrip(bool left, bool right);

/// `text` before what is not empty.
std::unique_ptr<NormalizerStep> MakePrepend(std::string text);

/// All steps of a file in order.
class Normalizer {
 public:
  void Add(std::unique_ptr<NormalizerStep> step) { steps_.push_back(std::move(step)); }
  bool empty() const { return steps_.empty(); }

  class Run {
   public:
    explicit Run(const Normalizer& normalizer);
    /// The settled text after this part; valid until the next call and while `part` lives.
    std::string_view Feed(std::string_view part, bool last);

   private:
    std::vector<std::unique_ptr<NormalizerStep::Run>> runs_;
    std::string buffers_[2];
  };
  /// A whole text at once.
  std::string Apply(std::string_view text) const;

 private:
  std::vector<std::unique_ptr<NormalizerStep>> steps_;
};

}  // namespace podium

#endif  // PODIUM_TEXT_NORMALIZER_H_
