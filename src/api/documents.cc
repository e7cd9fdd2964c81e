// {"query", "documents", …} → the one reply that Cohere's, Jina's, Voyage's, vLLM's, Infinity's and
// Xinference's clients all read. The rules behind the order and the types:
// - `results` before any nested object (Elasticsearch stops at the first closing brace);
// - a result has only index, relevance_score and, if asked for, document (unknown keys are errors
//   there); on the bare /rerank also score, for clients of our own;
// - `document` is {"text"} in `results`, a plain string in `data`, left out rather than null;
// - `usage` and `meta.billed_units` are always there, with integers.
#include <algorithm>

#include "api/dialects.h"
#include "base/concat.h"

namespace podium::api {
namespace {

void WriteUsage(uint64_t tokens, json::Writer& writer) {
  const auto count = static_cast<int64_t>(std::max<uint64_t>(tokens, 1));
  writer.Key("usage");
  writer.BeginObject();
  writer.Key("prompt_tokens");
  writer.Int(count);
  writer.Key("completion_tokens");
  writer.Int(0);
  writer.Key("total_tokens");
  writer.Int(count);
  writer.EndObject();
}

void WriteMeta(size_t documents, uint64_t tokens, json::Writer& writer) {
  constexpr size_t kDocumentsOfAUnit = 100;  // Cohere's search unit: a query with up to 100
  writer.Key("meta");
  writer.BeginObject();
  writer.Key("api_version");
  writer.BeginObject();
  writer.Key("version");
  writer.String("2");
  writer.EndObject();
  writer.Key("billed_units");
  writer.BeginObject();
  writer.Key("search_units");
  writer.Int(static_cast<int64_t>((documents + kDocumentsOfAUnit - 1) / kDocumentsOfAUnit));
  writer.Key("input_tokens");
  writer.Int(static_cast<int64_t>(tokens));
  writer.EndObject();
  writer.Key("tokens");
  writer.BeginObject();
  writer.Key("input_tokens");
  writer.Int(static_cast<int64_t>(tokens));
  writer.Key("output_tokens");
  writer.Int(0);
  writer.EndObject();
  writer.EndObject();
}

enum class Echo { kNone, kObject, kString };

void WriteResults(const RerankCall& call, const RerankReply& reply, Echo echo, bool with_score,
                  json::Writer& writer) {
  writer.BeginArray();
  for (const RankedDocument& result : reply.ranking) {
    const float score = ShownScore(call, result.score);
    const std::string_view text = call.documents[result.index];
    writer.BeginObject();
    writer.Key("index");
    writer.Int(result.index);
    writer.Key("relevance_score");
    writer.FloatWithPoint(score);
    if (with_score) {
      writer.Key("score");
      writer.FloatWithPoint(score);
    }
    if (echo != Echo::kNone) writer.Key("document");
    if (echo == Echo::kString) writer.String(text);
    if (echo == Echo::kObject) {
      writer.BeginObject();
      writer.Key("text");
      writer.String(text);
      writer.EndObject();
    }
    writer.EndObject();
  }
  writer.EndArray();
}

Result<std::vector<std::string>> ReadRankFields(const Fields& fields) {
  std::vector<std::string> names;
  const auto list = fields.Find("rank_fields");
  if (!list) return names;
  list->ForEachElement([&](json::Value name) {
    if (const auto text = name.AsString()) names.emplace_back(*text);
    return true;
  });
  return names;
}

}  // namespace

Status DecodeDocuments(const Fields& fields, const char* documents_key, RerankCall& call) {
  const auto list = fields.Find(documents_key);
  if (!list) return InvalidArgument(Concat(documents_key, ": it is missing"));
  if (!list->is(json::Type::kArray)) {
    return InvalidArgument(
        Concat(documents_key, ": got ", list->type_name(), ", expected an array"));
  }
  PODIUM_ASSIGN_OR_RETURN(const std::vector<std::string> rank_fields, ReadRankFields(fields));
  call.documents.reserve(list->size());
  Status status;
  list->ForEachElement([&](json::Value document) {
    auto text = DocumentText(document, rank_fields, call.made);
    if (text.ok()) {
      call.documents.push_back(*text);
    } else {
      status = InvalidArgument(
          Concat(documents_key, "[", call.documents.size(), "]: ", text.status().message()));
    }
    return status.ok();
  });
  PODIUM_RETURN_IF_ERROR(status);
  // A model that is no string is nobody's name; one model is served anyway.
  if (const auto model = fields.Find("model")) call.model = model->AsString().value_or("");
  PODIUM_ASSIGN_OR_RETURN(const int top_k, fields.Int("top_k", -1));
  PODIUM_ASSIGN_OR_RETURN(call.top_n, fields.Int("top_n", top_k));
  PODIUM_ASSIGN_OR_RETURN(call.return_documents, fields.Bool("return_documents", false));
  PODIUM_ASSIGN_OR_RETURN(call.raw_scores, fields.Bool("raw_scores", false));
  // Voyage's name of it; TEI's and vLLM's are obeyed too.
  PODIUM_ASSIGN_OR_RETURN(const bool truncation, fields.Bool("truncation", true));
  PODIUM_ASSIGN_OR_RETURN(call.truncate, fields.Bool("truncate", truncation));
  for (const char* key : {"truncation_direction", "truncation_side"}) {
    PODIUM_ASSIGN_OR_RETURN(const bool left, fields.IsLeft(key));
    call.truncate_left |= left;
  }
  PODIUM_ASSIGN_OR_RETURN(const int tokens, fields.Int("max_tokens_per_doc", 0));
  call.max_tokens_per_doc = std::max(tokens, 0);
  PODIUM_ASSIGN_OR_RETURN(call.min_score, fields.Number("min_score"));
  return OkStatus();
}

void EncodeDocuments(const RerankCall& call, const RerankReply& reply, json::Writer& writer) {
  const bool plain = call.dialect == Dialect::kPlainDocuments;
  const Echo echo =
      !call.return_documents ? (Echo::kNone) : (plain ? Echo::kString : Echo::kObject);
  writer.BeginObject();
  writer.Key("id");
  writer.String(reply.id);
  writer.Key("object");
  writer.String("rerank");
  writer.Key("created");
  writer.Int(reply.created);
  writer.Key("model");
  writer.String(reply.model);
  writer.Key("results");
  WriteResults(call, reply, echo, call.with_score, writer);
  writer.Key("data");
  WriteResults(call, reply, call.return_documents ? Echo::kString : Echo::kNone, false, writer);
  WriteUsage(reply.tokens, writer);
  WriteMeta(call.documents.size(), reply.tokens, writer);
  if (call.with_score) {
    writer.Key("count");
    writer.Int(static_cast<int64_t>(reply.ranking.size()));
    writer.Key("latency_ms");
    writer.Double(reply.latency_ms);
  }
  writer.EndObject();
}

void EncodeRankedDocuments(const RerankCall& call, const RerankReply& reply, json::Writer& writer) {
  writer.BeginObject();
  writer.Key("ranked_documents");
  writer.BeginArray();
  for (const RankedDocument& result : reply.ranking) {
    writer.BeginObject();
    writer.Key("text");
    writer.String(call.documents[result.index]);
    writer.Key("score");
    writer.FloatWithPoint(ShownScore(call, result.score));
    writer.EndObject();
  }
  writer.EndArray();
  writer.Key("latency_ms");
  writer.Double(reply.latency_ms);
  writer.Key("count");
  writer.Int(static_cast<int64_t>(reply.ranking.size()));
  writer.EndObject();
}

}  // namespace podium::api
