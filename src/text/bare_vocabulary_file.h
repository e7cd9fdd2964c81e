// Tokenizers of folders from before tokenizer.json: a bare vocabulary and the small files beside
// it. They are put together as the library's converters do, so that ids equal those of the
// tokenizer.json of the same model.
#ifndef PODIUM_TEXT_BARE_VOCABULARY_FILE_H_
#define PODIUM_TEXT_BARE_VOCABULARY_FILE_H_

#include <memory>

#include "base/status.h"
#include "text/settings_file.h"
#include "text/tokenizer.h"

namespace podium {

/// BERT's vocab.txt: a piece a line, its id the line's number.
Result<std::unique_ptr<Tokenizer>> ParseVocabularyText(const FileText& vocabulary,
                                                       const SettingsFiles& settings);

/// XLM-RoBERTa's sentencepiece.bpe.model: its pieces from the fourth on have ids one higher than
/// there, before them are <s>, <pad>, </s>, <unk>, after them is <mask>. Camembert and mBART, which
/// have files of this name and other ids, are kUnsupported.
Result<std::unique_ptr<Tokenizer>> ParseSentencePiece(const FileText& model,
                                                      const SettingsFiles& settings);

}  // namespace podium

#endif  // PODIUM_TEXT_BARE_VOCABULARY_FILE_H_
