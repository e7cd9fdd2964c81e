// Text → token ids, equal to the Hugging Face `tokenizers` library.
//
// text/ may include json/ and base/. Pure: starts no thread, locks nothing; a Tokenizer is
// immutable and usable from any thread.
#ifndef PODIUM_TEXT_TOKENIZER_H_
#define PODIUM_TEXT_TOKENIZER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/function_ref.h"
#include "base/status.h"

namespace podium {

/// One text's ids, without special tokens of a template.
struct Encoded {
  std::vector<int32_t> ids;
  bool complete = true;  // false when it stopped at `tokens_max`, with at least that many ids
};

/// What surrounds the texts of a pair: literal ids and the two texts, each with its segment id.
struct TemplatePiece {
  enum class Kind : uint8_t { kId, kQuery, kDocument } kind = Kind::kId;
  int32_t id = 0;    // for kId
  uint8_t type = 0;  // segment id
};

struct PairTemplate {
  std::vector<TemplatePiece> pieces;
  int special_tokens() const;  // ids added to a pair
};

class Tokenizer {
 public:
  virtual ~Tokenizer() = default;
  /// Ids of one text as the first pass of the reference gives them, no template. Any bytes: invalid
  /// UTF-8 counts as Python's decode('utf-8', 'replace'). Work and memory are bounded by about
  /// `tokens_max` tokens' worth of text where the model allows.
  virtual Encoded Encode(std::string_view text, size_t tokens_max) const = 0;
  /// The text of one id, as in the vocabulary ("▁Hello"); "" when out of range.
  virtual std::string_view Piece(int32_t id) const = 0;
  virtual int vocabulary() const = 0;  // ids are below this
  virtual const PairTemplate& pair_template() const = 0;
  virtual const std::vector<TemplatePiece>& single_template()
      const = 0;  // kQuery stands for the text
  /// tokenizer_config.json's model_max_length when it is a sensible number, else 0.
  virtual int length_max() const = 0;
};

/// Reads tokenizer.json of a model folder; where there is none sentencepiece.bpe.model
/// (XLM-RoBERTa) or vocab.txt (BERT) with the small files beside it; and tokenizer_config.json.
/// What a file asks for and is not supported is an error that names it, but for the "truncation"
/// and "padding" of a tokenizer.json: they are habits of whoever saved it, and length is the
/// caller's to choose.
Result<std::unique_ptr<Tokenizer>> OpenTokenizer(const std::string& folder);

/// The same of files that are kept elsewhere. `read(name, bytes_max)` has the errors of ReadFile;
/// `origin` is what stands before a name in messages.
Result<std::unique_ptr<Tokenizer>> OpenTokenizer(
    const std::string& origin,
    FunctionRef<Result<std::string>(const std::string& name, size_t bytes_max)> read);

}  // namespace podium

#endif  // PODIUM_TEXT_TOKENIZER_H_
