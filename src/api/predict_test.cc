#include "api/predict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/info.h"

namespace podium::api {
namespace {

using testing::HasSubstr;

std::shared_ptr<PredictCall> Decode(std::string_view body) {
  auto decoded = DecodePredict(body, {});
  if (const Error* error = std::get_if<Error>(&decoded)) {
    ADD_FAILURE() << error->message;
    return nullptr;
  }
  return std::get<std::shared_ptr<PredictCall>>(decoded);
}

Error Refused(std::string_view body, const DecodeLimits& limits = {}) {
  const auto decoded = DecodePredict(body, limits);
  EXPECT_TRUE(std::holds_alternative<Error>(decoded)) << body;
  return std::holds_alternative<Error>(decoded) ? std::get<Error>(decoded) : Error{};
}

TEST(Predict, AloneAndInBatches) {
  const auto one = Decode(R"({"inputs":["q","a"],"raw_scores":true})");
  ASSERT_EQ(one->pairs.size(), 1u);
  EXPECT_EQ(one->pairs[0].query, "q");
  EXPECT_EQ(one->pairs[0].document, "a");
  const Score score{.logit = 2};
  EXPECT_EQ(EncodePredict(*one, {&score, 1}), R"([{"score":2.0,"label":"LABEL_0"}])");
  const auto two =
      Decode(R"({"inputs":[["q","a"],["r","b"]],"truncate":false,"truncation_direction":"Left"})");
  ASSERT_EQ(two->pairs.size(), 2u);
  EXPECT_EQ(two->pairs[1].query, "r");
  EXPECT_TRUE(!two->truncate && two->truncate_left);
  const Score scores[] = {{.logit = 0}, {.logit = 0}};
  EXPECT_EQ(EncodePredict(*two, scores),
            R"([[{"score":0.5,"label":"LABEL_0"}],[{"score":0.5,"label":"LABEL_0"}]])");
}

TEST(Predict, Refusals) {
  EXPECT_EQ(Refused(R"({"inputs":"alone"})").status, 422);
  EXPECT_THAT(Refused(R"({"inputs":["q","a"],"truncation_direction":"up"})").message,
              HasSubstr("truncation_direction: got \"up\", allowed: Left, Right"));
  EXPECT_THAT(Refused(R"({"inputs":[["q","a"],["b"]]})").message, HasSubstr("inputs[1]"));
  EXPECT_THAT(Refused(R"({"inputs":[["q","a"],["b",1]]})").message, HasSubstr("inputs[1]"));
  EXPECT_EQ(Refused(R"({"inputs":[]})").kind, ErrorKind::kEmpty);
  EXPECT_EQ(Refused(R"({})").status, 422);
  EXPECT_EQ(Refused("[]").status, 422);
  EXPECT_EQ(Refused("{").status, 400);
  EXPECT_THAT(
      Refused(R"({"inputs":[["a","b"],["a","b"],["a","b"]]})", {.documents_max = 2}).message,
      HasSubstr("got 3, at most 2"));
}

TEST(Tokenize, OneTextOrSeveral) {
  auto one = std::get<std::shared_ptr<TokenizeCall>>(DecodeTokenize(R"({"inputs":"a"})", {}));
  EXPECT_THAT(one->texts, testing::ElementsAre("a"));
  EXPECT_TRUE(one->add_special_tokens);
  auto two = std::get<std::shared_ptr<TokenizeCall>>(
      DecodeTokenize(R"({"inputs":["a",""],"add_special_tokens":false,"model":"m"})", {}));
  EXPECT_EQ(two->model, "m");
  EXPECT_THAT(two->texts, testing::ElementsAre("a", ""));
  EXPECT_FALSE(two->add_special_tokens);
  EXPECT_TRUE(std::holds_alternative<Error>(DecodeTokenize(R"({"inputs":["a",1]})", {})));
  const std::vector<std::vector<TokenView>> tokens = {{{.id = 7, .text = "a", .special = true}},
                                                      {}};
  EXPECT_EQ(EncodeTokens(tokens),
            R"([[{"id":7,"text":"a","special":true,"start":null,"stop":null}],[]])");
}

TEST(Info, WhatProbesRead) {
  std::vector<ServedModel> models(2);
  models[0].names = {"mini", "alias"};
  models[0].precision = "fp32";
  models[0].length_max = 512;
  models[1].names = {"large"};
  models[1].precision = "int8";
  // Dify looks at the first key of model_type.
  EXPECT_THAT(EncodeInfo(models), HasSubstr(R"("model_type":{"reranker":{)"));
  EXPECT_THAT(EncodeInfo(models), HasSubstr(R"("max_input_length":512)"));
  EXPECT_THAT(EncodeInfo(models), HasSubstr(R"("names":["large"],"precision":"int8")"));
  EXPECT_THAT(EncodeModel(models[0], "mini"), HasSubstr(R"("model_type":"rerank")"));
  const std::string list = EncodeModels(models);
  EXPECT_THAT(list, HasSubstr(R"({"object":"list","data":[{"id":"mini")"));
  EXPECT_THAT(list, HasSubstr(R"("id":"alias")"));
  EXPECT_THAT(list, HasSubstr(R"("id":"large")"));
}

}  // namespace
}  // namespace podium::api
