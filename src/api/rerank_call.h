// A rerank request and its reply, whatever the dialect.
//
// api/ turns bytes into structs and structs into bytes, one file per dialect. It may include json/
// and base/. Pure: no thread, no lock, no clock. What real clients send, and what they break on,
// decides the details; tests/system/exchanges holds their exchanges.
#ifndef PODIUM_API_RERANK_CALL_H_
#define PODIUM_API_RERANK_CALL_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "json/json.h"
#include "podium/types.h"

namespace podium::api {

/// The form of the request, and so of the reply.
enum class Dialect : uint8_t {
  kTei,        // `texts` → bare array, best first
  kDocuments,  // `documents` → what Cohere's, Jina's, Voyage's and vLLM's clients read, in one
  kRankedDocuments,  // the same → {"ranked_documents", "latency_ms", "count"}
  kArray,            // the same → bare array (Elasticsearch hugging_face)
  kScores,           // the same and `property` → scores in input order (Weaviate transformers)
  kPlainDocuments,   // the same → documents as plain strings (Dify Ollama)
  kInput,            // `input` → `data` with `input` and `score` (Mixedbread)
};

/// Not movable: the texts are views into its own parts.
struct RerankCall {
  RerankCall() = default;
  RerankCall(const RerankCall&) = delete;
  RerankCall& operator=(const RerankCall&) = delete;

  Dialect dialect = Dialect::kDocuments;
  std::string_view model;  // "" when none was named
  std::string_view query;
  std::vector<std::string_view> documents;
  int top_n = -1;  // negative: all
  bool raw_scores = false;
  bool return_documents = false;
  bool with_score = false;  // each result also has "score", with count and latency_ms beside them
  bool truncate = true;
  bool truncate_left = false;
  int max_tokens_per_doc = 0;  // 0: no limit of its own
  std::optional<double> min_score;

  std::optional<json::Document> parsed;  // texts only, once decoded
  std::deque<std::string> made;          // texts put together from objects
};

/// What the reply is made of.
struct RerankReply {
  std::string id;
  std::string_view model;
  int64_t created = 0;                      // seconds since 1970
  std::span<const RankedDocument> ranking;  // best first, cut to top_n
  std::span<const Score> scores;            // of each document
  uint64_t tokens = 0;                      // of all pairs
  double latency_ms = 0;
};

}  // namespace podium::api

#endif  // PODIUM_API_RERANK_CALL_H_
