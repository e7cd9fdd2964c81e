#include "app/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>

#include "app/describe.h"

namespace podium {
namespace {

constexpr const char* kRankExamples = R"help(
Examples:
  podium rank -q "how do I reset my router" "Hold the reset button." "The warranty is two years."
  podium rank -q 如何重置路由器 -f passages.txt --top-n 5
  grep -rh router docs/ | podium rank -q "reset the router" -f - --format tsv | head
  podium rank -f request.json --format json     # {"query": …, "documents": […]}

Input: one document a line, or JSON ([…] or {"query", "documents"}), or JSON Lines; a document in
JSON is a string or an object with its text under "text", "document", "content" or "passage".
Output: a table on a terminal, else JSON Lines: {"index", "score", "document", "truncated"}, best first.)help";

constexpr const char* kTokenizeExamples = R"help(
Examples:
  podium tokenize "Hello, world!"
  podium tokenize -q "what is a tomato" -d "The tomato is a berry." --format json
  podium tokenize -q 什么是番茄 -d "$(cat page.txt)" --max-length 128)help";

constexpr const char* kInspectExamples = R"help(
Examples:
  podium inspect
  podium inspect --model BAAI/bge-reranker-v2-m3 --format json
  podium inspect --model ./bge-reranker-base --verify    # published reference scores; exit code 1 on a miss)help";

constexpr const char* kDoctorExamples = R"help(
Examples:
  podium doctor
  podium doctor --model BAAI/bge-reranker-base)help";

constexpr const char* kPullExamples = R"help(
Examples:
  podium pull BAAI/bge-reranker-base
  podium pull BAAI/bge-reranker-v2-m3 --to ./model
  podium rank --model "$(podium pull BAAI/bge-reranker-base)" -q "what is a tomato" -f passages.txt

Into Hugging Face's cache, where its other clients look too. Prints the folder. Environment: HF_TOKEN for
private and gated models, HF_ENDPOINT, HF_HOME, HF_HUB_CACHE, HF_HUB_OFFLINE, HTTPS_PROXY, SSL_CERT_FILE.)help";

constexpr const char* kMainExamples = R"help(
Examples:
  podium rank -q "what is a tomato" "A tomato is a berry." "Trains run twice a day."
  podium help rank

Exit codes: 0 done, 1 it could not be done (the message says why), 2 wrong command line, 3 a
threshold of compare was missed, 130 Ctrl-C.)help";

const std::map<std::string, OutputFormat> kRankFormats = {{"table", OutputFormat::kTable},
                                                          {"json", OutputFormat::kJson},
                                                          {"jsonl", OutputFormat::kJsonl},
                                                          {"tsv", OutputFormat::kTsv}};
const std::map<std::string, InputKind> kInputKinds = {{"auto", InputKind::kAuto},
                                                      {"lines", InputKind::kLines},
                                                      {"jsonl", InputKind::kJsonl},
                                                      {"json", InputKind::kJson}};

void DescribeRank(CLI::App& command, RankCommand& rank) {
  AddOptionalText(command, "-q,--query", rank.query, "The query; goes before one in the input");
  command.add_option("documents", rank.documents, "Documents")->type_name("DOC");
  command.add_option("-f,--file", rank.file, "Documents from a file, or - for standard input");
  AddChoice(command, "--input", rank.input, kInputKinds,
            "What the file holds; auto: by its name, else by its first character");
  command.add_option("--text-field", rank.text_field, "Member of a JSON document with its text");
  command.add_option("-n,--top-n", rank.top_n, "Best results to print; negative: all")
      ->capture_default_str();
  AddChoice(command, "--scores", rank.scores, kScoreKinds,
            "model: as its config says, else sigmoid (default); sigmoid: 0 to 1; raw: the logit");
  AddChoice(command, "--format", rank.format, kRankFormats,
            "Default: table on a terminal, else jsonl");
  command.add_flag("--time", rank.time, "Print the time taken on standard error");
  AddOpenOptions(command, rank.open);
  command.footer(kRankExamples);
}

void DescribeTokenize(CLI::App& command, TokenizeCommand& tokenize) {
  command.add_option("texts", tokenize.texts, "Texts")->type_name("TEXT");
  AddOptionalText(command, "-q,--query", tokenize.query, "Query of a pair");
  AddOptionalText(command, "-d,--document", tokenize.document, "Document of a pair");
  command.add_option("-m,--model", tokenize.model, kModelHelp);
  AddTruncation(command, tokenize.truncation);
  command.add_option("--max-length", tokenize.max_length,
                     "Tokens of a pair, special tokens included; default: the model's own limit");
  AddChoice(command, "--format", tokenize.format, kFactFormats,
            "Default: table on a terminal, else json");
  command.footer(kTokenizeExamples);
}

void DescribeInspect(CLI::App& command, InspectCommand& inspect) {
  AddOpenOptions(command, inspect.open);
  command.add_flag("--verify", inspect.verify,
                   "Compare with published reference ids and scores of the model");
  AddChoice(command, "--format", inspect.format, kFactFormats,
            "Default: table on a terminal, else json");
  command.footer(kInspectExamples);
}

void DescribePull(CLI::App& command, PullCommand& pull) {
  command.add_option("model", pull.model, "org/name or org/name@revision")
      ->required()
      ->type_name("NAME");
  command.add_option("--revision", pull.revision, "Branch, tag or commit; default: main");
  command.add_option("--to", pull.to, "A plain folder to fill instead of the cache");
  command.add_flag("--offline", pull.offline, "Only look whether the model is there");
  command.add_option("--retries", pull.retries, "Further tries after a failed request, 0 to 100")
      ->check(CLI::Range(0, 100))
      ->type_name("")
      ->capture_default_str();
  command.add_flag("--quiet", pull.quiet, "Nothing on standard error but errors");
  command.footer(kPullExamples);
}

// An empty value is a slip, most often an unset variable of a script: "--top-n ''" must not mean 0.
// Texts may be empty.
void RefuseEmptyValues(CLI::App& command) {
  for (CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    if (option->get_lnames().empty() || name == "--query" || name == "--document") continue;
    option->check(CLI::Validator(
        [](std::string& value) { return value.empty() ? std::string("got an empty value") : ""; },
        ""));
  }
}

size_t EditDistance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

// "; did you mean X?" when something known is near.
std::string Suggestion(const std::string& got, const std::vector<std::string>& known) {
  constexpr size_t kNear = 3;
  constexpr size_t kLongest = 64;  // of a word worth comparing
  std::string best;
  size_t best_distance = kNear + 1;
  if (got.size() > kLongest) return "";
  for (const std::string& name : known) {
    const size_t distance = EditDistance(got, name);
    if (distance < best_distance && distance * 2 < name.size() + 1) {
      best_distance = distance;
      best = name;
    }
  }
  return best.empty() ? "" : "; did you mean " + best + "?";
}

std::vector<std::string> Flags(const CLI::App& command) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  }
  return flags;
}

int UsageError(const CLI::App& main, const std::string& message) {
  const auto chosen = main.get_subcommands();
  const std::string help =
      chosen.empty() ? "podium --help" : "podium " + chosen[0]->get_name() + " --help";
  std::fprintf(stderr, "podium: %s\nSee: %s\n", message.c_str(), help.c_str());
  return kExitUsage;
}

std::string UnknownCommand(const std::string& got, const std::vector<CLI::App*>& commands) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands) names.push_back(command->get_name());
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return "unknown command \"" + got + "\"" + "; commands: " + list + Suggestion(got, names);
}

// What was not expected: a misspelt command or option.
std::string ExtrasMessage(const CLI::App& main, const std::vector<CLI::App*>& commands) {
  const auto chosen = main.get_subcommands();
  const CLI::App& where = chosen.empty() ? main : *chosen[0];
  const std::vector<std::string> extras = main.remaining(true);
  const std::string got = extras.empty() ? "" : extras.front();
  if (!got.empty() && got[0] == '-') {
    const std::string name = got.substr(0, got.find('='));
    return "unknown option " + name + Suggestion(name, Flags(where));
  }
  if (!chosen.empty()) return "unexpected argument \"" + got + "\"";
  return UnknownCommand(got, commands);
}

int PrintHelp(const CLI::App& command) {
  std::fputs(command.help().c_str(), stdout);
  return std::fflush(stdout) == 0 ? kExitOk : kExitError;
}

}  // namespace

std::variant<Command, int> ParseCommandLine(int argc, char** argv) {
  CLI::App main(
      "Podium ranks documents by how well they answer a query, with a cross-encoder model.",
      "podium");
  main.set_help_flag("-h,--help", "Print this help");
  main.footer(kMainExamples);
  bool version = false;
  main.add_flag("-V,--version", version, "Version, commit, compiler, kernel tables");

  RankCommand rank;
  TokenizeCommand tokenize;
  InspectCommand inspect;
  DoctorCommand doctor;
  PullCommand pull;
  CLI::App* rank_app = main.add_subcommand("rank", "Order documents by their score for a query");
  CLI::App* tokenize_app = main.add_subcommand("tokenize", "Show the token ids of texts or a pair");
  CLI::App* inspect_app =
      main.add_subcommand("inspect", "Show what a model is; --verify checks its scores");
  CLI::App* doctor_app =
      main.add_subcommand("doctor", "Show what this machine offers and what Podium uses");
  CLI::App* pull_app = main.add_subcommand("pull", "Download a model from the hub");
  DescribeRank(*rank_app, rank);
  DescribeTokenize(*tokenize_app, tokenize);
  DescribeInspect(*inspect_app, inspect);
  doctor_app->add_option("-m,--model", doctor.model, kModelHelp);
  doctor_app->footer(kDoctorExamples);
  DescribePull(*pull_app, pull);
  LengthsCommand lengths;
  CLI::App* lengths_app = main.add_subcommand(
      "lengths", "Show how long real texts are in tokens, and which maximum length fits them");
  DescribeLengths(*lengths_app, lengths);
  CompareCommand compare;
  CLI::App* compare_app = main.add_subcommand(
      "compare", "Score the same lists with two models, precisions or tables; gate a deployment");
  DescribeCompare(*compare_app, compare);
  ScoreCommand score;
  CLI::App* score_app =
      main.add_subcommand("score", "Score files of pairs or lists, line by line, of any size");
  DescribeScore(*score_app, score);
  EvalCommand eval;
  CLI::App* eval_app =
      main.add_subcommand("eval", "How good a ranking is: nDCG, MRR, MAP, recall, precision");
  DescribeEval(*eval_app, eval);
  ServeCommand serve;
  CLI::App* serve_app = main.add_subcommand("serve", "Serve a model over HTTP");
  DescribeServe(*serve_app, serve);
  BenchCommand bench;
  CLI::App* bench_app = main.add_subcommand(
      "bench", "How fast a model is here, as a share of what the processor can do");
  DescribeBench(*bench_app, bench);
  PackCommand pack;
  CLI::App* pack_app = main.add_subcommand(
      "pack", "Make one file of a model that opens at once; --verify checks such a file");
  DescribePack(*pack_app, pack);
  const std::vector<CLI::App*> commands = {rank_app,    score_app,  eval_app,  tokenize_app,
                                           inspect_app, doctor_app, pull_app,  lengths_app,
                                           compare_app, serve_app,  bench_app, pack_app};
  for (CLI::App* command : commands) RefuseEmptyValues(*command);

  // "podium help COMMAND" is "podium COMMAND --help".
  if (argc > 1 && std::strcmp(argv[1], "help") == 0) {
    const CLI::App* about = &main;
    for (const CLI::App* command : commands) {
      if (argc > 2 && command->get_name() == argv[2]) about = command;
    }
    if (argc > 3) return UsageError(main, "help: expected the name of one command");
    if (argc > 2 && about == &main) return UsageError(main, UnknownCommand(argv[2], commands));
    return PrintHelp(*about);
  }

  // What follows "--" is text, whatever it looks like. CLI11 2.1 forgets that after a positional.
  char** const end = argv + argc;
  char** const mark =
      std::find_if(argv, end, [](const char* word) { return std::strcmp(word, "--") == 0; });
  const std::vector<std::string> literal(mark == end ? end : mark + 1, end);

  try {
    main.parse(static_cast<int>(mark - argv), argv);
  } catch (const CLI::CallForHelp&) {
    const auto chosen = main.get_subcommands();
    return PrintHelp(chosen.empty() ? main : *chosen[0]);
  } catch (const CLI::ExtrasError&) {
    return UsageError(main, ExtrasMessage(main, commands));
  } catch (const CLI::Error& error) {
    return UsageError(main, error.what());
  }
  if (version) return Command(VersionCommand());
  if (rank_app->parsed()) {
    rank.documents.insert(rank.documents.end(), literal.begin(), literal.end());
    return Command(std::move(rank));
  }
  if (tokenize_app->parsed()) {
    tokenize.texts.insert(tokenize.texts.end(), literal.begin(), literal.end());
    return Command(std::move(tokenize));
  }
  if (!literal.empty()) return UsageError(main, "unexpected argument \"" + literal[0] + "\"");
  if (inspect_app->parsed()) return Command(std::move(inspect));
  if (doctor_app->parsed()) return Command(std::move(doctor));
  if (score_app->parsed()) return Command(std::move(score));
  if (eval_app->parsed()) return Command(std::move(eval));
  if (pull_app->parsed()) return Command(std::move(pull));
  if (lengths_app->parsed()) return Command(std::move(lengths));
  if (compare_app->parsed()) return Command(std::move(compare));
  if (serve_app->parsed()) return Command(std::move(serve));
  if (bench_app->parsed()) return Command(std::move(bench));
  if (pack_app->parsed()) return Command(std::move(pack));
  std::fputs(main.help().c_str(), stderr);
  return kExitUsage;
}

}  // namespace podium
