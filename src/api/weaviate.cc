// Weaviate's transformers module: {"query", "documents", "property"} → scores in the order of the
// documents.
#include "api/dialects.h"

namespace podium::api {

void EncodeScores(const RerankCall& call, const RerankReply& reply, json::Writer& writer) {
  writer.BeginObject();
  writer.Key("scores");
  writer.BeginArray();
  for (size_t i = 0; i < call.documents.size(); ++i) {
    writer.BeginObject();
    writer.Key("document");
    writer.String(call.documents[i]);
    writer.Key("score");
    writer.FloatWithPoint(ShownScore(call, reply.scores[i]));
    writer.EndObject();
  }
  writer.EndArray();
  writer.EndObject();
}

}  // namespace podium::api
