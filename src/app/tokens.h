// Ids of single texts and pairs, with what each is, for `tokenize` and `inspect --verify`.
#ifndef PODIUM_APP_TOKENS_H_
#define PODIUM_APP_TOKENS_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "text/pair_encoder.h"
#include "text/tokenizer.h"

namespace podium {

struct TokenizedText {
  std::vector<int32_t> ids;
  std::vector<uint8_t> types;
  bool truncated = false;
};

/// A text inside the single template, cut to `length_max` ids.
TokenizedText TokenizeText(const Tokenizer& tokenizer, std::string_view text, int length_max);
/// A pair as a ranker encodes it.
Result<TokenizedText> TokenizePair(const Tokenizer& tokenizer, std::string_view query,
                                   std::string_view document, int length_max,
                                   PairRule rule = PairRule::kLongestFirst);

}  // namespace podium

#endif  // PODIUM_APP_TOKENS_H_
