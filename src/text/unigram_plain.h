// The obvious twin of UnigramRun: a map, a table and a walk back. Tests hold the fast one to it.
#ifndef PODIUM_TEXT_UNIGRAM_PLAIN_H_
#define PODIUM_TEXT_UNIGRAM_PLAIN_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "text/unigram.h"

namespace podium {

/// Ids of one whole segment of valid UTF-8, in time and memory that grow with its length times the
/// longest piece.
std::vector<int32_t> EncodeUnigramPlain(const std::vector<Unigram::Piece>& pieces,
                                        int32_t unknown_id, std::string_view segment);

}  // namespace podium

#endif  // PODIUM_TEXT_UNIGRAM_PLAIN_H_
