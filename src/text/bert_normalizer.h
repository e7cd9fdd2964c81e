// The BertNormalizer of a tokenizer file.
#ifndef PODIUM_TEXT_BERT_NORMALIZER_H_
#define PODIUM_TEXT_BERT_NORMALIZER_H_

#include <memory>

#include "text/normalizer.h"

namespace podium {

struct BertRules {
  bool clean_text = true;     // controls go, white space becomes a space
  bool ideographs = true;     // handle_chinese_chars: a space before and after each
  bool strip_accents = true;  // canonical decomposition without accents
  bool lowercase = true;
};

std::unique_ptr<NormalizerStep> MakeBert(BertRules rules);

}  // namespace podium

#endif  // PODIUM_TEXT_BERT_NORMALIZER_H_
