#include "app/describe.h"
#include "app/serve_options.h"

namespace podium {
namespace {

constexpr const char* kServeExamples = R"help(
Examples:
  podium serve
  podium serve --model BAAI/bge-reranker-v2-m3 --precision int8 --host 0.0.0.0
  curl http://127.0.0.1:8080/v1/rerank -d '{"query": "what is a tomato", "documents": ["A berry.", "A train."]}'

Every setting is also read from the environment (--drain-delay-ms as PODIUM_DRAIN_DELAY_MS) and from the
file of --config. A flag goes before the environment, that before the file; --print-config shows each value and where it came from.
SIGTERM: not ready, then no new connections, then everything accepted is answered; exit code 0.)help";

}  // namespace

void DescribeServe(CLI::App& command, ServeCommand& serve) {
  ServeOptions defaults;
  for (const ServeSetting& setting : ServeSettings(defaults)) {
    const std::string name = setting.name;
    const std::string value = setting.get();
    command
        .add_option_function<std::string>(
            (name == "model" ? "-m,--" : "--") + name,
            [&serve, name](const std::string& text) { serve.given[name] = text; }, setting.help)
        ->type_name("")
        ->default_str(value);
  }
  command
      .add_option_function<std::string>(
          "--config", [&serve](const std::string& text) { serve.given[kConfigSetting] = text; },
          "YAML file with settings, one a line: `port: 8080`")
      ->type_name("");
  command.add_flag("--print-config", serve.print_config,
                   "Print each setting and where it came from, and end");
  command.footer(kServeExamples);
}

}  // namespace podium
