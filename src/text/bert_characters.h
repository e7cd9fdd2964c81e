// What BERT's normalizer and pre-tokenizer ask about characters, answered as the `tokenizers`
// library (0.23) does: categories as of Unicode 8, canonical order as of Unicode 9, decompositions
// as of Unicode 12, lower case as of Unicode 17.
#ifndef PODIUM_TEXT_BERT_CHARACTERS_H_
#define PODIUM_TEXT_BERT_CHARACTERS_H_

#include <string>

namespace podium {

/// Removed by clean_text: Cc, Cf, Co but for tab and line ends, and U+0000, U+FFFD.
bool IsBertControl(char32_t code);
/// A word by itself: ASCII punctuation and symbols, P*.
bool IsBertPunctuation(char32_t code);
/// Mn: an accent.
bool IsBertMark(char32_t code);
/// The blocks of ideographs that BERT takes for words.
bool IsBertIdeograph(char32_t code);
/// Canonical_Combining_Class; 0 is not reordered.
int BertOrder(char32_t code);

struct Decomposition {
  char32_t codes[4];  // no character has more
  int count = 0;
  const char32_t* begin() const { return codes; }
  const char32_t* end() const { return codes + count; }
};
/// The full canonical decomposition.
Decomposition BertDecompose(char32_t code);
/// Appends the character in lower case as UTF-8.
void AppendBertLower(char32_t code, std::string& out);

}  // namespace podium

#endif  // PODIUM_TEXT_BERT_CHARACTERS_H_
