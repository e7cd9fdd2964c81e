#include "api/rerank.h"

#include <utility>

#include "api/dialects.h"
#include "base/concat.h"

namespace podium::api {
namespace {

Error Invalid(Dialect dialect, const Status& status) {
  return {ErrorKind::kValidation, ValidationStatus(dialect), status.message()};
}

Dialect ChooseDialect(const Fields& fields, const RerankPath& path) {
  using Kind = RerankPath::Kind;
  // Some clients send both keys; then the path says whose they are.
  if (fields.Has("texts") && (!fields.Has("documents") || path.kind == Kind::kBare)) {
    return Dialect::kTei;
  }
  if (!fields.Has("documents") && fields.Has("input")) return Dialect::kInput;
  if (path.ranked_documents) return Dialect::kRankedDocuments;
  if (path.kind == Kind::kArray) return Dialect::kArray;
  if (path.kind == Kind::kOllama) return Dialect::kPlainDocuments;
  if (path.kind == Kind::kBare && fields.Has("property")) return Dialect::kScores;
  if (path.ranked_documents_default) return Dialect::kRankedDocuments;
  return Dialect::kDocuments;
}

Status DecodeFields(const Fields& fields, RerankCall& call) {
  PODIUM_ASSIGN_OR_RETURN(call.query, QueryText(fields));
  switch (call.dialect) {
    case Dialect::kTei:
      return DecodeTei(fields, call);
    case Dialect::kInput:
      return DecodeInput(fields, call);
    default:
      return DecodeDocuments(fields, "documents", call);
  }
}

Status CheckTexts(const RerankCall& call, int characters_max) {
  const char* const key = call.dialect == Dialect::kTei     ? "texts"
                          : call.dialect == Dialect::kInput ? "input"
                                                            : "documents";
  if (const Status status = CheckCharacters(call.query, characters_max); !status.ok()) {
    return InvalidArgument(Concat("query: ", status.message()));
  }
  for (size_t i = 0; i < call.documents.size(); ++i) {
    if (const Status status = CheckCharacters(call.documents[i], characters_max); !status.ok()) {
      return InvalidArgument(Concat(key, "[", i, "]: ", status.message()));
    }
  }
  return OkStatus();
}

}  // namespace

int ValidationStatus(Dialect dialect) { return dialect == Dialect::kTei ? 422 : 400; }
int BackendStatus(Dialect dialect) { return dialect == Dialect::kTei ? 424 : 500; }

std::variant<std::shared_ptr<RerankCall>, Error> DecodeRerank(std::string_view body,
                                                              const RerankPath& path,
                                                              const DecodeLimits& limits) {
  auto call = std::make_shared<RerankCall>();
  json::Document::Limits json_limits;
  json_limits.depth_max = limits.depth_max;
  auto parsed = json::Document::Parse(body, "request body", json_limits);
  if (!parsed.ok()) return Error{ErrorKind::kValidation, 400, parsed.status().message()};
  call->parsed = *std::move(parsed);
  const json::Value root = call->parsed->root();
  if (!root.is(json::Type::kObject)) {
    return Error{ErrorKind::kValidation, 400,
                 Concat("request body: got ", root.type_name(), ", expected an object")};
  }
  const Fields fields(root);
  call->dialect = ChooseDialect(fields, path);
  call->with_score = call->dialect == Dialect::kDocuments && path.kind == RerankPath::Kind::kBare;
  // Counted before they are read: a list that is too long costs nothing more.
  for (const char* key : {"texts", "documents", "input"}) {
    const auto list = fields.Find(key);
    if (list && list->is(json::Type::kArray) &&
        list->size() > static_cast<size_t>(limits.documents_max)) {
      return Invalid(call->dialect,
                     InvalidArgument(Concat(key, ": got ", list->size(), ", at most ",
                                            limits.documents_max, " documents are allowed")));
    }
  }
  if (Status status = DecodeFields(fields, *call); !status.ok()) {
    return Invalid(call->dialect, status);
  }
  if (Status status = CheckTexts(*call, limits.characters_max); !status.ok()) {
    return Invalid(call->dialect, status);
  }
  if (call->documents.empty()) {
    return Error{ErrorKind::kEmpty, 400,
                 Concat(call->dialect == Dialect::kTei ? "texts" : "documents",
                        ": got none, expected at least one")};
  }
  if (call->top_n <= 0) call->top_n = -1;
  call->parsed->KeepTextsOnly();
  return call;
}

std::string EncodeRerank(const RerankCall& call, const RerankReply& reply) {
  std::string body;
  json::Writer writer(body);
  switch (call.dialect) {
    case Dialect::kTei:
    case Dialect::kArray:
      EncodeTei(call, reply, writer);
      break;
    case Dialect::kDocuments:
    case Dialect::kPlainDocuments:
      EncodeDocuments(call, reply, writer);
      break;
    case Dialect::kRankedDocuments:
      EncodeRankedDocuments(call, reply, writer);
      break;
    case Dialect::kScores:
      EncodeScores(call, reply, writer);
      break;
    case Dialect::kInput:
      EncodeInput(call, reply, writer);
      break;
  }
  return body;
}

float ShownScore(const RerankCall& call, const Score& score) {
  return call.raw_scores ? score.logit : static_cast<float>(Sigmoid(score.logit));
}

}  // namespace podium::api
