// Reads the "post_processor" of a tokenizer file: what surrounds one text and two.
#ifndef PODIUM_TEXT_TEMPLATE_FILE_H_
#define PODIUM_TEXT_TEMPLATE_FILE_H_

#include <string>
#include <vector>

#include "base/status.h"
#include "json/json.h"
#include "text/tokenizer.h"

namespace podium {

struct Templates {
  std::vector<TemplatePiece> single;
  PairTemplate pair;
};

/// TemplateProcessing, RobertaProcessing, BertProcessing or a Sequence with one of them; null
/// surrounds with nothing. Ids are at least 0 and below `vocabulary`.
Result<Templates> ParseTemplates(json::Value value, int vocabulary, const std::string& where);

/// [CLS] query [SEP] document [SEP], the document in segment 1.
Templates BertTemplates(int32_t cls, int32_t sep);
/// <s> query </s></s> document </s>, all in segment 0.
Templates RobertaTemplates(int32_t cls, int32_t sep);

}  // namespace podium

#endif  // PODIUM_TEXT_TEMPLATE_FILE_H_
