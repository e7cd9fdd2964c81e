#include "model/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <tuple>

#include "base/concat.h"
#include "base/file.h"

namespace podium {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// A config whose members are `extra` (which win, being last) after those of a one-label reranker.
std::string XlmRoberta(std::string_view extra) {
  return Concat(R"({"architectures":["XLMRobertaForSequenceClassification"],)",
                R"("model_type":"xlm-roberta","num_labels":1)", extra.empty() ? "" : ",", extra,
                "}");
}
std::string Bert(std::string_view extra) {
  return Concat(R"({"architectures":["BertForSequenceClassification"],)",
                R"("model_type":"bert","id2label":{"0":"LABEL_0"})", extra.empty() ? "" : ",",
                extra, "}");
}

TEST(Config, ReadsTheBundledModel) {
  const std::string path = PODIUM_SOURCE_DIR "/models/podium-mini-zh-en/config.json";
  const auto spec = ParseConfig(*ReadFile(path, 1 << 20), path);
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  EXPECT_EQ(spec->architecture, "XLMRobertaForSequenceClassification");
  EXPECT_EQ(spec->layers, 12);
  EXPECT_EQ(spec->hidden, 384);
  EXPECT_EQ(spec->heads, 12);
  EXPECT_EQ(spec->head_size(), 32);
  EXPECT_EQ(spec->ffn, 1536);
  EXPECT_EQ(spec->vocabulary, 60000);
  EXPECT_EQ(spec->token_types, 1);
  EXPECT_EQ(spec->position_offset, 2);
  EXPECT_EQ(spec->length_max(), 512);  // known-bugs 116: the limit comes from the positions
  EXPECT_EQ(spec->norm_eps, 1e-12f);
  EXPECT_EQ(spec->head, HeadKind::kDenseTanhProject);
  EXPECT_EQ(spec->labels, 1);
}

TEST(Config, AbsentKeysHaveTheReferencesDefaults) {
  for (const std::string& text : {XlmRoberta(""), XlmRoberta(R"("hidden_act":null)")}) {
    const auto spec = ParseConfig(text, "config.json");
    ASSERT_TRUE(spec.ok()) << spec.status().ToString();
    EXPECT_EQ(spec->layers, 12);
    EXPECT_EQ(spec->hidden, 768);
    EXPECT_EQ(spec->heads, 12);
    EXPECT_EQ(spec->ffn, 3072);
    EXPECT_EQ(spec->vocabulary, 30522);
    EXPECT_EQ(spec->positions, 512);
    EXPECT_EQ(spec->token_types, 2);
    EXPECT_EQ(spec->norm_eps, 1e-12f);
    EXPECT_EQ(spec->activation, Activation::kGeluErf);
    EXPECT_EQ(spec->position_offset, 2);
  }
  const auto bert = ParseConfig(Bert(R"("pad_token_id":7)"), "config.json");
  ASSERT_TRUE(bert.ok());
  EXPECT_EQ(bert->position_offset, 0);  // only roberta counts from the padding id
  EXPECT_EQ(bert->length_max(), 512);
  EXPECT_EQ(bert->head, HeadKind::kPoolerTanhProject);
}

TEST(Config, ObeysWhatChangesTheMaths) {
  const auto obeyed = [](std::string_view extra) {
    auto spec = ParseConfig(XlmRoberta(extra), "config.json");
    EXPECT_TRUE(spec.ok()) << extra << ": " << spec.status().ToString();
    return spec.ok() ? *spec : EncoderSpec();
  };
  EXPECT_EQ(obeyed(R"("hidden_act":"gelu_new")").activation, Activation::kGeluTanh);
  EXPECT_EQ(obeyed(R"("hidden_act":"gelu_pytorch_tanh")").activation, Activation::kGeluTanh);
  EXPECT_EQ(obeyed(R"("hidden_act":"relu")").activation, Activation::kRelu);
  EXPECT_EQ(obeyed(R"("layer_norm_eps":1e-5)").norm_eps, 1e-5f);
  EXPECT_EQ(obeyed(R"("pad_token_id":0,"max_position_embeddings":130)").position_offset, 1);
  EXPECT_EQ(obeyed(R"("pad_token_id":0,"max_position_embeddings":130)").length_max(), 129);
  EXPECT_EQ(obeyed(R"("hidden_act":"gelu_python")").activation, Activation::kGeluErf);
  for (const char* tanh : {"gelu_fast", "gelu_python_tanh", "gelu_accurate"}) {
    EXPECT_EQ(obeyed(Concat(R"("hidden_act":")", tanh, "\"")).activation, Activation::kGeluTanh);
  }
  // id2label counts before num_labels.
  EXPECT_EQ(obeyed(R"("num_labels":5,"id2label":{"0":"x"})").labels, 1);
}

TEST(Config, TheRobertaKindHasOneHeadUnderThreeNames) {
  for (const auto& [type, architecture, vocabulary] :
       {std::tuple("roberta", "RobertaForSequenceClassification", 50265),
        std::tuple("camembert", "CamembertForSequenceClassification", 30522),
        std::tuple("xlm-roberta", "XLMRobertaForSequenceClassification", 30522)}) {
    for (const char* listed : {architecture, "RobertaForSequenceClassification"}) {
      const auto spec = ParseConfig(Concat(R"({"model_type":")", type, R"(","architectures":[")",
                                           listed, R"("],"num_labels":1})"),
                                    "config.json");
      ASSERT_TRUE(spec.ok()) << spec.status().ToString();
      EXPECT_EQ(spec->architecture, architecture);  // what model_type names is built
      EXPECT_EQ(spec->head, HeadKind::kDenseTanhProject);
      EXPECT_EQ(spec->position_offset, 2);
      EXPECT_EQ(spec->vocabulary, vocabulary);
    }
  }
}

TEST(Config, TwoLabelsAreNotRelevantAndRelevant) {  // known-bugs 020, 021
  for (const std::string& text :
       {XlmRoberta(R"("num_labels":2)"), std::string(R"({"model_type":"bert"})"),
        XlmRoberta(R"("id2label":{"0":"LABEL_0","1":"LABEL_1"})"),
        XlmRoberta(R"("id2label":{"1":"Relevant","0":"Not_Relevant"})"),
        XlmRoberta(R"("id2label":{"0":"no","1":"yes"})")}) {
    const auto spec = ParseConfig(text, "config.json");
    ASSERT_TRUE(spec.ok()) << spec.status().ToString();
    EXPECT_EQ(spec->labels, 2) << text;
  }
}

TEST(Config, IgnoresWhatDoesNot) {
  for (const std::string_view extra :
       {R"("chunk_size_feed_forward":32)", R"("tie_word_embeddings":true)", R"("use_cache":true)",
        R"("problem_type":"regression")", R"("torch_dtype":"bfloat16")", R"("is_decoder":false)",
        R"("pruned_heads":{})", R"("quantization_config":null)", R"("classifier_dropout":0.3)",
        R"("position_embedding_type":"absolute")", R"("classifier_pooling":"cls")",
        R"("invented":{"deep":[1,2,3]})"}) {
    const auto spec = ParseConfig(XlmRoberta(extra), "config.json");
    EXPECT_TRUE(spec.ok()) << extra << ": " << spec.status().ToString();
  }
}

struct Refused {
  std::string text;
  StatusCode code;
  std::string_view reason;
};

TEST(Config, RefusesByName) {
  constexpr StatusCode kUnsupported = StatusCode::kUnsupported;
  constexpr StatusCode kCorrupt = StatusCode::kCorrupt;
  const Refused cases[] = {
      // other models
      {R"({"architectures":["Qwen3ForCausalLM"],"model_type":"qwen3"})", kUnsupported,
       "model_type \"qwen3\" (Qwen3ForCausalLM) is not a reranker"},
      {R"({"architectures":["XLMRobertaModel"],"model_type":"xlm-roberta"})", kUnsupported,
       "XLMRobertaModel has no classification head: it is an embedding"},
      {R"({"architectures":["XLMRobertaForMaskedLM"],"model_type":"xlm-roberta"})", kUnsupported,
       "no classification head"},
      {R"({"architectures":["ModernBertForSequenceClassification"],"model_type":"modernbert"})",
       kUnsupported, "supported: XLMRoberta-, Roberta-, Camembert- and BertForSequence"},
      {R"({"architectures":["BertForTokenClassification"],"model_type":"bert"})", kUnsupported,
       "BertForTokenClassification is not a reranker"},
      {R"({"architectures":["BertForSequenceClassification"],"model_type":"xlm-roberta"})",
       kUnsupported, "BertForSequenceClassification is not"},
      {"{}", kUnsupported, "model_type \"\""},
      {Bert(R"("auto_map":{"AutoModelForSequenceClassification":"x.Y"})"), kUnsupported,
       "auto_map"},
      // labels
      {XlmRoberta(R"("num_labels":3)"), kUnsupported, "num_labels is 3 labels"},
      {XlmRoberta(R"("num_labels":0)"), kUnsupported, "num_labels is 0 labels"},
      {XlmRoberta(R"("id2label":{"0":"a","1":"b","2":"c"})"), kUnsupported, "id2label has 3"},
      {XlmRoberta(R"("id2label":{"0":"yes","1":"no"})"), kUnsupported,
       "got two labels, \"yes\" and \"no\""},
      {XlmRoberta(R"("id2label":{"0":"NEGATIVE","1":"POSITIVE"})"), kUnsupported, "\"POSITIVE\""},
      {XlmRoberta(R"("id2label":{"0":"no","2":"yes"})"), kCorrupt, "names of \"0\" and \"1\""},
      {XlmRoberta(R"("id2label":{"0":"no","1":1})"), kCorrupt, "names of \"0\" and \"1\""},
      {XlmRoberta(R"("id2label":["x"])"), kCorrupt, "id2label: got an array"},
      // keys that change the maths
      {XlmRoberta(R"("hidden_act":"silu")"), kUnsupported,
       "hidden_act: got \"silu\", supported: gelu"},
      {XlmRoberta(R"("position_embedding_type":"relative_key")"), kUnsupported,
       "position_embedding_type: got \"relative_key\""},
      {XlmRoberta(R"("is_decoder":true)"), kUnsupported, "is_decoder: got true"},
      {XlmRoberta(R"("add_cross_attention":true)"), kUnsupported, "add_cross_attention"},
      {XlmRoberta(R"("quantization_config":{"bits":4})"), kUnsupported, "quantization_config"},
      {XlmRoberta(R"("pruned_heads":{"1":[0]})"), kUnsupported, "pruned_heads"},
      {XlmRoberta(R"("adapters":{"adapters":{}})"), kUnsupported, "adapters"},
      {XlmRoberta(R"("classifier_pooling":"mean")"), kUnsupported,
       "classifier_pooling: got \"mean\""},
      {XlmRoberta(R"("pooling":"mean")"), kUnsupported, "pooling"},
      // sizes
      {XlmRoberta(R"("num_attention_heads":7)"), kCorrupt, "hidden_size 768 is not a multiple"},
      {XlmRoberta(R"("num_attention_heads":768)"), kUnsupported, "heads of 1"},
      {XlmRoberta(R"("num_attention_heads":1)"), kUnsupported, "heads of 768"},
      {XlmRoberta(R"("num_hidden_layers":0)"), kCorrupt, "num_hidden_layers: got 0, allowed"},
      {XlmRoberta(R"("hidden_size":-8)"), kCorrupt, "hidden_size: got -8"},
      {XlmRoberta(R"("hidden_size":"768")"), kCorrupt, "hidden_size: got \"768\""},
      {XlmRoberta(R"("hidden_size":768.5)"), kCorrupt, "hidden_size: got 768.5"},
      {XlmRoberta(R"("vocab_size":1e30)"), kCorrupt, "vocab_size"},
      {XlmRoberta(R"("vocab_size":9223372036854775807)"), kCorrupt, "vocab_size"},
      {XlmRoberta(R"("type_vocab_size":257)"), kCorrupt, "type_vocab_size: got 257"},
      {XlmRoberta(R"("layer_norm_eps":0)"), kCorrupt, "layer_norm_eps: got 0"},
      {XlmRoberta(R"("layer_norm_eps":1e-60)"), kCorrupt, "layer_norm_eps"},
      {XlmRoberta(R"("layer_norm_eps":"small")"), kCorrupt, "layer_norm_eps: got \"small\""},
      {XlmRoberta(R"("pad_token_id":511)"), kCorrupt, "leaves no position"},
      {XlmRoberta(R"("pad_token_id":-1)"), kCorrupt, "pad_token_id: got -1"},
      // no config at all
      {"[]", kCorrupt, "expected an object"},
      {"", kCorrupt, "ends too early"},
      {R"({"model_type":3})", kCorrupt, "model_type: got 3, expected a string"},
  };
  for (const Refused& refused : cases) {
    const auto spec = ParseConfig(refused.text, "m/config.json");
    ASSERT_FALSE(spec.ok()) << refused.text;
    EXPECT_EQ(spec.status().code(), refused.code) << spec.status().ToString();
    EXPECT_THAT(spec.status().message(), StartsWith("m/config.json: ")) << refused.text;
    EXPECT_THAT(spec.status().message(), HasSubstr(refused.reason)) << refused.text;
  }
}

}  // namespace
}  // namespace podium
