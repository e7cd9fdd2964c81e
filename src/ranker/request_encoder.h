// Texts of one request → ids of its pairs: the query once, each document once, copies found.
#ifndef PODIUM_RANKER_REQUEST_ENCODER_H_
#define PODIUM_RANKER_REQUEST_ENCODER_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "podium/types.h"
#include "ranker/duplicates.h"
#include "text/pair_encoder.h"
#include "text/tokenizer.h"

namespace podium {

/// Encoded pairs, end to end.
struct EncodedPairs {
  std::vector<int32_t> ids;
  std::vector<uint8_t> types;
  std::vector<int> lengths;
  std::vector<uint32_t> indices;                      // of each pair, in the request
  std::vector<std::pair<uint32_t, uint32_t>> copies;  // pair ← earlier pair with the same ids

  size_t size() const { return lengths.size() + copies.size(); }
  void Clear();
};

/// One request's choices.
struct EncodeOptions {
  /// false: a pair that is too long is kInvalidArgument, with its length and the limit.
  bool truncate = true;
  /// What is too long loses its start, not its end.
  bool keep_end = false;
  /// Ids of a document at most, special tokens not counted; 0 for no limit of its own.
  int document_tokens_max = 0;
};

/// One request at a time, one thread at a time.
class RequestEncoder {
 public:
  /// The tokenizer outlives it. `length_max` is a pair's.
  RequestEncoder(const Tokenizer& tokenizer, int length_max, PairRule rule,
                 size_t duplicate_ids_max, const EncodeOptions& options = {});

  /// Appends pair `index`, or remembers whose copy it is; sets all of `score` but the logit. Texts
  /// of a query live until the next one comes.
  Status Add(uint32_t index, const Pair& pair, EncodedPairs& pairs, Score& score);

 private:
  Status CheckLength(uint32_t index, const Pair& pair) const;

  const Tokenizer& tokenizer_;
  const PairEncoder encoder_;
  const EncodeOptions options_;
  Duplicates duplicates_;
  bool has_query_ = false;
  std::string_view query_text_;
  Encoded query_;
};

}  // namespace podium

#endif  // PODIUM_RANKER_REQUEST_ENCODER_H_
