#include "model/find.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "tests/support/temp_folder.h"

namespace podium {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr char kCommit[] = "953dc6f6f85a1b2dbfca4c34a2796e7dde08d41e";

class FindTest : public testing::Test {
 protected:
  std::string At(const std::string& below) const { return folder_.path() + "/" + below; }
  void Write(const std::string& below, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(At(below)).parent_path());
    std::ofstream(At(below)) << text;
  }
  Environment Variables(std::map<std::string, std::string> variables) const {
    return [variables = std::move(variables)](const char* name) -> std::optional<std::string> {
      const auto found = variables.find(name);
      return found == variables.end() ? std::nullopt : std::optional(found->second);
    };
  }
  // A snapshot of BAAI/bge-reranker-base below the cache folder `hub`, on branch main.
  std::string WriteSnapshot(const std::string& hub) const {
    const std::string repository = hub + "/models--BAAI--bge-reranker-base";
    Write(repository + "/refs/main", kCommit);
    Write(repository + "/snapshots/" + kCommit + "/config.json", "{}");
    return At(repository + "/snapshots/" + kCommit);
  }

  const std::string name_ = "BAAI/bge-reranker-base";
  testing_support::TempFolder folder_;
};

TEST_F(FindTest, AnExistingFolderIsTakenAsItIs) {
  std::filesystem::create_directories(At("org/name"));
  EXPECT_EQ(*FindModelFolder(At("org/name"), Variables({})), At("org/name"));
}

TEST_F(FindTest, HuggingFaceVariablesCountInTheirOrder) {
  const std::string expected = WriteSnapshot("hub");
  const std::string elsewhere = At("elsewhere");
  const std::map<std::string, std::string> cases[] = {
      {{"HF_HUB_CACHE", At("hub")}, {"HF_HOME", elsewhere}},
      {{"HF_HOME", At("")}, {"XDG_CACHE_HOME", elsewhere}},
      {{"HF_HUB_CACHE", ""}, {"HF_HOME", At("")}},
      {{"HUGGINGFACE_HUB_CACHE", At("hub")}, {"HF_HOME", elsewhere}},
      {{"HF_HOME", "~"}, {"HOME", At("")}},
      {{"HF_HUB_CACHE", "~/hub"}, {"HOME", At("")}},
  };
  for (const auto& variables : cases) {
    const auto found = FindModelFolder(name_, Variables(variables));
    ASSERT_TRUE(found.ok()) << found.status().ToString();
    EXPECT_TRUE(std::filesystem::equivalent(*found, expected));
  }
  EXPECT_FALSE(
      FindModelFolder(name_, Variables({{"HF_HUB_CACHE", elsewhere}, {"HF_HOME", At("")}})).ok());
  const std::string xdg = WriteSnapshot("xdg/huggingface/hub");
  EXPECT_EQ(
      *FindModelFolder(name_, Variables({{"XDG_CACHE_HOME", At("xdg")}, {"HOME", elsewhere}})),
      xdg);
  const std::string home = WriteSnapshot("home/.cache/huggingface/hub");
  EXPECT_EQ(*FindModelFolder(name_, Variables({{"HOME", At("home")}})), home);
}

TEST_F(FindTest, RevisionsAreBranchesTagsOrCommits) {
  const std::string expected = WriteSnapshot("hub");
  Write("hub/models--BAAI--bge-reranker-base/refs/refs/pr/3", std::string(kCommit) + "\n");
  const Environment variables = Variables({{"HF_HUB_CACHE", At("hub")}});
  for (const std::string& revision :
       {std::string("main"), std::string("refs/pr/3"), std::string(kCommit)}) {
    const auto found = FindModelFolder(name_ + "@" + revision, variables);
    ASSERT_TRUE(found.ok()) << found.status().ToString();
    EXPECT_EQ(*found, expected);
  }
  const auto absent = FindModelFolder(name_ + "@v9", variables);
  EXPECT_THAT(absent.status().message(), HasSubstr("\n  podium pull BAAI/bge-reranker-base@v9"));
  EXPECT_THAT(absent.status().message(), Not(HasSubstr("modelscope")));
}

TEST_F(FindTest, ModelScopeLayouts) {
  for (const std::string layout : {"/hub/models/", "/hub/", "/models/", "/"}) {
    const testing_support::TempFolder cache;
    const std::string model = cache.path() + layout + "BAAI/bge-reranker-v1___5";
    std::filesystem::create_directories(model);
    std::ofstream(model + "/config.json") << "{}";
    EXPECT_EQ(
        *FindModelFolder("BAAI/bge-reranker-v1.5", Variables({{"MODELSCOPE_CACHE", cache.path()}})),
        model);
  }
}

TEST_F(FindTest, AbsentModelsSayWhereAndHow) {
  std::filesystem::create_directories(At("hub/models--BAAI--bge-reranker-base/snapshots/main"));
  const auto found = FindModelFolder(
      name_, Variables({{"HF_HUB_CACHE", At("hub")}, {"MODELSCOPE_CACHE", At("scope")}}));
  ASSERT_EQ(found.status().code(), StatusCode::kNotFound);
  for (const std::string& part :
       {At("hub/models--BAAI--bge-reranker-base/snapshots/main (there, but without config.json)"),
        At("scope/hub/models/BAAI/bge-reranker-base"),
        std::string("\n  podium pull BAAI/bge-reranker-base\n"),
        std::string("\n  modelscope download --model BAAI/bge-reranker-base")}) {
    EXPECT_THAT(found.status().message(), HasSubstr(part));
  }
}

TEST_F(FindTest, WithoutAHomeNoCacheAtTheRootIsLookedAt) {
  const auto found = FindModelFolder(name_, Variables({}));
  EXPECT_THAT(found.status().message(), HasSubstr("  ~/.cache/huggingface/hub/models--BAAI"));
  EXPECT_THAT(found.status().message(), HasSubstr("  ~/.cache/modelscope/hub/models/BAAI"));
  EXPECT_THAT(found.status().message(), Not(HasSubstr(" /.cache")));
}

TEST_F(FindTest, ALinkInACircleIsNamed) {
  std::filesystem::create_symlink("loop", At("loop"));
  const auto found = FindModelFolder(At("loop"), Variables({}));
  EXPECT_EQ(found.status().code(), StatusCode::kNotFound);
  EXPECT_THAT(found.status().message(),
              HasSubstr("loop: a link that leads nowhere, or in a circle"));
}

TEST_F(FindTest, NamesNeverLeaveTheCache) {
  WriteSnapshot("hub");
  Write("hub/outside/config.json", "{}");
  Write("hub/models--evil--ref/refs/main", "../../outside");
  const Environment variables = Variables({{"HF_HUB_CACHE", At("hub")}, {"HOME", At("")}});
  for (const char* name : {"", "a/b/c", "../x", "a/..", "BAAI/bge-reranker-base@../../outside",
                           "BAAI/bge-reranker-base@", "/absent/folder", "./absent", "a b/c", "a/",
                           "org/na\nme", "evil/ref"}) {
    const auto found = FindModelFolder(name, variables);
    EXPECT_EQ(found.status().code(), StatusCode::kNotFound) << name;
  }
  Write("model.bin", "x");
  EXPECT_EQ(FindModelFolder(At("model.bin"), variables).status().code(),
            StatusCode::kInvalidArgument);
}

TEST_F(FindTest, DefaultModel) {
  const Environment none = Variables({});
  const auto absent = DefaultModelFolder(At("tree/build/release/podium"), none);
  EXPECT_EQ(absent.status().code(), StatusCode::kNotFound);
  EXPECT_THAT(absent.status().message(), HasSubstr("PODIUM_MODEL"));

  Write("prefix/share/podium/models/podium-mini-zh-en/config.json", "{}");
  EXPECT_EQ(*DefaultModelFolder(At("prefix/bin/podium"), none),
            At("prefix/share/podium/models/podium-mini-zh-en"));
  Write("tree/models/podium-mini-zh-en/config.json", "{}");
  EXPECT_EQ(*DefaultModelFolder(At("tree/build/release/podium"), none),
            At("tree/models/podium-mini-zh-en"));
  Write("tree/out/share/podium/models/podium-mini-zh-en/config.json", "{}");
  EXPECT_EQ(*DefaultModelFolder(At("tree/out/bin/podium"), none),
            At("tree/out/share/podium/models/podium-mini-zh-en"))
      << "an installation inside of a tree";

  const std::string snapshot = WriteSnapshot("hub");
  EXPECT_EQ(*DefaultModelFolder(At("tree/build/release/podium"),
                                Variables({{"PODIUM_MODEL", name_}, {"HF_HUB_CACHE", At("hub")}})),
            snapshot);
  EXPECT_THAT(
      DefaultModelFolder(At("tree/build/release/podium"), Variables({{"PODIUM_MODEL", "/absent"}}))
          .status()
          .message(),
      HasSubstr("PODIUM_MODEL: "));
}

}  // namespace
}  // namespace podium
