// TEI's POST /predict and POST /tokenize.
#ifndef PODIUM_API_PREDICT_H_
#define PODIUM_API_PREDICT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/error.h"
#include "api/rerank.h"
#include "json/json.h"
#include "podium/types.h"

namespace podium::api {

/// {"inputs": ["a", "b"] or [["a", "b"], …]}: pairs to score. Not movable, as RerankCall.
struct PredictCall {
  PredictCall() = default;
  PredictCall(const PredictCall&) = delete;
  PredictCall& operator=(const PredictCall&) = delete;

  std::string_view model;  // "" when none was named
  std::vector<Pair> pairs;
  bool batch = false;  // a list of pairs, so the reply is a list of lists
  bool raw_scores = false;
  bool truncate = true;
  bool truncate_left = false;
  std::optional<json::Document> parsed;  // as RerankCall::parsed
};
std::variant<std::shared_ptr<PredictCall>, Error> DecodePredict(std::string_view body,
                                                                const DecodeLimits& limits);
std::string EncodePredict(const PredictCall& call, std::span<const Score> scores);

/// {"inputs": "a" or ["a", …], "add_special_tokens": true}. Not movable either.
struct TokenizeCall {
  TokenizeCall() = default;
  TokenizeCall(const TokenizeCall&) = delete;
  TokenizeCall& operator=(const TokenizeCall&) = delete;

  std::string_view model;  // "" when none was named
  std::vector<std::string_view> texts;
  bool add_special_tokens = true;
  std::optional<json::Document> parsed;  // as RerankCall::parsed
};
std::variant<std::shared_ptr<TokenizeCall>, Error> DecodeTokenize(std::string_view body,
                                                                  const DecodeLimits& limits);

struct TokenView {
  int32_t id = 0;
  std::string_view text;
  bool special = false;
};
std::string EncodeTokens(std::span<const std::vector<TokenView>> texts);

}  // namespace podium::api

#endif  // PODIUM_API_PREDICT_H_
