// Over 400 lines because every way in which a model folder can be wrong is a case here.
#include "model/model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/concat.h"
#include "tests/support/safetensors_writer.h"
#include "tests/support/temp_folder.h"

namespace podium {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing_support::SafetensorsWriter;
using Tensors = std::vector<testing_support::TensorEntry>;

constexpr char kXlmRobertaConfig[] =
    R"({"architectures":["XLMRobertaForSequenceClassification"],"model_type":"xlm-roberta",
        "num_labels":1,"vocab_size":10,"hidden_size":8,"num_hidden_layers":2,
        "num_attention_heads":1,"intermediate_size":16,"max_position_embeddings":12,
        "type_vocab_size":1})";
constexpr char kBertConfig[] =
    R"({"architectures":["BertForSequenceClassification"],"model_type":"bert",
        "num_labels":1,"vocab_size":10,"hidden_size":8,"num_hidden_layers":2,
        "num_attention_heads":1,"intermediate_size":16,"max_position_embeddings":12,
        "type_vocab_size":2})";

// The encoder of the configs above with names below `prefix`.
Tensors EncoderTensors(const std::string& prefix, int64_t types, const std::string& dtype) {
  Tensors tensors;
  const auto linear = [&](const std::string& name, int64_t outputs, int64_t inputs) {
    tensors.push_back({prefix + name + ".weight", dtype, {outputs, inputs}});
    tensors.push_back({prefix + name + ".bias", dtype, {outputs}});
  };
  const auto norm = [&](const std::string& name) {
    tensors.push_back({prefix + name + ".weight", dtype, {8}});
    tensors.push_back({prefix + name + ".bias", dtype, {8}});
  };
  tensors.push_back({prefix + "embeddings.word_embeddings.weight", dtype, {10, 8}});
  tensors.push_back({prefix + "embeddings.position_embeddings.weight", dtype, {12, 8}});
  tensors.push_back({prefix + "embeddings.token_type_embeddings.weight", dtype, {types, 8}});
  norm("embeddings.LayerNorm");
  for (int i = 0; i < 2; ++i) {
    const std::string layer = Concat("encoder.layer.", i, ".");
    for (const char* name : {"query", "key", "value"}) {
      linear(Concat(layer, "attention.self.", name), 8, 8);
    }
    linear(layer + "attention.output.dense", 8, 8);
    norm(layer + "attention.output.LayerNorm");
    linear(layer + "intermediate.dense", 16, 8);
    linear(layer + "output.dense", 8, 16);
    norm(layer + "output.LayerNorm");
  }
  return tensors;
}

Tensors XlmRobertaTensors(const std::string& prefix = "roberta.", const std::string& head = "",
                          const std::string& dtype = "F32") {
  Tensors tensors = EncoderTensors(prefix, 1, dtype);
  tensors.push_back({head + "classifier.dense.weight", dtype, {8, 8}});
  tensors.push_back({head + "classifier.dense.bias", dtype, {8}});
  tensors.push_back({head + "classifier.out_proj.weight", dtype, {1, 8}});
  tensors.push_back({head + "classifier.out_proj.bias", dtype, {1}});
  return tensors;
}

Tensors BertTensors(const std::string& prefix = "bert.") {
  Tensors tensors = EncoderTensors(prefix, 2, "F32");
  tensors.push_back({prefix + "pooler.dense.weight", "F32", {8, 8}});
  tensors.push_back({prefix + "pooler.dense.bias", "F32", {8}});
  tensors.push_back({"classifier.weight", "F32", {1, 8}});
  tensors.push_back({"classifier.bias", "F32", {1}});
  return tensors;
}

// Every byte of a tensor follows from its name and `salt`, so equal names hold equal values.
std::vector<uint8_t> Bytes(const testing_support::TensorEntry& tensor, uint32_t salt) {
  std::vector<uint8_t> bytes(static_cast<size_t>(tensor.bytes()));
  uint32_t state = 2166136261u ^ salt;
  for (const char c : tensor.name) state = (state ^ static_cast<uint8_t>(c)) * 16777619u;
  for (uint8_t& byte : bytes) {
    state = state * 1664525u + 1013904223u;
    byte = static_cast<uint8_t>(state >> 24);
  }
  return bytes;
}

void WriteTensors(const std::string& path, const Tensors& tensors, uint32_t salt = 0) {
  SafetensorsWriter writer(path, tensors);
  for (const auto& tensor : tensors) {
    const auto bytes = Bytes(tensor, salt);
    writer.Append(bytes.data(), bytes.size());
  }
  ASSERT_TRUE(writer.Finish());
}

class ModelTest : public testing::Test {
 protected:
  ModelTest() { Write("config.json", kXlmRobertaConfig); }
  std::string At(const std::string& name) const { return folder_.path() + "/" + name; }
  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(At(name), std::ios::binary) << text;
  }
  Result<std::shared_ptr<const Model>> Open() const { return OpenModel(folder_.path()); }
  std::string Error() const { return Open().status().ToString(); }

  testing_support::TempFolder folder_;
};

std::string Contents(const TensorView& view) {
  return std::string(static_cast<const char*>(view.data),
                     static_cast<size_t>(view.elements()) * ElementSize(view.type));
}

// All of a model's bytes, role by role.
std::string Contents(const Model& model) {
  const WeightsView& weights = model.weights();
  std::string all;
  const auto linear = [&](const LinearView& view) {
    all += Contents(view.weight) + Contents(view.bias);
  };
  const auto norm = [&](const NormView& view) { all += Contents(view.gain) + Contents(view.bias); };
  all += Contents(weights.word_embedding) + Contents(weights.position_embedding) +
         Contents(weights.type_embedding);
  norm(weights.embedding_norm);
  for (const LayerView& layer : weights.layers) {
    for (const LinearView* view : {&layer.query, &layer.key, &layer.value, &layer.attention_output,
                                   &layer.ffn_up, &layer.ffn_down}) {
      linear(*view);
    }
    norm(layer.attention_norm);
    norm(layer.ffn_norm);
  }
  linear(weights.head_dense);
  linear(weights.head_project);
  return all;
}

TEST(BundledModel, Opens) {
  const auto model = OpenModel(PODIUM_SOURCE_DIR "/models/podium-mini-zh-en");
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  const WeightsView& weights = (*model)->weights();
  EXPECT_EQ(weights.layers.size(), 12u);
  EXPECT_EQ(weights.word_embedding.rows, 60000);
  EXPECT_EQ(weights.word_embedding.type, ElementType::kF16);
  EXPECT_EQ(weights.head_project.weight.rows, 1);
  EXPECT_EQ(
      (*model)->parameters() * 2 + 23736 + 8,
      std::filesystem::file_size(PODIUM_SOURCE_DIR "/models/podium-mini-zh-en/model.safetensors"));
}

TEST_F(ModelTest, BindsEachRoleToItsTensor) {
  const Tensors tensors = XlmRobertaTensors();
  WriteTensors(At("model.safetensors"), tensors);
  const auto model = Open();
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  const auto bytes_of = [&](const std::string& name) {
    for (const auto& tensor : tensors) {
      if (tensor.name != name) continue;
      const auto bytes = Bytes(tensor, 0);
      return std::string(bytes.begin(), bytes.end());
    }
    return std::string("no tensor " + name);
  };
  const WeightsView& weights = (*model)->weights();
  const LayerView& layer = weights.layers.at(1);
  const std::string prefix = "roberta.encoder.layer.1.";
  EXPECT_EQ(Contents(weights.word_embedding),
            bytes_of("roberta.embeddings.word_embeddings.weight"));
  EXPECT_EQ(Contents(weights.embedding_norm.bias), bytes_of("roberta.embeddings.LayerNorm.bias"));
  EXPECT_EQ(Contents(layer.query.weight), bytes_of(prefix + "attention.self.query.weight"));
  EXPECT_EQ(Contents(layer.key.bias), bytes_of(prefix + "attention.self.key.bias"));
  EXPECT_EQ(Contents(layer.value.weight), bytes_of(prefix + "attention.self.value.weight"));
  EXPECT_EQ(Contents(layer.attention_output.weight),
            bytes_of(prefix + "attention.output.dense.weight"));
  EXPECT_EQ(Contents(layer.attention_norm.gain),
            bytes_of(prefix + "attention.output.LayerNorm.weight"));
  EXPECT_EQ(Contents(layer.ffn_up.weight), bytes_of(prefix + "intermediate.dense.weight"));
  EXPECT_EQ(Contents(layer.ffn_down.weight), bytes_of(prefix + "output.dense.weight"));
  EXPECT_EQ(Contents(layer.ffn_norm.gain), bytes_of(prefix + "output.LayerNorm.weight"));
  EXPECT_EQ(Contents(weights.head_dense.weight), bytes_of("classifier.dense.weight"));
  EXPECT_EQ(Contents(weights.head_project.weight), bytes_of("classifier.out_proj.weight"));
  EXPECT_EQ(layer.ffn_down.weight.rows, 8);
  EXPECT_EQ(layer.ffn_down.weight.columns, 16);
  EXPECT_EQ(layer.ffn_down.bias.rows, 1);
  size_t parameters = 0;
  for (const auto& tensor : tensors) parameters += static_cast<size_t>(tensor.elements());
  EXPECT_EQ((*model)->parameters(), parameters);
}

TEST_F(ModelTest, TakesTheNamePrefixesInUse) {  // known-bugs 107
  const std::pair<std::string, std::string> prefixes[] = {{"roberta.", ""},
                                                          {"", ""},
                                                          {"model.", ""},
                                                          {"model.", "model."},
                                                          {"model.roberta.", "model."},
                                                          {"model.roberta.", ""},
                                                          {"module.roberta.", "module."},
                                                          {"_orig_mod.model.", "_orig_mod."},
                                                          {"roberta.", "roberta."}};
  for (const auto& [prefix, head] : prefixes) {
    WriteTensors(At("model.safetensors"), XlmRobertaTensors(prefix, head));
    EXPECT_TRUE(Open().ok()) << prefix << ": " << Error();
  }
  WriteTensors(At("model.safetensors"), XlmRobertaTensors("encoder_of_mine.", ""));
  EXPECT_THAT(Error(), AllOf(HasSubstr("corrupt"), HasSubstr("names start with encoder_of_mine."),
                             HasSubstr("expected roberta. or nothing")));
}

TEST_F(ModelTest, TwoOfAKindAreRefused) {
  Tensors tensors = XlmRobertaTensors("model.roberta.", "model.");
  tensors.push_back({"teacher.embeddings.word_embeddings.weight", "F32", {10, 8}});
  WriteTensors(At("model.safetensors"), tensors);
  EXPECT_THAT(Error(),
              AllOf(HasSubstr("more than one encoder"), HasSubstr("tensors model.roberta.e"),
                    HasSubstr("teacher.embeddings.word_embeddings.weight")));
  tensors.back() = {"classifier.out_proj.weight", "F32", {1, 8}};
  WriteTensors(At("model.safetensors"), tensors);
  EXPECT_THAT(Error(), HasSubstr("more than one classification head: tensors model.classifier"));
}

TEST_F(ModelTest, WhatWouldBeLeftOutOfTheScoreIsRefused) {
  for (const char* name :
       {"roberta.encoder.layer.0.attention.self.query.lora_A.default.weight",
        "roberta.encoder.layer.1.attention.self.distance_embedding.weight",
        "roberta.encoder.layer.1.output.dense.weight_scale", "roberta.encoder.rotary.inv_freq",
        "roberta.embeddings.projection.weight", "classifier.extra.weight"}) {
    Tensors tensors = XlmRobertaTensors();
    tensors.push_back({name, "F32", {4, 8}});
    WriteTensors(At("model.safetensors"), tensors);
    EXPECT_EQ(Open().status().code(), StatusCode::kUnsupported) << name;
    EXPECT_THAT(Error(), AllOf(HasSubstr(name), HasSubstr("has no place in a XLMRoberta")));
  }
  Tensors tensors = XlmRobertaTensors();
  for (const char* name : {"roberta.embeddings.position_ids", "roberta.embeddings.token_type_ids",
                           "roberta.pooler.dense.weight", "lm_head.dense.weight",
                           "lm_head.decoder.weight", "cls.predictions.bias"}) {
    tensors.push_back({name, "F32", {1, 12}});
  }
  WriteTensors(At("model.safetensors"), tensors);
  EXPECT_TRUE(Open().ok()) << Error();
}

TEST_F(ModelTest, TwoLabelsNeedTwoRows) {
  std::string config = kBertConfig;
  config.replace(config.find("\"num_labels\":1"), 14, "\"num_labels\":2");
  Write("config.json", config);
  Tensors tensors = BertTensors();
  WriteTensors(At("model.safetensors"), tensors);
  EXPECT_THAT(Error(), HasSubstr("tensor classifier.weight: got shape [1, 8], config.json asks for "
                                 "[2, 8]"));
  tensors[tensors.size() - 2].shape = {2, 8};
  tensors[tensors.size() - 1].shape = {2};
  WriteTensors(At("model.safetensors"), tensors);
  ASSERT_TRUE(Open().ok()) << Error();
  EXPECT_EQ((*Open())->weights().head_project.weight.rows, 2);
}

TEST_F(ModelTest, ReadsBertWithOldNormNames) {
  Write("config.json", kBertConfig);
  Tensors tensors = BertTensors();
  for (auto& tensor : tensors) {
    const size_t norm = tensor.name.find("LayerNorm.");
    if (norm == std::string::npos) continue;
    const bool gain = tensor.name.ends_with("weight");
    tensor.name = tensor.name.substr(0, norm) + (gain ? "LayerNorm.gamma" : "LayerNorm.beta");
  }
  tensors.push_back({"bert.embeddings.position_ids", "F32", {1, 12}});  // nobody asks for it
  WriteTensors(At("model.safetensors"), tensors);
  const auto model = Open();
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  EXPECT_TRUE((*model)->weights().embedding_norm.gain.present());
  EXPECT_EQ((*model)->weights().type_embedding.rows, 2);
}

TEST_F(ModelTest, ReadsHalfPrecisionOfBothKinds) {  // known-bugs 109
  for (const auto& [dtype, type] :
       {std::pair("F16", ElementType::kF16), std::pair("BF16", ElementType::kBF16)}) {
    WriteTensors(At("model.safetensors"), XlmRobertaTensors("roberta.", "", dtype));
    const auto model = Open();
    ASSERT_TRUE(model.ok()) << model.status().ToString();
    EXPECT_EQ((*model)->weights().layers[0].ffn_up.weight.type, type);
  }
}

TEST_F(ModelTest, ShardsEqualTheWholeAndStrayFilesAreLeftAlone) {  // known-bugs 110
  const Tensors tensors = XlmRobertaTensors();
  WriteTensors(At("model.safetensors"), tensors);
  const auto whole = Open();
  ASSERT_TRUE(whole.ok());
  const std::string expected = Contents(**whole);
  std::filesystem::remove(At("model.safetensors"));

  WriteTensors(At("model-00003-of-00003.safetensors"), tensors, /*salt=*/2);
  WriteTensors(At("adapter_model.safetensors"), tensors, /*salt=*/3);
  const auto half = static_cast<ptrdiff_t>(tensors.size() / 2);
  const Tensors first(tensors.begin(), tensors.begin() + half);
  const Tensors second(tensors.begin() + half, tensors.end());
  WriteTensors(At("model-00001-of-00002.safetensors"), first);
  WriteTensors(At("model-00002-of-00002.safetensors"), second);
  std::string map;
  for (const auto& tensor : first) {
    map += Concat(",\"", tensor.name, "\":\"model-00001-of-00002.safetensors\"");
  }
  for (const auto& tensor : second) {
    map += Concat(",\"", tensor.name, "\":\"model-00002-of-00002.safetensors\"");
  }
  Write("model.safetensors.index.json", "{\"weight_map\":{" + map.substr(1) + "}}");
  const auto sharded = Open();
  ASSERT_TRUE(sharded.ok()) << sharded.status().ToString();
  EXPECT_EQ(Contents(**sharded), expected);
  EXPECT_EQ((*sharded)->parameters(), (*whole)->parameters());

  // With a model.safetensors beside it the index does not count, as in transformers.
  WriteTensors(At("model.safetensors"), tensors, /*salt=*/1);
  const auto beside = Open();
  ASSERT_TRUE(beside.ok());
  EXPECT_NE(Contents(**beside), expected);
  std::filesystem::remove(At("model.safetensors"));

  std::filesystem::remove(At("model-00002-of-00002.safetensors"));
  EXPECT_THAT(Error(), AllOf(HasSubstr("not found"), HasSubstr("model-00002-of-00002")));
}

TEST_F(ModelTest, RefusesHostileIndexes) {
  WriteTensors(At("other.safetensors"), XlmRobertaTensors());
  const std::pair<std::string, std::string> cases[] = {
      {R"({"weight_map":{"a":"../model.safetensors"}})", "is not the name of a file"},
      {R"({"weight_map":{"a":"/etc/passwd"}})", "is not the name of a file"},
      {R"({"weight_map":{"a":".."}})", "is not the name of a file"},
      {R"({"weight_map":{"a":""}})", "is not the name of a file"},
      {"{\"weight_map\":{\"a\":\"model.safetensors\\u0000x\"}}", "is not the name of a file"},
      {R"({"weight_map":{"a":3}})", "integer is not the name of a file"},
      {R"({"weight_map":[]})", "weight_map is missing"},
      {R"({})", "weight_map is missing"},
      {R"({"weight_map":{"absent":"other.safetensors"}})", "tensor absent is not there"},
      {R"({"weight_map":{}})", "no word embeddings"},
      {R"({"weight_map":)", "ends too early"},
  };
  for (const auto& [index, reason] : cases) {
    Write("model.safetensors.index.json", index);
    EXPECT_THAT(Error(), AllOf(HasSubstr("corrupt: "), HasSubstr(reason))) << index;
  }
}

TEST_F(ModelTest, AMissingHeadIsSaidToBeOne) {  // known-bugs 105
  Tensors tensors = XlmRobertaTensors();
  tensors.resize(tensors.size() - 4);
  WriteTensors(At("model.safetensors"), tensors);
  EXPECT_EQ(Open().status().code(), StatusCode::kCorrupt);
  EXPECT_THAT(Error(), AllOf(HasSubstr("classification head is missing"),
                             HasSubstr("classifier.dense.weight, classifier.dense.bias, "
                                       "classifier.out_proj.weight, classifier.out_proj.bias"),
                             HasSubstr("embedding model")));
  Write("config.json", kBertConfig);
  Tensors bert = BertTensors();
  bert.erase(bert.end() - 4);  // the pooler's weight
  WriteTensors(At("model.safetensors"), bert);
  // One of them alone is a damaged reranker, as one whose pooler a converter dropped (005).
  EXPECT_THAT(Error(), AllOf(HasSubstr("a tensor is missing of the classification head: "
                                       "bert.pooler.dense.weight;"),
                             testing::Not(HasSubstr("embedding model"))));
}

TEST_F(ModelTest, EveryTensorIsNeeded) {
  const Tensors all = XlmRobertaTensors();
  for (size_t i = 0; i < all.size(); ++i) {
    Tensors tensors = all;
    tensors.erase(tensors.begin() + static_cast<ptrdiff_t>(i));
    WriteTensors(At("model.safetensors"), tensors);
    EXPECT_EQ(Open().status().code(), StatusCode::kCorrupt) << all[i].name;
    EXPECT_THAT(Error(), HasSubstr(all[i].name));
  }
}

TEST_F(ModelTest, LayersBeyondTheConfigAreRefused) {
  Tensors tensors = XlmRobertaTensors();
  auto extra = tensors.back();
  extra.name = "roberta.encoder.layer.2.output.dense.weight";
  tensors.push_back(extra);
  WriteTensors(At("model.safetensors"), tensors);
  EXPECT_EQ(Open().status().code(), StatusCode::kCorrupt);
  EXPECT_THAT(Error(), AllOf(HasSubstr(extra.name), HasSubstr("beyond the 2 layers")));
}

TEST_F(ModelTest, EveryShapeIsChecked) {
  const Tensors all = XlmRobertaTensors();
  for (size_t i = 0; i < all.size(); ++i) {
    Tensors tensors = all;
    ++tensors[i].shape[0];
    WriteTensors(At("model.safetensors"), tensors);
    EXPECT_EQ(Open().status().code(), StatusCode::kCorrupt) << all[i].name;
    EXPECT_THAT(Error(), AllOf(HasSubstr("tensor " + all[i].name + ": got shape ["),
                               HasSubstr("config.json asks for [")));
  }
  Tensors flat = all;
  flat[0].shape = {80};
  WriteTensors(At("model.safetensors"), flat);
  EXPECT_THAT(Error(), HasSubstr("got shape [80], config.json asks for [10, 8]"));
}

TEST_F(ModelTest, WeightsOfOtherTypesAreRefused) {
  Tensors tensors = XlmRobertaTensors();
  tensors[0].dtype = "I16";
  WriteTensors(At("model.safetensors"), tensors);
  EXPECT_EQ(Open().status().code(), StatusCode::kUnsupported);
  EXPECT_THAT(Error(), HasSubstr("got I16, supported: F32, F16, BF16"));
}

TEST_F(ModelTest, UnalignedDataIsReadAsTheSameNumbers) {
  WriteTensors(At("model.safetensors"), XlmRobertaTensors());
  const std::string expected = Contents(**Open());
  // One space more in the header moves every tensor to an odd address.
  std::ifstream in(At("model.safetensors"), std::ios::binary);
  std::string file{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  uint64_t length = 0;
  std::memcpy(&length, file.data(), 8);
  file.insert(8 + length, " ");
  ++length;
  std::memcpy(file.data(), &length, 8);
  std::filesystem::remove(At("model.safetensors"));
  Write("model.safetensors", file);
  const auto model = Open();
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  EXPECT_EQ(Contents(**model), expected);
  EXPECT_EQ(reinterpret_cast<uintptr_t>((*model)->weights().word_embedding.data) % 4, 0u);
}

TEST_F(ModelTest, TruncatedFilesAreRefusedAtOpen) {
  WriteTensors(At("model.safetensors"), XlmRobertaTensors());
  const auto size = std::filesystem::file_size(At("model.safetensors"));
  for (const uintmax_t kept : {size - 1, size / 2, uintmax_t{20}, uintmax_t{8}, uintmax_t{0}}) {
    std::filesystem::resize_file(At("model.safetensors"), kept);
    EXPECT_EQ(Open().status().code(), StatusCode::kCorrupt) << kept;
    EXPECT_THAT(Error(), HasSubstr("model.safetensors"));
  }
}

TEST_F(ModelTest, MissingFilesSayWhatToDo) {
  EXPECT_THAT(Error(), AllOf(HasSubstr("not found"), HasSubstr("model.safetensors.index.json")));
  Write("pytorch_model.bin", "x");
  EXPECT_THAT(Error(), AllOf(HasSubstr("unsupported"), HasSubstr("pytorch_model.bin"),
                             HasSubstr("save_pretrained")));
  std::filesystem::remove(At("config.json"));
  EXPECT_THAT(Error(), AllOf(HasSubstr("not found"), HasSubstr("config.json")));
}

TEST_F(ModelTest, WeightsInOtherFormatsAreNamed) {  // known-bugs 112, 115
  std::filesystem::create_directories(At("onnx"));
  Write("onnx/model.onnx", "x");
  Write("onnx/model_quantized.onnx", "x");
  EXPECT_THAT(Error(), AllOf(HasSubstr("unsupported"), HasSubstr("onnx/model.onnx, which Podium")));
}

TEST_F(ModelTest, AnAdapterIsNoModel) {
  std::filesystem::remove(At("config.json"));
  Write("adapter_config.json", R"({"peft_type":"LORA"})");
  Write("adapter_model.safetensors", "x");
  EXPECT_THAT(Error(),
              AllOf(HasSubstr("unsupported"), HasSubstr("an adapter"), HasSubstr("merge")));
}

TEST_F(ModelTest, LoopsOfLinksAreNamed) {
  for (const char* name : {"config.json", "model.safetensors"}) {
    std::filesystem::rename(At("config.json"), At("kept"));
    std::filesystem::copy_file(At("kept"), At("config.json"));
    std::filesystem::remove(At(name));
    std::filesystem::create_symlink(name, At(name));
    EXPECT_EQ(Open().status().code(), StatusCode::kIo) << name;
    EXPECT_THAT(Error(), AllOf(HasSubstr(At(name)), HasSubstr("symbolic links")));
    std::filesystem::remove(At(name));
    std::filesystem::rename(At("kept"), At("config.json"));
  }
}

TEST_F(ModelTest, FilesChangedWhileInUseAreSeen) {  // known-bugs 115
  WriteTensors(At("model.safetensors"), XlmRobertaTensors());
  const auto model = Open();
  ASSERT_TRUE(model.ok()) << Error();
  EXPECT_TRUE((*model)->CheckUnchanged().ok());
  std::filesystem::resize_file(At("model.safetensors"), 4096);
  EXPECT_EQ((*model)->CheckUnchanged().code(), StatusCode::kIo);
  EXPECT_THAT((*model)->CheckUnchanged().message(),
              AllOf(HasSubstr("model.safetensors: cut short from"), HasSubstr("to 4096 bytes")));
}

// A folder without weights.
class BareModel : public Model {
 public:
  explicit BareModel(const std::string& folder) { folder_ = folder; }
};

TEST_F(ModelTest, PaddingTokenIsReadInEveryForm) {
  const BareModel model(folder_.path());
  EXPECT_EQ(*ReadPaddingToken(model), "");
  Write("special_tokens_map.json", R"({"pad_token":{"content":"<p>","lstrip":false}})");
  EXPECT_EQ(*ReadPaddingToken(model), "<p>");
  Write("tokenizer_config.json", R"({"model_max_length":512})");
  EXPECT_EQ(*ReadPaddingToken(model), "<p>");
  Write("tokenizer_config.json", R"({"pad_token":"[PAD]"})");
  EXPECT_EQ(*ReadPaddingToken(model), "[PAD]");
  Write("tokenizer_config.json", R"({"pad_token":null})");
  EXPECT_EQ(*ReadPaddingToken(model), "<p>");
  Write("tokenizer_config.json", "[");
  EXPECT_EQ(ReadPaddingToken(model).status().code(), StatusCode::kCorrupt);
}

TEST_F(ModelTest, ALinkThatLeadsNowhereIsNamed) {
  std::filesystem::create_symlink("../blobs/gone", At("model.safetensors"));
  EXPECT_THAT(Error(), AllOf(HasSubstr("model.safetensors"), HasSubstr("No such file")));
}

TEST_F(ModelTest, UnknownModulesAreRefused) {  // known-bugs 106
  WriteTensors(At("model.safetensors"), XlmRobertaTensors());
  Write("modules.json", R"([{"idx":0,"type":"sentence_transformers.models.Transformer"}])");
  EXPECT_TRUE(Open().ok()) << Error();
  Write("modules.json", R"([{"idx":0,"type":"sentence_transformers.models.Transformer"},
                            {"idx":1,"type":"custom_st.LogitScore"}])");
  EXPECT_THAT(Error(), AllOf(HasSubstr("unsupported"), HasSubstr("custom_st.LogitScore")));
  Write("modules.json", R"([{"idx":0}])");
  EXPECT_EQ(Open().status().code(), StatusCode::kUnsupported);
  Write("modules.json", "{}");
  EXPECT_EQ(Open().status().code(), StatusCode::kCorrupt);
}

TEST_F(ModelTest, SentenceTransformersConfigIsRead) {
  WriteTensors(At("model.safetensors"), XlmRobertaTensors());
  ASSERT_TRUE(Open().ok()) << Error();
  EXPECT_EQ((*Open())->spec().score_scale, ScoreScale::kSigmoid);
  Write("config_sentence_transformers.json", R"({"activation_fn":"torch.nn.Identity"})");
  ASSERT_TRUE(Open().ok()) << Error();
  EXPECT_EQ((*Open())->spec().score_scale, ScoreScale::kLogit);
  Write("config_sentence_transformers.json", R"({"activation_fn":"torch.nn.Tanh"})");
  EXPECT_THAT(Error(), AllOf(HasSubstr("unsupported"),
                             HasSubstr("config_sentence_transformers.json: activation_fn")));
}

}  // namespace
}  // namespace podium
