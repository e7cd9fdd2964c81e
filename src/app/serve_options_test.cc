#include "app/serve_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>

#include "app/config_file.h"
#include "tests/support/temp_folder.h"

namespace podium {
namespace {

using testing::HasSubstr;
using testing_support::TempFolder;

Environment Variables(const std::map<std::string, std::string>& values) {
  return [values](const char* name) -> std::optional<std::string> {
    const auto found = values.find(name);
    if (found == values.end()) return std::nullopt;
    return found->second;
  };
}

std::string Message(const GivenSettings& flags, const Environment& environment = Variables({})) {
  return ResolveServeOptions(flags, environment).status().message();
}

TEST(ServeOptions, FlagsThenEnvironmentThenFileThenDefault) {
  const TempFolder folder;
  const std::string file = folder.path() + "/serve.yaml";
  std::ofstream(file)
      << "# a comment\nport: 1\nhost: 0.0.0.0\nserved-model-name: [a, '*']\nlog-level: error\n";
  const auto resolved = ResolveServeOptions(
      {{"config", file}, {"port", "3"}}, Variables({{"PODIUM_PORT", "2"}, {"PODIUM_HOST", "::1"}}));
  ASSERT_TRUE(resolved.ok()) << resolved.status().ToString();
  const ServeOptions& options = resolved->options;
  EXPECT_EQ(options.server.port, 3);
  EXPECT_EQ(options.server.host, "::1");
  EXPECT_THAT(options.served_names, testing::ElementsAre("a", "*"));
  EXPECT_EQ(options.log.level, LogLevel::kError);
  EXPECT_EQ(resolved->sources.at("port"), "--port");
  EXPECT_EQ(resolved->sources.at("host"), "PODIUM_HOST");
  EXPECT_EQ(resolved->sources.at("log-level"), file + ":5");
  EXPECT_EQ(resolved->sources.at("documents-max"), "default");
}

TEST(ServeOptions, AServiceLinkOfKubernetesIsNoPort) {
  const auto resolved = ResolveServeOptions(
      {}, Variables({{"PODIUM_PORT", "tcp://10.0.171.239:8080"}, {"PODIUM_PORT_8080_TCP", "x"}}));
  ASSERT_TRUE(resolved.ok()) << resolved.status().ToString();
  EXPECT_EQ(resolved->sources.at("port"), "default");
}

TEST(ServeOptions, WrongValuesNameTheirPlace) {
  EXPECT_THAT(Message({{"port", "70000"}}),
              HasSubstr("--port: port: got \"70000\", allowed: 0 to 65535"));
  EXPECT_THAT(Message({}, Variables({{"PODIUM_LOG_FORMAT", "xml"}})),
              HasSubstr("PODIUM_LOG_FORMAT: log-format: got \"xml\", allowed: text, json"));
  EXPECT_THAT(Message({{"timeout-ms", "700000"}}), HasSubstr("more than timeout-ms-max"));
  EXPECT_THAT(Message({{"body-bytes-inside-max", "4096"}}), HasSubstr("body-bytes-inside-max"));
  EXPECT_THAT(Message({{"tls-key-file", "key.pem"}}), HasSubstr("expected both or none"));
  EXPECT_THAT(Message({{"cors-origins", "https://a.example/"}}), HasSubstr("without a path"));
  EXPECT_THAT(Message({{"admin-host", "::1"}}), HasSubstr("no admin-port"));
  EXPECT_THAT(Message({{"served-model-name", "a,,b"}}), HasSubstr("empty name"));
  EXPECT_THAT(Message({{"served-model-name", "a,b,a"}}), HasSubstr("has a twice"));
  EXPECT_THAT(Message({{"port", "8080"}, {"admin-port", "8080"}}), HasSubstr("which is port"));
  EXPECT_THAT(Message({{"port", "8080"}, {"admin-port", "8080"}, {"admin-host", "127.0.0.1"}}),
              HasSubstr("which is port"));
  for (const GivenSettings& fine :
       {GivenSettings{{"port", "0"}, {"admin-port", "0"}},
        GivenSettings{{"port", "8080"}, {"admin-port", "8080"}, {"admin-host", "10.0.0.1"}}}) {
    EXPECT_TRUE(ResolveServeOptions(fine, Variables({})).ok());
  }
}

TEST(ServeOptions, SeveralModels) {
  const auto one = ResolveServeOptions({{"model", "m"}, {"precision", "int8"}}, Variables({}));
  ASSERT_TRUE(one.ok());
  ASSERT_EQ(one->options.models.size(), 1u);
  EXPECT_EQ(one->options.models[0].open.model, "m");
  EXPECT_EQ(one->options.models[0].open.precision, "int8");
  EXPECT_THAT(one->options.models[0].names, testing::ElementsAre("*"));

  // The same list as a flag, in the environment, and in the file in both of YAML's forms.
  const std::string flow = "[{model: a, names: [x, '*'], max-length: 128}, {model: b/c@d}]";
  const TempFolder folder;
  const std::string block_file = folder.path() + "/block.yaml";
  std::ofstream(block_file) << "precision: int8\nmodels:\n  - model: a\n    names:\n      - x\n"
                               "      - '*'\n    max-length: 128\n  - b/c@d\n";
  const std::string flow_file = folder.path() + "/flow.yaml";
  std::ofstream(flow_file) << "precision: int8\nmodels: " << flow << "\n";
  const Result<ResolvedOptions> ways[] = {
      ResolveServeOptions({{"models", flow}, {"precision", "int8"}}, Variables({})),
      ResolveServeOptions({{"precision", "int8"}}, Variables({{"PODIUM_MODELS", flow}})),
      ResolveServeOptions({{"config", block_file}}, Variables({})),
      ResolveServeOptions({{"config", flow_file}}, Variables({})),
  };
  for (const auto& way : ways) {
    ASSERT_TRUE(way.ok()) << way.status().ToString();
    const std::vector<ModelOptions>& models = way->options.models;
    ASSERT_EQ(models.size(), 2u);
    EXPECT_EQ(models[0].open.model, "a");
    EXPECT_EQ(models[0].open.max_length, 128);
    EXPECT_EQ(models[0].open.precision, "int8") << "what is said for all";
    EXPECT_THAT(models[0].names, testing::ElementsAre("x", "*"));
    EXPECT_EQ(models[1].open.model, "b/c@d");
    EXPECT_EQ(models[1].open.max_length, 0);
    EXPECT_TRUE(models[1].names.empty());
  }
  const auto names = ResolveServeOptions({{"models", "a,b"}}, Variables({}));
  ASSERT_TRUE(names.ok());
  EXPECT_EQ(names->options.models[1].open.model, "b");

  EXPECT_THAT(Message({{"models", "a,b"}, {"model", "c"}}),
              HasSubstr("--models: models: got also model (--model)"));
  EXPECT_TRUE(ResolveServeOptions({{"models", "a,b"}}, Variables({{"PODIUM_MODEL", "c"}})).ok());
  EXPECT_THAT(Message({{"models", "[{model: a, prot: 1}]"}}),
              HasSubstr("model 1: unknown \"prot\""));
  EXPECT_THAT(Message({{"models", "[a, {model: b, max-length: x}]"}}),
              HasSubstr("model 2: max-length: got \"x\""));
  EXPECT_THAT(Message({{"models", "[{model: a, max-length: [1]}]"}}),
              HasSubstr("max-length: got a list"));
  EXPECT_THAT(Message({{"models", "[{model: a, names:}]"}}), HasSubstr("names: got no value"));
  EXPECT_THAT(Message({{"models", "[{names: a}]"}}), HasSubstr("model: it is missing"));
  EXPECT_THAT(Message({{"models", "[a, [b]]"}}), HasSubstr("model 2: expected a name or"));
  EXPECT_THAT(Message({{"models", "[a"}}), HasSubstr("expected names with commas or a list"));
  EXPECT_THAT(Message({{"models", "[]"}}), HasSubstr("got none"));
  std::string many = "m";
  for (int i = 0; i < kServedModelsMax; ++i) many += ",m";
  EXPECT_THAT(Message({{"models", many}}), HasSubstr("at most 32"));
}

TEST(ServeOptions, DamagedFiles) {
  const TempFolder folder;
  const std::string file = folder.path() + "/serve.yaml";
  const std::pair<const char*, const char*> cases[] = {
      {"port: 1\nprot: 2\n", ":2: unknown setting \"prot\""},
      {"port: 1\nport: 2\n", "twice"},
      {"port: {a: 1}\n", ":1: port: expected a value"},
      {"- port\n", "expected lines of `name: value`"},
      {"port: [1, [2]]\n", "plain values"},
      {"log-level: info\nport: [1]\n", ":2: port: got a list, expected one value"},
      {"port:\n", ":1: port: got no value"},
      {"port: ~\n", ":1: port: got no value"},
      {"port: 1\n---\nprot: 2\n", ":3: a second document"},
      {"port: 1\n---\n", "a second document"},
      {"port: [1\n", "no YAML"},
      {"port: x\n", ":1: port: got \"x\""},
  };
  for (const auto& [text, says] : cases) {
    std::ofstream(file) << text;
    EXPECT_THAT(Message({{"config", file}}), HasSubstr(says)) << text;
  }
  EXPECT_THAT(Message({{"config", folder.path() + "/none"}}), HasSubstr("none"));
}

// What --print-config prints is what a file may hold.
TEST(ServeOptions, EverySettingReadsWhatItShows) {
  ServeOptions options;
  std::set<std::string> names;
  for (const ServeSetting& setting : ServeSettings(options)) {
    EXPECT_TRUE(names.insert(setting.name).second) << setting.name;
    EXPECT_TRUE(setting.set(setting.get()).ok()) << setting.name << " = " << setting.get();
  }
  const TempFolder folder;
  const std::string file = folder.path() + "/serve.yaml";
  std::ofstream out(file);
  for (const ServeSetting& setting : ServeSettings(options)) {
    out << setting.name << ": " << ConfigValue(setting.get()) << "\n";
  }
  out.close();
  const auto read = ResolveServeOptions({{"config", file}}, Variables({}));
  ASSERT_TRUE(read.ok()) << read.status().ToString();
}

}  // namespace
}  // namespace podium
