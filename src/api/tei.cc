// Text Embeddings Inference: {"query", "texts", …} → [{"index", "score", "text"?}], best first.
#include <string>

#include "api/dialects.h"
#include "base/concat.h"

namespace podium::api {
namespace {

Status ReadTexts(const json::Value& texts, std::vector<std::string_view>& documents) {
  documents.reserve(texts.size());
  Status status;
  texts.ForEachElement([&](json::Value text) {
    if (const auto plain = text.AsString()) {
      documents.push_back(*plain);
    } else if (text.is(json::Type::kNull)) {
      documents.emplace_back();  // Haystack, of a document without content
    } else {
      status = InvalidArgument(
          Concat("texts[", documents.size(), "]: got ", text.type_name(), ", expected a string"));
    }
    return status.ok();
  });
  return status;
}

}  // namespace

Status DecodeTei(const Fields& fields, RerankCall& call) {
  const json::Value texts = *fields.Find("texts");
  if (!texts.is(json::Type::kArray)) {
    return InvalidArgument(Concat("texts: got ", texts.type_name(), ", expected an array"));
  }
  PODIUM_RETURN_IF_ERROR(ReadTexts(texts, call.documents));
  PODIUM_ASSIGN_OR_RETURN(call.raw_scores, fields.Bool("raw_scores", false));
  PODIUM_ASSIGN_OR_RETURN(call.return_documents, fields.Bool("return_text", false));
  PODIUM_ASSIGN_OR_RETURN(call.truncate, fields.Bool("truncate", true));
  PODIUM_ASSIGN_OR_RETURN(call.truncate_left, fields.IsLeft("truncation_direction"));
  PODIUM_ASSIGN_OR_RETURN(call.model, fields.String("model"));
  // Not TEI's own, but LiteLLM and rerankers send it.
  PODIUM_ASSIGN_OR_RETURN(call.top_n, fields.Int("top_n", -1));
  return OkStatus();
}

void EncodeTei(const RerankCall& call, const RerankReply& reply, json::Writer& writer) {
  writer.BeginArray();
  for (const RankedDocument& result : reply.ranking) {
    writer.BeginObject();
    writer.Key("index");
    writer.Int(result.index);
    writer.Key("score");
    writer.FloatWithPoint(ShownScore(call, result.score));
    if (call.return_documents) {
      writer.Key("text");
      writer.String(call.documents[result.index]);
    }
    writer.EndObject();
  }
  writer.EndArray();
}

}  // namespace podium::api
