// One function pair per dialect, for rerank.cc only.
#ifndef PODIUM_API_DIALECTS_H_
#define PODIUM_API_DIALECTS_H_

#include "api/fields.h"
#include "api/rerank.h"
#include "json/writer.h"

namespace podium::api {

// tei.cc: Text Embeddings Inference, and bare arrays for others.
Status DecodeTei(const Fields& fields, RerankCall& call);
void EncodeTei(const RerankCall& call, const RerankReply& reply, json::Writer& writer);

// documents.cc: Cohere, Jina, Voyage, vLLM, llama.cpp, Infinity, Xinference and the two of
// {"ranked_documents"} and plain documents.
Status DecodeDocuments(const Fields& fields, const char* documents_key, RerankCall& call);
void EncodeDocuments(const RerankCall& call, const RerankReply& reply, json::Writer& writer);
void EncodeRankedDocuments(const RerankCall& call, const RerankReply& reply, json::Writer& writer);

// weaviate.cc
void EncodeScores(const RerankCall& call, const RerankReply& reply, json::Writer& writer);

// mixedbread.cc
Status DecodeInput(const Fields& fields, RerankCall& call);
void EncodeInput(const RerankCall& call, const RerankReply& reply, json::Writer& writer);

}  // namespace podium::api

#endif  // PODIUM_API_DIALECTS_H_
