#include "hub/repository.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace podium::hub {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr char kCommit[] = "953dc6f6f85a1b2dbfca4c34a2796e7dde08d41e";

Repository With(std::set<std::string> files) { return {kCommit, std::move(files)}; }

TEST(ParseRepository, TakesCommitAndNames) {
  const auto repository = ParseRepository(
      std::string(R"({"id": "a/b", "sha": ")") + kCommit +
          R"(", "siblings": [{"rfilename": "config.json", "size": 3}, {"rfilename": "../x"}]})",
      "here");
  ASSERT_TRUE(repository.ok()) << repository.status().ToString();
  EXPECT_EQ(repository->commit, kCommit);
  EXPECT_THAT(repository->files, ElementsAre("../x", "config.json"));
}

TEST(ChooseFiles, ConfigurationFirstThenTokenizerThenWeights) {
  const auto selection = ChooseFiles(
      With({"config.json", "model.safetensors", "vocab.txt", "tokenizer.json", "modules.json",
            "tokenizer_config.json", "README.md", "pytorch_model.bin", "onnx/model.onnx",
            "sub/config.json", "../../config.json", "model.safetensors.index.json"}),
      "org/x");
  ASSERT_TRUE(selection.ok()) << selection.status().ToString();
  EXPECT_THAT(selection->files, ElementsAre("config.json", "modules.json", "tokenizer_config.json",
                                            "tokenizer.json", "model.safetensors"));
  EXPECT_EQ(selection->index, "");
}

TEST(ChooseFiles, ShardsByTheirIndex) {
  const Repository repository = With({"config.json", "vocab.txt", "model.safetensors.index.json",
                                      "a.safetensors", "b.safetensors", "c.safetensors"});
  const auto selection = ChooseFiles(repository, "org/x");
  ASSERT_TRUE(selection.ok()) << selection.status().ToString();
  EXPECT_EQ(selection->index, "model.safetensors.index.json");
  const auto shards =
      ChooseShards(repository, R"({"weight_map": {"x": "b.safetensors", "y": "a.safetensors"}})",
                   "org/x/model.safetensors.index.json");
  ASSERT_TRUE(shards.ok()) << shards.status().ToString();
  EXPECT_THAT(*shards, ElementsAre("a.safetensors", "b.safetensors"));
}

TEST(ChooseFiles, SaysWhatIsThereInstead) {
  std::set<std::string> files = {"config.json", "tokenizer.json", "pytorch_model.bin"};
  EXPECT_THAT(ChooseFiles(With(files), "org/x").status().message(),
              HasSubstr("there is pytorch_model.bin\npytorch_model.bin can run code"));
  for (int i = 0; i < 9; ++i) files.insert("m" + std::to_string(i) + ".gguf");
  EXPECT_THAT(ChooseFiles(With(files), "org/x").status().message(),
              HasSubstr("m0.gguf, m1.gguf, m2.gguf, m3.gguf and 6 more"));
  EXPECT_THAT(ChooseFiles(With({"config.json"}), "org/x").status().message(),
              Not(HasSubstr("there is pytorch")));
  EXPECT_EQ(ChooseFiles(With({}), "org/x").status().code(), StatusCode::kUnsupported);
}

}  // namespace
}  // namespace podium::hub
