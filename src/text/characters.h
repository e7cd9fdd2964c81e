// What normalizers and pre-tokenizers ask about characters, answered as the `tokenizers` library
// (0.23) does: it draws on tables of several ages. BERT's categories are as of Unicode 8, canonical
// order and accents as of Unicode 9, decompositions as of Unicode 12 (compatible ones of Unicode
// 9), lower case and numbers as of Unicode 17. utf8proc's own age does not matter: what newer
// versions than 9 say of a character in question is overruled here.
#ifndef PODIUM_TEXT_CHARACTERS_H_
#define PODIUM_TEXT_CHARACTERS_H_

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
/// M*: removed by StripAccents.
bool IsAccent(char32_t code);
/// N*: a digit to the Digits pre-tokenizer.
bool IsNumeric(char32_t code);
/// Canonical_Combining_Class; 0 is not reordered.
int CanonicalOrder(char32_t code);

struct Decomposition {
  char32_t codes[18];  // no character has more
  int count = 0;
  const char32_t* begin() const { return codes; }
  const char32_t* end() const { return codes + count; }
};
/// The full canonical decomposition, or the compatible one.
Decomposition Decompose(char32_t code, bool compatible);
/// The one character that two in a row are composed to, or 0.
char32_t Compose(char32_t first, char32_t second);
/// Appends the character in lower case as UTF-8.
void AppendLower(char32_t code, std::string& out);

}  // namespace podium

#endif  // PODIUM_TEXT_CHARACTERS_H_
