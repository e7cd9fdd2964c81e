// The model of a tokenizer file: a vocabulary, and the rule that cuts a segment into its pieces.
#ifndef PODIUM_TEXT_MODEL_H_
#define PODIUM_TEXT_MODEL_H_

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "text/vocabulary.h"

namespace podium {

/// Immutable; any thread. Its Run belongs to one thread.
class Model {
 public:
  /// Cuts segments that arrive in parts. Ids come out as soon as no further text can change them.
  class Run {
   public:
    virtual ~Run() = default;
    /// Adds to the segment; `part` is valid UTF-8 and ends between two characters.
    virtual void Append(std::string_view part, std::vector<int32_t>& ids) = 0;
    /// Ends the segment; nothing happens when nothing was appended.
    virtual void End(std::vector<int32_t>& ids) = 0;
  };
  virtual ~Model() = default;
  virtual const Vocabulary& vocabulary() const = 0;
  virtual std::unique_ptr<Run> Start() const = 0;
};

}  // namespace podium

#endif  // PODIUM_TEXT_MODEL_H_
