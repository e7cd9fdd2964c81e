// Query ids and document ids → the ids of a pair, cut to fit.
#ifndef PODIUM_TEXT_PAIR_ENCODER_H_
#define PODIUM_TEXT_PAIR_ENCODER_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace podium {

/// How many ids of each side stay.
struct Cut {
  int query = 0;
  int document = 0;
};

/// The reference's `longest_first`: `room` is the limit less the template's special tokens.
Cut CutLongestFirst(int64_t query, int64_t document, int room);

/// Encodes pairs for one tokenizer and one limit. Immutable; any thread.
class PairEncoder {
 public:
  /// `length_max` counts special tokens and is at least special_tokens() + 2.
  PairEncoder(const Tokenizer& tokenizer, int length_max);

  Encoded EncodeQuery(std::string_view query) const;
  /// No more than matters to a pair with this query.
  Encoded EncodeDocument(std::string_view document, const Encoded& query) const;
  /// Appends the pair's ids and segment ids; true when one of the sides was cut.
  bool AppendPair(const Encoded& query, const Encoded& document, std::vector<int32_t>& ids,
                  std::vector<uint8_t>& types) const;
  int length_max() const { return length_max_; }

 private:
  const Tokenizer& tokenizer_;
  int length_max_;
  int room_;  // for ids of the two texts
};

}  // namespace podium

#endif  // PODIUM_TEXT_PAIR_ENCODER_H_
