// Query ids and document ids → the ids of a pair, cut to fit.
#ifndef PODIUM_TEXT_PAIR_ENCODER_H_
#define PODIUM_TEXT_PAIR_ENCODER_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "text/tokenizer.h"

namespace podium {

/// Which side gives way when a pair is too long.
enum class PairRule : uint8_t {
  /// The reference's `longest_first`: the longer one, and when that is not enough both.
  kLongestFirst,
  /// The document. A query that leaves no room for one token of it is an error, as there.
  kOnlySecond,
  /// FlagEmbedding's FlagReranker: the query is cut at three quarters of the limit (special tokens
  /// not counted), then the document.
  kFlagEmbedding,
};
/// "longest_first", "only_second" or "flag_embedding".
Result<PairRule> ParsePairRule(std::string_view name);
/// The smallest limit that leaves room for a token of each side.
int LengthMin(PairRule rule, int special_tokens);

/// The most tokens of a query that a pair may keep, room for special tokens not considered.
int QueryTokensMax(PairRule rule, int length_max);

/// Which end of a text that is cut stays.
enum class CutKeeps : uint8_t { kStart, kEnd };

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
  /// `length_max` counts special tokens and is at least LengthMin.
  PairEncoder(const Tokenizer& tokenizer, int length_max, PairRule rule = PairRule::kLongestFirst);

  Encoded EncodeQuery(std::string_view query) const;
  /// No more than matters to a pair with this query.
  Encoded EncodeDocument(std::string_view document, const Encoded& query) const;
  /// kInvalidArgument when the rule leaves nothing of this document; ask before AppendPair.
  Status CheckRoom(const Encoded& query, const Encoded& document) const;
  /// Appends the pair's ids and segment ids; true when one of the sides was cut. To keep the ends,
  /// both are complete: encoded with the tokenizer itself.
  bool AppendPair(const Encoded& query, const Encoded& document, std::vector<int32_t>& ids,
                  std::vector<uint8_t>& types, CutKeeps keeps = CutKeeps::kStart) const;
  int length_max() const { return length_max_; }

 private:
  Cut CutPair(int64_t query, int64_t document) const;

  const Tokenizer& tokenizer_;
  int length_max_;
  int room_;   // for ids of the two texts
  int query_;  // for those of the query
  PairRule rule_;
};

}  // namespace podium

#endif  // PODIUM_TEXT_PAIR_ENCODER_H_
