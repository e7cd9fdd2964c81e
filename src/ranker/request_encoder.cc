#include "ranker/request_encoder.h"

#include <limits>
#include <span>

#include "base/concat.h"

namespace podium {
namespace {

constexpr size_t kAll = std::numeric_limits<size_t>::max();

}  // namespace

void EncodedPairs::Clear() {
  ids.clear();
  types.clear();
  lengths.clear();
  indices.clear();
  copies.clear();
}

RequestEncoder::RequestEncoder(const Tokenizer& tokenizer, int length_max, PairRule rule,
                               size_t duplicate_ids_max, const EncodeOptions& options)
    : tokenizer_(tokenizer),
      encoder_(tokenizer, length_max, rule),
      options_(options),
      duplicates_(duplicate_ids_max) {}

Status RequestEncoder::Add(uint32_t index, const Pair& pair, EncodedPairs& pairs, Score& score) {
  if (!has_query_ || pair.query != query_text_) {
    has_query_ = true;
    query_text_ = pair.query;
    query_ =
        options_.keep_end ? tokenizer_.Encode(pair.query, kAll) : encoder_.EncodeQuery(pair.query);
  }
  Encoded document = options_.keep_end ? tokenizer_.Encode(pair.document, kAll)
                                       : encoder_.EncodeDocument(pair.document, query_);
  bool cut = false;
  const auto kept = static_cast<size_t>(options_.document_tokens_max);
  if (kept > 0 && document.ids.size() > kept) {
    const auto surplus = static_cast<std::ptrdiff_t>(document.ids.size() - kept);
    document.ids.erase(options_.keep_end ? document.ids.begin() : document.ids.end() - surplus,
                       options_.keep_end ? document.ids.begin() + surplus : document.ids.end());
    document.complete = true;
    cut = true;
  }
  PODIUM_RETURN_IF_ERROR(encoder_.CheckRoom(query_, document));
  const size_t start = pairs.ids.size();
  const bool truncated = encoder_.AppendPair(query_, document, pairs.ids, pairs.types,
                                             options_.keep_end ? CutKeeps::kEnd : CutKeeps::kStart);
  if (truncated && !options_.truncate) {
    pairs.ids.resize(start);
    pairs.types.resize(start);
    return CheckLength(index, pair);
  }
  score.truncated = truncated || cut;
  const std::span<const int32_t> ids = std::span(pairs.ids).subspan(start);
  score.tokens = static_cast<int>(ids.size());
  if (const auto first = duplicates_.FindOrAdd(ids, index)) {
    pairs.ids.resize(start);
    pairs.types.resize(start);
    pairs.copies.emplace_back(index, *first);
  } else {
    pairs.lengths.push_back(score.tokens);
    pairs.indices.push_back(index);
  }
  return OkStatus();
}

// Encoding stops where more ids do not matter; the message wants all of them.
Status RequestEncoder::CheckLength(uint32_t index, const Pair& pair) const {
  const size_t length = tokenizer_.Encode(pair.query, kAll).ids.size() +
                        tokenizer_.Encode(pair.document, kAll).ids.size() +
                        static_cast<size_t>(tokenizer_.pair_template().special_tokens());
  return InvalidArgument(Concat("document ", index, ": with the query it has ", length,
                                " tokens, at most ", encoder_.length_max(),
                                " are allowed when truncation is off"));
}

}  // namespace podium
