// Every rerank path: the body decides which dialect is spoken, the path only where it cannot.
#ifndef PODIUM_API_RERANK_H_
#define PODIUM_API_RERANK_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "api/error.h"
#include "api/rerank_call.h"

namespace podium::api {

struct DecodeLimits {
  /// Documents of a request; clients are advised to send up to 1,000.
  int documents_max = 1000;
  /// Of one text: a model reads some thousands of them, so that more are a mistake, or meant ill.
  int characters_max = 1'000'000;
  /// Nested arrays and objects of a body.
  int depth_max = 32;
};

/// Where the request came to.
struct RerankPath {
  enum class Kind : uint8_t {
    kBare,       // /rerank: also TEI's and Weaviate's
    kVersioned,  // /v1/rerank, /v2/rerank, /v1/reranking, …
    kArray,      // /array/rerank: a bare array also for `documents`
    kOllama,     // /api/rerank: documents come back as plain strings
  } kind = Kind::kVersioned;
  bool ranked_documents = false;          // ?shape=ranked_documents
  bool ranked_documents_default = false;  // the server's own, where nothing else is asked for
};

std::variant<std::shared_ptr<RerankCall>, Error> DecodeRerank(std::string_view body,
                                                              const RerankPath& path,
                                                              const DecodeLimits& limits);

std::string EncodeRerank(const RerankCall& call, const RerankReply& reply);

/// The number shown for a logit: its sigmoid, or itself where raw scores were asked for.
float ShownScore(const RerankCall& call, const Score& score);

/// How the dialect says that the request's content is wrong: TEI with 422, the others with 400.
int ValidationStatus(Dialect dialect);
/// TEI says 424 when the model failed, the others 500.
int BackendStatus(Dialect dialect);

}  // namespace podium::api

#endif  // PODIUM_API_RERANK_H_
