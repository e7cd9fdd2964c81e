// Mixedbread: {"query", "input", "top_k", "return_input"} → {"data": [{"index", "score",
// "input"?}]}.
#include "api/dialects.h"

namespace podium::api {

Status DecodeInput(const Fields& fields, RerankCall& call) {
  PODIUM_RETURN_IF_ERROR(DecodeDocuments(fields, "input", call));
  PODIUM_ASSIGN_OR_RETURN(call.return_documents, fields.Bool("return_input", false));
  return OkStatus();
}

void EncodeInput(const RerankCall& call, const RerankReply& reply, json::Writer& writer) {
  writer.BeginObject();
  writer.Key("object");
  writer.String("list");
  writer.Key("model");
  writer.String(reply.model);
  writer.Key("data");
  writer.BeginArray();
  for (const RankedDocument& result : reply.ranking) {
    writer.BeginObject();
    writer.Key("index");
    writer.Int(result.index);
    writer.Key("score");
    writer.FloatWithPoint(ShownScore(call, result.score));
    if (call.return_documents) {
      writer.Key("input");
      writer.String(call.documents[result.index]);
    }
    writer.Key("object");
    writer.String("rank_result");
    writer.EndObject();
  }
  writer.EndArray();
  writer.Key("usage");
  writer.BeginObject();
  writer.Key("prompt_tokens");
  writer.Int(static_cast<int64_t>(reply.tokens));
  writer.Key("total_tokens");
  writer.Int(static_cast<int64_t>(reply.tokens));
  writer.EndObject();
  writer.EndObject();
}

}  // namespace podium::api
