#include "text/pair_encoder.h"

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "base/concat.h"

namespace podium {

Result<PairRule> ParsePairRule(std::string_view name) {
  if (name == "longest_first") return PairRule::kLongestFirst;
  if (name == "only_second") return PairRule::kOnlySecond;
  if (name == "flag_embedding") return PairRule::kFlagEmbedding;
  return InvalidArgument(Concat("truncation: got \"", name,
                                "\", allowed: longest_first, only_second, flag_embedding"));
}

int QueryTokensMax(PairRule rule, int length_max) {
  // FlagEmbedding's share, in its integers.
  if (rule != PairRule::kFlagEmbedding) return length_max;
  return static_cast<int>(int64_t{length_max} * 3 / 4);
}

int LengthMin(PairRule rule, int special_tokens) {
  int length = special_tokens + 2;
  if (rule != PairRule::kFlagEmbedding) return length;
  while (QueryTokensMax(rule, length) + special_tokens >= length) ++length;
  return length;
}

Cut CutLongestFirst(int64_t query, int64_t document, int room) {
  int64_t shorter = std::min(query, document);
  int64_t longer = std::max(query, document);
  // The shorter side stays whole while the longer one, cut, is still the longer one; otherwise both
  // get half, the longer one the odd token, the document when they are equally long.
  longer = shorter > room ? shorter : std::min(longer, std::max(shorter, room - shorter));
  if (shorter + longer > room) {
    shorter = room / 2;
    longer = shorter + room % 2;
  }
  const bool query_longer = query > document;
  return {static_cast<int>(query_longer ? longer : shorter),
          static_cast<int>(query_longer ? shorter : longer)};
}

PairEncoder::PairEncoder(const Tokenizer& tokenizer, int length_max, PairRule rule)
    : tokenizer_(tokenizer),
      length_max_(length_max),
      room_(length_max - tokenizer.pair_template().special_tokens()),
      query_(std::min(room_, QueryTokensMax(rule, length_max))),
      rule_(rule) {
  PODIUM_CHECK(length_max >= LengthMin(rule, tokenizer.pair_template().special_tokens()));
}

// Which ids of a side matter: those that may stay, and one more to tell that it was cut. With
// longest_first, an odd room and two long sides the odd token goes to the longer one, so their true
// lengths must be compared: the query is read to its end, a document to just beyond the query's
// length.
Encoded PairEncoder::EncodeQuery(std::string_view query) const {
  const bool whole = rule_ == PairRule::kLongestFirst && room_ % 2 != 0;
  return tokenizer_.Encode(
      query, whole ? std::numeric_limits<size_t>::max() : static_cast<size_t>(query_) + 1);
}

Encoded PairEncoder::EncodeDocument(std::string_view document, const Encoded& query) const {
  const auto room = static_cast<size_t>(room_);
  const size_t length = query.ids.size();
  size_t stays = 0;
  if (rule_ == PairRule::kLongestFirst) {
    stays = length <= room / 2 ? room - length : room / 2;
    if (room % 2 != 0 && length > room / 2) stays = length;
  } else {
    stays = room - std::min({length, static_cast<size_t>(query_), room});
  }
  return tokenizer_.Encode(document, stays + 1);
}

Cut PairEncoder::CutPair(int64_t query, int64_t document) const {
  if (rule_ == PairRule::kLongestFirst) return CutLongestFirst(query, document, room_);
  Cut cut;
  cut.query = static_cast<int>(std::min<int64_t>(query, query_));
  cut.document = static_cast<int>(std::min<int64_t>(document, room_ - cut.query));
  return cut;
}

Status PairEncoder::CheckRoom(const Encoded& query, const Encoded& document) const {
  if (rule_ != PairRule::kOnlySecond) return OkStatus();
  const auto room = static_cast<size_t>(room_);
  const size_t length = query.ids.size();
  if (length < room || length + document.ids.size() <= room) return OkStatus();
  return InvalidArgument(Concat("query: got ", length > room ? "more than " : "",
                                std::min(length, room), " tokens; with truncation only_second and ",
                                "a max_length of ", length_max_, " at most ", room - 1,
                                " leave room for a document"));
}

bool PairEncoder::AppendPair(const Encoded& query, const Encoded& document,
                             std::vector<int32_t>& ids, std::vector<uint8_t>& types,
                             CutKeeps keeps) const {
  const auto query_size = static_cast<int64_t>(query.ids.size());
  const auto document_size = static_cast<int64_t>(document.ids.size());
  const Cut cut = CutPair(query_size, document_size);
  for (const TemplatePiece& piece : tokenizer_.pair_template().pieces) {
    if (piece.kind == TemplatePiece::Kind::kId) {
      ids.push_back(piece.id);
      types.push_back(piece.type);
      continue;
    }
    const bool is_query = piece.kind == TemplatePiece::Kind::kQuery;
    const std::vector<int32_t>& side = is_query ? query.ids : document.ids;
    const int stays = is_query ? cut.query : cut.document;
    const auto from = keeps == CutKeeps::kStart ? side.begin() : side.end() - stays;
    ids.insert(ids.end(), from, from + stays);
    types.insert(types.end(), static_cast<size_t>(stays), piece.type);
  }
  return cut.query < query_size || cut.document < document_size;
}

}  // namespace podium
