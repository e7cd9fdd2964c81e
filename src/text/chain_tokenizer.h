// The Tokenizer of a tokenizer file: added tokens, normalizer, pre-tokenizer, model, as a chain
// that is fed a few kilobytes of text at a time and stops when enough ids are there.
#ifndef PODIUM_TEXT_CHAIN_TOKENIZER_H_
#define PODIUM_TEXT_CHAIN_TOKENIZER_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "text/added_tokens.h"
#include "text/model.h"
#include "text/normalizer.h"
#include "text/pre_tokenizer.h"
#include "text/template_file.h"
#include "text/tokenizer.h"

namespace podium {

/// What a tokenizer file says, read and checked.
struct TokenizerParts {
  AddedTokens raw_tokens;                 // looked for in the text as it is
  AddedTokens normalized_tokens;          // looked for in the normalised text
  std::vector<std::string> extra_pieces;  // added tokens beyond the model's vocabulary, by id
  Normalizer normalizer;
  PreTokenizer pre_tokenizer;
  std::unique_ptr<const Model> model;
  Templates templates;
  int length_max = 0;
};

class ChainTokenizer final : public Tokenizer {
 public:
  explicit ChainTokenizer(TokenizerParts parts) : parts_(std::move(parts)) {}

  Encoded Encode(std::string_view text, size_t tokens_max) const override;
  std::string_view Piece(int32_t id) const override;
  int vocabulary() const override {
    return parts_.model->vocabulary().size() + static_cast<int>(parts_.extra_pieces.size());
  }
  const PairTemplate& pair_template() const override { return parts_.templates.pair; }
  const std::vector<TemplatePiece>& single_template() const override {
    return parts_.templates.single;
  }
  int length_max() const override { return parts_.length_max; }

 private:
  const TokenizerParts parts_;
};

}  // namespace podium

#endif  // PODIUM_TEXT_CHAIN_TOKENIZER_H_
