// The command line as nested structs: every field with its default and unit.
//
// app/ is main(): it reads the command line, builds the parts, joins them and prints. It may
// include every folder but tests; CLI11 is seen in options.cc and describe*.* only. One thread,
// but for what the ranker starts.
#ifndef PODIUM_APP_OPTIONS_H_
#define PODIUM_APP_OPTIONS_H_

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "evaluation/rerank_set.h"
#include "podium/types.h"

namespace podium {

enum class InputKind { kAuto, kLines, kJsonl, kJson };
/// kAuto: a table on a terminal, JSON Lines elsewhere.
enum class OutputFormat { kAuto, kTable, kJson, kJsonl, kTsv };
/// kModel: as the model's own files say.
enum class ScoreKind { kModel, kSigmoid, kRaw };

struct RankCommand {
  OpenOptions open;
  std::optional<std::string> query;
  std::vector<std::string> documents;
  std::string file;  // "" for none, "-" for standard input
  InputKind input = InputKind::kAuto;
  std::string text_field;  // "" for the first of the usual names that is there
  int top_n = -1;          // negative: all
  ScoreKind scores = ScoreKind::kModel;
  OutputFormat format = OutputFormat::kAuto;
  bool time = false;  // time line on stderr also where nobody looks
};

struct TokenizeCommand {
  std::string model;
  std::vector<std::string> texts;
  std::optional<std::string> query;  // with document: a pair
  std::optional<std::string> document;
  int max_length = 0;
  std::string truncation = "longest_first";
  OutputFormat format = OutputFormat::kAuto;
};

struct InspectCommand {
  OpenOptions open;
  bool verify = false;
  OutputFormat format = OutputFormat::kAuto;
};

struct DoctorCommand {
  std::string model;
};

struct PullCommand {
  std::string model;     // org/name or org/name@revision
  std::string revision;  // "" for the one in the name, else main
  std::string to;        // "" for the cache
  bool offline = false;
  bool quiet = false;
  int retries = 5;
};

/// Labelled lists, and what takes the place of their own documents and grades.
struct ListsOptions {
  std::string path;  // a file or folder, "-" for standard input
  RerankSetOptions set;
  int limit = 0;  // lists; 0 for all
};

/// Seconds of measuring, at most.
constexpr double kTimedSecondsMax = 3600;

struct LengthsCommand {
  OpenOptions open;
  ListsOptions lists;
  std::vector<int> lengths = {64, 128, 192, 256, 384, 512, 768, 1024, 2048, 4096, 8192};
  double cover = 0.99;  // share of the pairs that must stay uncut
  double seconds = 10;  // of measuring; 0 for none
  std::string plot;     // "" for none
  OutputFormat format = OutputFormat::kAuto;
};

/// Rounds of the bootstrap, at most.
constexpr int kBootstrapRoundsMax = 1'000'000;

struct CompareCommand {
  std::string a;  // sides, as side.h has them
  std::string b;
  ListsOptions lists;
  int k = 10;
  double noise_sd = 0.05;
  int rounds = 10000;
  double confidence = 0.95;
  uint64_t seed = 1;
  std::vector<std::optional<double>> bounds;  // of GateRules()
  std::string plot;                           // "" for none
  OutputFormat format = OutputFormat::kAuto;
};

enum class ScoreInputKind { kAuto, kJsonl, kTsv };
enum class ScoreOutputFormat {
  kSame,  // the lines of the input with scores behind them
  kTrec,  // a TREC run
};

struct ScoreCommand {
  OpenOptions open;
  std::string file;    // "" or "-" for standard input
  std::string output;  // "" for standard output
  ScoreInputKind input = ScoreInputKind::kAuto;
  ScoreOutputFormat format = ScoreOutputFormat::kSame;
  std::optional<std::string> query;  // of every line
  // Members of a line of JSON, or columns of a TSV; "" for the usual ones.
  std::string query_field;
  std::string document_field;
  std::string documents_field;
  std::string query_id_field;
  std::string document_id_field;
  std::string score_field;
  bool header = false;  // the first line of a TSV names its columns
  ScoreKind scores = ScoreKind::kModel;
  bool skip_bad_lines = false;
  bool resume = false;
  bool force = false;  // write an output file anew
  bool time = false;
};

struct EvalCommand {
  OpenOptions open;
  ListsOptions lists;  // no path when qrels and run are all there is
  std::string metrics = "ndcg@10,mrr@10,map,recall@100";
  bool skip_missing = false;  // queries that the run lacks
  bool per_query = false;
  bool interval = false;  // bootstrap bounds of each mean
  std::string write_run;  // "" for none
  OutputFormat format = OutputFormat::kAuto;
};

struct ServeCommand {
  std::map<std::string, std::string> given;  // settings by name (serve_options.h)
  bool print_config = false;
};

struct BenchCommand {
  OpenOptions open;  // its batch_tokens_max too
  std::vector<std::string> workloads = {"128", "256", "512", "var"};
  double seconds = 20;  // of measuring; at most kTimedSecondsMax
  bool sweep = false;
  std::vector<int> budgets = {64, 128, 256, 512, 1024, 2048, 4096, 8192};
  std::vector<int> lengths = {32, 128, 512};
  std::string csv;   // "" for none
  std::string plot;  // "" for none
  OutputFormat format = OutputFormat::kAuto;
};

/// Pairs that `pack --calibrate` scores, at most.
constexpr int kCalibratedPairsMax = 100'000;

struct PackCommand {
  std::string model;   // of --verify the packed file
  std::string output;  // the file to write
  std::string embeddings = "auto";
  std::vector<std::string> in_float;
  ListsOptions calibrate;  // no path: what in_float says is all
  int pairs = 128;
  double target_sd = 0.02;
  double float_share = 0.1;
  int threads = 0;
  bool verify = false;
  OutputFormat format = OutputFormat::kAuto;
};

/// `podium help [COMMAND]` is answered by ParseCommandLine.
struct VersionCommand {};

using Command = std::variant<RankCommand, TokenizeCommand, InspectCommand, DoctorCommand,
                             PullCommand, LengthsCommand, CompareCommand, ScoreCommand, EvalCommand,
                             ServeCommand, BenchCommand, PackCommand, VersionCommand>;

/// Exit codes of the program.
constexpr int kExitOk = 0;
constexpr int kExitError = 1;          // the work could not be done; a message says why
constexpr int kExitUsage = 2;          // the command line is wrong
constexpr int kExitThreshold = 3;      // `compare`: done, and a threshold was missed
constexpr int kExitInterrupted = 130;  // Ctrl-C

/// The command, or the exit code when help was printed or the line was wrong (message on stderr).
std::variant<Command, int> ParseCommandLine(int argc, char** argv);

}  // namespace podium

#endif  // PODIUM_APP_OPTIONS_H_
