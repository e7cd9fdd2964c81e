#include "hub/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>

#include "tests/support/temp_folder.h"

namespace podium::hub {
namespace {

using testing::HasSubstr;
using testing::Not;

Environment Variables(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

TEST(Settings, Defaults) {
  const auto settings = ReadSettings(Variables({{"HOME", "/absent"}}));
  ASSERT_TRUE(settings.ok()) << settings.status().ToString();
  EXPECT_EQ(settings->endpoint, "https://huggingface.co");
  EXPECT_EQ(settings->token, "");
  EXPECT_EQ(settings->cache, "/absent/.cache/huggingface/hub");
  EXPECT_EQ(settings->ca_bundle, "");
  EXPECT_FALSE(settings->offline);
  EXPECT_EQ(settings->stall_seconds, 30);
}

TEST(Settings, EndpointsAreUrls) {
  EXPECT_EQ(ReadSettings(Variables({{"HF_ENDPOINT", "http://mirror:8080/hf//"}}))->endpoint,
            "http://mirror:8080/hf");
  for (const char* endpoint : {"mirror", "ftp://x", "https://a b", "https://x?y", "https://x#y",
                               "https://x\r\nEvil: 1", "file:///x"}) {
    const auto settings = ReadSettings(Variables({{"HF_ENDPOINT", endpoint}}));
    EXPECT_EQ(settings.status().code(), StatusCode::kInvalidArgument) << endpoint;
    EXPECT_THAT(settings.status().message(), HasSubstr("HF_ENDPOINT"));
  }
}

TEST(Settings, TokensAreCleanAndNeverPrinted) {
  const testing_support::TempFolder folder;
  std::ofstream(folder.path() + "/token") << " hf_file\r\n";
  const std::string home = folder.path();
  EXPECT_EQ(ReadSettings(Variables({{"HF_HOME", home}}))->token, "hf_file");
  EXPECT_EQ(ReadSettings(Variables({{"HF_HOME", home}, {"HF_TOKEN", "hf_env"}}))->token, "hf_env");
  EXPECT_EQ(
      ReadSettings(Variables({{"HF_HOME", home}, {"HF_HUB_DISABLE_IMPLICIT_TOKEN", "ON"}}))->token,
      "");
  for (const std::string token : {"a\nX: y", "a b", "a\x01", "\xC3\xA9"}) {
    const auto settings = ReadSettings(Variables({{"HF_TOKEN", token}}));
    ASSERT_FALSE(settings.ok());
    EXPECT_THAT(settings.status().message(), Not(HasSubstr(token)));
  }
  std::ofstream(folder.path() + "/token") << std::string(5000, 'a');
  EXPECT_EQ(ReadSettings(Variables({{"HF_HOME", home}}))->token, "");
}

TEST(Settings, SwitchesAndNumbers) {
  for (const char* on : {"1", "ON", "yes", "True"}) {
    EXPECT_TRUE(ReadSettings(Variables({{"HF_HUB_OFFLINE", on}}))->offline);
    EXPECT_TRUE(ReadSettings(Variables({{"TRANSFORMERS_OFFLINE", on}}))->offline);
  }
  EXPECT_FALSE(ReadSettings(Variables({{"HF_HUB_OFFLINE", "0"}}))->offline);
  EXPECT_EQ(ReadSettings(Variables({{"HF_HUB_DOWNLOAD_TIMEOUT", "7"}}))->stall_seconds, 7);
  for (const char* wrong : {"x", "0", "-1", "3601", "5s", "99999999999999999999"}) {
    EXPECT_FALSE(ReadSettings(Variables({{"HF_HUB_DOWNLOAD_TIMEOUT", wrong}})).ok()) << wrong;
  }
  EXPECT_EQ(
      ReadSettings(Variables({{"CURL_CA_BUNDLE", "c"}, {"REQUESTS_CA_BUNDLE", "r"}}))->ca_bundle,
      "r");
}

}  // namespace
}  // namespace podium::hub
