// Any body on any rerank path: a call that can be answered, or an error that can be sent.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "api/predict.h"
#include "api/rerank.h"
#include "base/check.h"
#include "json/json.h"

namespace {

using podium::RankedDocument;
using podium::Score;

void Answer(const podium::api::RerankCall& call) {
  std::vector<Score> scores(call.documents.size());
  std::vector<RankedDocument> ranking;
  for (size_t i = 0; i < scores.size(); ++i) {
    scores[i].logit = static_cast<float>(i) - 3;
    ranking.push_back({static_cast<uint32_t>(i), scores[i]});
  }
  podium::api::RerankReply reply;
  reply.id = "id";
  reply.model = call.model;
  reply.ranking = ranking;
  reply.scores = scores;
  const std::string body = podium::api::EncodeRerank(call, reply);
  PODIUM_CHECK(podium::json::Document::Parse(body, "reply").ok());
}

// TEI's other two bodies.
void DecodeOthers(std::string_view body) {
  const auto predict = podium::api::DecodePredict(body, {.documents_max = 50});
  if (const auto* call = std::get_if<std::shared_ptr<podium::api::PredictCall>>(&predict)) {
    const std::vector<Score> scores((*call)->pairs.size());
    const std::string text = podium::api::EncodePredict(**call, scores);
    PODIUM_CHECK(!scores.empty() && podium::json::Document::Parse(text, "reply").ok());
  }
  const auto tokenize = podium::api::DecodeTokenize(body, {.documents_max = 50});
  if (const auto* call = std::get_if<std::shared_ptr<podium::api::TokenizeCall>>(&tokenize)) {
    PODIUM_CHECK(!(*call)->texts.empty());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  // The first byte chooses the path.
  const podium::api::RerankPath path{
      .kind = static_cast<podium::api::RerankPath::Kind>(data[0] % 4),
      .ranked_documents = (data[0] & 4) != 0,
      .ranked_documents_default = (data[0] & 8) != 0};
  const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
  DecodeOthers(body);
  const auto decoded = podium::api::DecodeRerank(body, path, {.documents_max = 50});
  if (const auto* error = std::get_if<podium::api::Error>(&decoded)) {
    const std::string text = podium::api::EncodeError(*error, "id");
    PODIUM_CHECK(error->status >= 400 && podium::json::Document::Parse(text, "error").ok());
  } else {
    const auto& call = *std::get<std::shared_ptr<podium::api::RerankCall>>(decoded);
    PODIUM_CHECK(!call.documents.empty() && call.documents.size() <= 50);
    Answer(call);
  }
  return 0;
}
