// A Tokenizer over a Unigram model: added tokens, normalizer, pre-tokenizer, model, as a chain that
// is fed a few kilobytes of text at a time and stops when enough ids are there.
#ifndef PODIUM_TEXT_UNIGRAM_TOKENIZER_H_
#define PODIUM_TEXT_UNIGRAM_TOKENIZER_H_

#include <string>
#include <utility>
#include <vector>

#include "text/added_tokens.h"
#include "text/normalizer.h"
#include "text/pre_tokenizer.h"
#include "text/template_file.h"
#include "text/tokenizer.h"
#include "text/unigram.h"

namespace podium {

/// What a tokenizer file says, read and checked.
struct UnigramParts {
  AddedTokens raw_tokens;                 // looked for in the text as it is
  AddedTokens normalized_tokens;          // looked for in the normalised text
  std::vector<std::string> extra_pieces;  // added tokens beyond the model's vocabulary, by id
  Normalizer normalizer;
  PreTokenizer pre_tokenizer;
  Unigram model;
  Templates templates;
  int length_max = 0;
};

class UnigramTokenizer final : public Tokenizer {
 public:
  explicit UnigramTokenizer(UnigramParts parts) : parts_(std::move(parts)) {}

  Encoded Encode(std::string_view text, size_t tokens_max) const override;
  std::string_view Piece(int32_t id) const override;
  int vocabulary() const override {
    return parts_.model.size() + static_cast<int>(parts_.extra_pieces.size());
  }
  const PairTemplate& pair_template() const override { return parts_.templates.pair; }
  const std::vector<TemplatePiece>& single_template() const override {
    return parts_.templates.single;
  }
  int length_max() const override { return parts_.length_max; }

 private:
  const UnigramParts parts_;
};

}  // namespace podium

#endif  // PODIUM_TEXT_UNIGRAM_TOKENIZER_H_
