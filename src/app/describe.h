// What the commands' descriptions share: options that several have, choices by name.
#ifndef PODIUM_APP_DESCRIBE_H_
#define PODIUM_APP_DESCRIBE_H_

#include <CLI/CLI.hpp>
#include <map>
#include <string>

#include "app/options.h"

namespace podium {

constexpr const char* kModelHelp =
    "Folder, packed file or hub name; default: $PODIUM_MODEL, else the bundled model";

inline const std::map<std::string, OutputFormat> kFactFormats = {{"table", OutputFormat::kTable},
                                                                 {"json", OutputFormat::kJson}};

inline const std::map<std::string, ScoreKind> kScoreKinds = {
    {"model", ScoreKind::kModel}, {"sigmoid", ScoreKind::kSigmoid}, {"raw", ScoreKind::kRaw}};

/// --truncation: which side of a pair that is too long is cut.
void AddTruncation(CLI::App& command, std::string& truncation);
/// --model, --precision, --isa, --threads.
void AddEngineOptions(CLI::App& command, OpenOptions& open);
/// Those, --max-length and --truncation.
void AddOpenOptions(CLI::App& command, OpenOptions& open);

/// LISTS, and where their documents and grades come from.
void AddListsOptions(CLI::App& command, ListsOptions& lists);

void DescribeScore(CLI::App& command, ScoreCommand& score);
void DescribeEval(CLI::App& command, EvalCommand& eval);
void DescribeLengths(CLI::App& command, LengthsCommand& lengths);
void DescribeBench(CLI::App& command, BenchCommand& bench);
void DescribePack(CLI::App& command, PackCommand& pack);
void DescribeCompare(CLI::App& command, CompareCommand& compare);
void DescribeServe(CLI::App& command, ServeCommand& serve);

template <typename T>
std::string Names(const std::map<std::string, T>& choices) {
  std::string names;
  for (const auto& [name, value] : choices) names += (names.empty() ? "" : ", ") + name;
  return names;
}

/// An option whose value is one of `choices`, which outlive the command.
template <typename T>
void AddChoice(CLI::App& command, const std::string& flag, T& target,
               const std::map<std::string, T>& choices, const std::string& help) {
  command
      .add_option_function<std::string>(
          flag,
          [&target, &choices, flag](const std::string& text) {
            const auto found = choices.find(text);
            if (found == choices.end()) {
              throw CLI::ValidationError(flag, "got \"" + text + "\", allowed: " + Names(choices));
            }
            target = found->second;
          },
          help)
      ->type_name(Names(choices));
}

/// An option that stays empty when it is not given.
template <typename T>
void AddOptionalText(CLI::App& command, const std::string& flag, T& target,
                     const std::string& help) {
  command.add_option_function<std::string>(
      flag, [&target](const std::string& text) { target = text; }, help);
}

}  // namespace podium

#endif  // PODIUM_APP_DESCRIBE_H_
