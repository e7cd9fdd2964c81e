#include "text/pair_encoder.h"

#include <algorithm>
#include <limits>

#include "base/check.h"

namespace podium {

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

PairEncoder::PairEncoder(const Tokenizer& tokenizer, int length_max)
    : tokenizer_(tokenizer),
      length_max_(length_max),
      room_(length_max - tokenizer.pair_template().special_tokens()) {
  PODIUM_CHECK(room_ >= 2);
}

// Which ids of a side matter: those that may stay, and one more to tell that it was cut. With an
// odd room and two long sides the odd token goes to the longer one, so their true lengths must be
// compared: the query is read to its end, a document to just beyond the query's length.
Encoded PairEncoder::EncodeQuery(std::string_view query) const {
  const size_t enough = static_cast<size_t>(room_) + 1;
  return tokenizer_.Encode(query, room_ % 2 == 0 ? enough : std::numeric_limits<size_t>::max());
}

Encoded PairEncoder::EncodeDocument(std::string_view document, const Encoded& query) const {
  const auto room = static_cast<size_t>(room_);
  const size_t length = query.ids.size();
  size_t stays = length <= room / 2 ? room - length : room / 2;
  if (room % 2 != 0 && length > room / 2) stays = length;
  return tokenizer_.Encode(document, stays + 1);
}

bool PairEncoder::AppendPair(const Encoded& query, const Encoded& document,
                             std::vector<int32_t>& ids, std::vector<uint8_t>& types) const {
  const auto query_size = static_cast<int64_t>(query.ids.size());
  const auto document_size = static_cast<int64_t>(document.ids.size());
  const Cut cut = CutLongestFirst(query_size, document_size, room_);
  for (const TemplatePiece& piece : tokenizer_.pair_template().pieces) {
    if (piece.kind == TemplatePiece::Kind::kId) {
      ids.push_back(piece.id);
      types.push_back(piece.type);
      continue;
    }
    const bool is_query = piece.kind == TemplatePiece::Kind::kQuery;
    const std::vector<int32_t>& side = is_query ? query.ids : document.ids;
    const int stays = is_query ? cut.query : cut.document;
    ids.insert(ids.end(), side.begin(), side.begin() + stays);
    types.insert(types.end(), static_cast<size_t>(stays), piece.type);
  }
  return cut.query < query_size || cut.document < document_size;
}

}  // namespace podium
