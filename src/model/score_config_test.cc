#include "model/score_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/concat.h"
#include "model/config.h"

namespace podium {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

Result<ScoreScale> OfConfig(std::string_view extra, int labels = 1) {
  auto spec = ParseConfig(
      Concat(R"({"model_type":"bert","num_labels":)", labels, extra.empty() ? "" : ",", extra, "}"),
      "m/config.json");
  if (!spec.ok()) return spec.status();
  return spec->score_scale;
}

Result<ScoreScale> OfOwnFile(std::string_view members, int labels = 1,
                             ScoreScale scale = ScoreScale::kSigmoid) {
  return ReadSentenceTransformersConfig(Concat("{", members, "}"), "m/c.json", labels, scale);
}

TEST(ScoreConfig, SentenceTransformersActivationIsObeyed) {  // known-bugs 015
  struct Case {
    std::string_view config;
    ScoreScale scale;
  };
  const Case cases[] = {
      {"", ScoreScale::kSigmoid},
      {R"("sentence_transformers":{"activation_fn":"torch.nn.modules.linear.Identity"})",
       ScoreScale::kLogit},
      {R"("sentence_transformers":{"activation_fn":"torch.nn.modules.activation.Sigmoid"})",
       ScoreScale::kSigmoid},
      {R"("sentence_transformers":{"version":"4.1.0"})", ScoreScale::kSigmoid},
      {R"("sbert_ce_default_activation_function":"torch.nn.modules.linear.Identity")",
       ScoreScale::kLogit},
      {R"("sbert_ce_default_activation_function":null)", ScoreScale::kSigmoid},
      // The newer key counts first.
      {R"("sbert_ce_default_activation_function":"torch.nn.modules.linear.Identity",
          "sentence_transformers":{"activation_fn":"torch.nn.Sigmoid"})",
       ScoreScale::kSigmoid},
      {R"("temperature":1.0)", ScoreScale::kSigmoid},
  };
  for (const Case& one : cases) {
    const auto scale = OfConfig(one.config);
    ASSERT_TRUE(scale.ok()) << scale.status().ToString();
    EXPECT_EQ(*scale, one.scale) << one.config;
  }
}

TEST(ScoreConfig, ItsOwnFileCountsFirst) {
  EXPECT_EQ(*OfOwnFile(""), ScoreScale::kSigmoid);
  EXPECT_EQ(*OfOwnFile("", 1, ScoreScale::kLogit), ScoreScale::kLogit);
  constexpr std::string_view kSigmoid = R"("activation_fn":"torch.nn.modules.activation.Sigmoid")";
  EXPECT_EQ(*OfOwnFile(kSigmoid, 1, ScoreScale::kLogit), ScoreScale::kSigmoid);
  EXPECT_EQ(*OfOwnFile(R"("model_type":"CrossEncoder","activation_fn":"torch.nn.Identity",
                         "prompts":{"query":"","document":""},"default_prompt_name":null)"),
            ScoreScale::kLogit);
  EXPECT_EQ(*OfOwnFile(R"("prompts":{"query":""},"default_prompt_name":"query")"),
            ScoreScale::kSigmoid);
}

TEST(ScoreConfig, OfTwoLabelsTheScoreIsAProbability) {
  for (const char* name : {"torch.nn.modules.linear.Identity", "torch.nn.Softmax"}) {
    EXPECT_EQ(*OfConfig(Concat(R"("sbert_ce_default_activation_function":")", name, "\""), 2),
              ScoreScale::kSigmoid);
  }
  EXPECT_EQ(*OfConfig("", 2), ScoreScale::kSigmoid);
}

TEST(ScoreConfig, OtherFunctionsAreRefusedByName) {
  struct Case {
    std::string_view members;
    int labels;
    std::string_view reason;
  };
  const Case of_config[] = {
      {R"("sentence_transformers":{"activation_fn":"torch.nn.modules.activation.Tanh"})", 1,
       "sentence_transformers.activation_fn: got \"torch.nn.modules.activation.Tanh\", supported "
       "with 1 label: torch.nn.Sigmoid, torch.nn.Identity"},
      {R"("sbert_ce_default_activation_function":"my_code.Sigmoid")", 1, "got \"my_code.Sigmoid\""},
      {R"("sbert_ce_default_activation_function":"torch.nn.Sigmoid")", 2, "with 2 labels: "},
      {R"("temperature":0.5)", 1, "temperature: got 0.5, supported: 1"},
      {R"("temperature":"hot")", 1, "temperature: got \"hot\""},
      {R"("logit_scale":4)", 1, "logit_scale: got 4"},
      {R"("sentence_transformers":{"temperature":2})", 1, "temperature: got 2"},
  };
  for (const Case& one : of_config) {
    const auto scale = OfConfig(one.members, one.labels);
    EXPECT_EQ(scale.status().code(), StatusCode::kUnsupported) << one.members;
    EXPECT_THAT(scale.status().message(),
                AllOf(StartsWith("m/config.json: "), HasSubstr(one.reason)));
  }
  const Case of_own_file[] = {
      {R"("activation_fn":"torch.nn.Tanh")", 1, "activation_fn: got \"torch.nn.Tanh\""},
      {R"("temperature":0.01)", 1, "temperature: got 0.01"},
      {R"("logit_bias":-2)", 1, "logit_bias: got -2, supported: 0"},
      {R"("model_type":"SentenceTransformer")", 1, "model_type: got \"SentenceTransformer\""},
      {R"("prompts":{"query":"q: "},"default_prompt_name":"query")", 1,
       "default_prompt_name: got \"query\", \"q: \""},
      {R"("default_prompt_name":"query")", 1, "got \"query\", absent"},
  };
  for (const Case& one : of_own_file) {
    const auto scale = OfOwnFile(one.members, one.labels);
    EXPECT_EQ(scale.status().code(), StatusCode::kUnsupported) << one.members;
    EXPECT_THAT(scale.status().message(), AllOf(StartsWith("m/c.json: "), HasSubstr(one.reason)));
  }
}

TEST(ScoreConfig, WrongTypesAreCorrupt) {
  EXPECT_EQ(OfConfig(R"("sentence_transformers":3)").status().code(), StatusCode::kCorrupt);
  EXPECT_EQ(OfOwnFile(R"("activation_fn":3)").status().code(), StatusCode::kCorrupt);
  EXPECT_EQ(ReadSentenceTransformersConfig("[]", "m", 1, ScoreScale::kLogit).status().code(),
            StatusCode::kCorrupt);
}

}  // namespace
}  // namespace podium
