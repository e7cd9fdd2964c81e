#include "app/describe.h"

#include <limits>
#include <map>
#include <optional>
#include <span>

#include "app/compare_report.h"

namespace podium {
namespace {

constexpr const char* kLengthsExamples = R"help(
Examples:
  podium lengths lists.jsonl
  podium lengths -m BAAI/bge-reranker-v2-m3 lists.jsonl --plot lengths.svg
  podium lengths beir/scifact --run bm25.trec --lengths 128,256,512 --cover 0.95 --seconds 0

Lists: JSON Lines ({"query": …, "documents": […]} or {"query": …, "document": …}), a BEIR folder with
a run, or queries with candidates beside their passages; see docs/cli.md.)help";

constexpr int kDepthMax = 1'000'000;

const std::map<std::string, Candidates> kCandidates = {{"own", Candidates::kOwn},
                                                       {"judged", Candidates::kJudged}};

constexpr const char* kCompareExamples = R"help(
Examples:
  podium compare isa=avx2 isa=avx512 lists.jsonl
  podium compare BAAI/bge-reranker-base ./my-finetune lists.jsonl --plot compare.svg
  podium compare m,precision=fp32 m,precision=int8 beir/scifact --run bm25.trec \
      --max-delta-mean-sd 0.02 --min-overlap 0.97 --min-ndcg-bound -0.005   # exit code 3 on a miss

A side is MODEL, MODEL,KEY=VALUE,… or KEY=VALUE,… (the default model); keys: precision, isa, threads,
max-length, truncation. A is what B is held against. Lists: see docs/cli.md.)help";

constexpr const char* kBenchExamples = R"help(
Examples:
  podium bench
  podium bench --precision int8 --isa avx512_vnni --threads 1
  podium bench -m BAAI/bge-reranker-v2-m3 --precision int8 --workload 10x30,50x128
  podium bench --sweep --csv sweep.csv --plot sweep.svg)help";

constexpr const char* kPackExamples = R"help(
Examples:
  podium pack BAAI/bge-reranker-v2-m3 -o v2-m3.podium
  podium rank --model v2-m3.podium -q "what is a tomato" -f passages.txt
  podium pack --verify v2-m3.podium
  podium pack ./my-finetune -o mine.podium --calibrate lists.jsonl

The file holds the weights in bytes as --precision int8 makes them, tokenizer and config: see
docs/model_format.md.)help";

}  // namespace

void AddTruncation(CLI::App& command, std::string& truncation) {
  command
      .add_option("--truncation", truncation,
                  "Of a pair that is too long: longest_first; only_second: the document is cut; "
                  "flag_embedding: the query at 3/4 of the limit, then the document")
      ->type_name("RULE")
      ->capture_default_str();
}

void AddEngineOptions(CLI::App& command, OpenOptions& open) {
  command.add_option("-m,--model", open.model, kModelHelp);
  command
      .add_option(
          "--precision", open.precision,
          "fp32 (exact), int8 (faster, scores close) or auto: as a packed file was made, of a "
          "folder fp32")
      ->capture_default_str();
  command.add_option("--isa", open.isa,
                     "Kernel table; default: the best this processor runs (see podium doctor)");
  command.add_option("--threads", open.threads,
                     "Compute threads; default: as many as this process may use");
  command.add_flag(
      "--in-place", open.read_in_place,
      "Use a packed file's weights where they are mapped: shared, opens sooner, slower");
  command.add_flag("--mlock", open.lock_memory,
                   "Keep the weights in memory: never swapped, never dropped and read again");
}

void AddOpenOptions(CLI::App& command, OpenOptions& open) {
  AddEngineOptions(command, open);
  command.add_option("--max-length", open.max_length,
                     "Tokens of a pair, special tokens included; default: the model's own limit");
  AddTruncation(command, open.truncation);
}

void AddListsOptions(CLI::App& command, ListsOptions& lists) {
  RerankSetOptions& set = lists.set;
  command.add_option("lists", lists.path, "Queries with documents: a file or a folder")
      ->type_name("LISTS")
      ->required();
  command.add_option("--split", set.split, "Of a BEIR folder: qrels/SPLIT.tsv; default: test");
  command.add_option("--qrels", set.qrels, "Grades from this file instead of the data's own");
  command.add_option("--run", set.run, "Documents of each query from this TREC run");
  command.add_option("--depth", set.depth, "Best documents of each query of the run")
      ->check(CLI::Range(1, kDepthMax))
      ->capture_default_str();
  AddChoice(command, "--candidates", set.candidates, kCandidates,
            "Without a run: own (what the data lists, the default) or judged (what was judged)");
  command.add_option("--limit", lists.limit, "Lists to take, from the first; 0: all")
      ->check(CLI::Range(0, std::numeric_limits<int>::max()));
}

void DescribeLengths(CLI::App& command, LengthsCommand& lengths) {
  AddListsOptions(command, lengths.lists);
  command
      .add_option("--lengths", lengths.lengths,
                  "Maximum lengths to look at; the model's own limit is added")
      ->delimiter(',')
      ->capture_default_str();
  command.add_option("--cover", lengths.cover, "Share of the pairs that must stay uncut")
      ->capture_default_str();
  command
      .add_option("--seconds", lengths.seconds,
                  "Time to spend on measuring what each length costs; 0: measure nothing")
      ->capture_default_str();
  command.add_option("--plot", lengths.plot, "Write the picture to this SVG file");
  AddChoice(command, "--format", lengths.format, kFactFormats,
            "Default: table on a terminal, else json");
  AddOpenOptions(command, lengths.open);
  command.footer(kLengthsExamples);
}

void DescribeBench(CLI::App& command, BenchCommand& bench) {
  command
      .add_option("--workload", bench.workloads,
                  "What to time: LENGTH (50 pairs, 8 from 512 tokens on), PAIRSxLENGTH, var "
                  "(mixed lengths), or short (10 short documents)")
      ->delimiter(',')
      ->capture_default_str();
  command.add_option("--seconds", bench.seconds, "Time to spend on measuring")
      ->capture_default_str();
  command.add_option("--batch-tokens", bench.open.batch_tokens_max,
                     "Tokens computed together; default: as rank");
  command.add_flag("--sweep", bench.sweep,
                   "Time one batch of each length and budget instead: latency against throughput");
  command.add_option("--budgets", bench.budgets, "Token budgets of --sweep")
      ->delimiter(',')
      ->capture_default_str();
  command.add_option("--lengths", bench.lengths, "Tokens of a pair in --sweep")
      ->delimiter(',')
      ->capture_default_str();
  command.add_option("--csv", bench.csv, "Write the rows to this CSV file");
  command.add_option("--plot", bench.plot, "Write the picture of --sweep to this SVG file");
  AddChoice(command, "--format", bench.format, kFactFormats,
            "Default: table on a terminal, else json");
  AddEngineOptions(command, bench.open);
  command.footer(kBenchExamples);
}

void DescribePack(CLI::App& command, PackCommand& pack) {
  command.add_option("model", pack.model, "Folder or hub name; with --verify the packed file")
      ->type_name("MODEL");
  command.add_option("-o,--output", pack.output, "The file to write; an old one is replaced");
  command.add_flag("--verify", pack.verify,
                   "Compare every section of a packed file with its checksum");
  command
      .add_option("--embeddings", pack.embeddings,
                  "Word embeddings: auto (16 bits) or keep (as the model has them)")
      ->capture_default_str();
  command
      .add_option(
          "--float", pack.in_float,
          "Linear layers that stay as the model has them: layers.N.ffn, layers.N.attention, "
          "N a number or *")
      ->delimiter(',')
      ->type_name("NAMES");
  command
      .add_option(
          "--calibrate", pack.calibrate.path,
          "Pack for texts like these: round weights for what pairs of the lists feed them, and "
          "leave in float what bytes do not suit")
      ->type_name("LISTS");
  command.add_option("--pairs", pack.pairs, "Pairs of --calibrate")
      ->check(CLI::Range(2, kCalibratedPairsMax))
      ->type_name("")
      ->capture_default_str();
  command
      .add_option("--target", pack.target_sd,
                  "Mean error that --calibrate is content with, in standard deviations of the fp32 "
                  "logits")
      ->check(CLI::Range(0.0, 1.0))
      ->type_name("")
      ->capture_default_str();
  command
      .add_option("--float-share", pack.float_share,
                  "Of the work of linear layers, what --calibrate may leave in float at most")
      ->check(CLI::Range(0.0, 1.0))
      ->type_name("")
      ->capture_default_str();
  command
      .add_option("--threads", pack.threads, "Threads; default: as many as this process may use")
      ->check(CLI::Range(0, 1024))
      ->type_name("");
  AddChoice(command, "--format", pack.format, kFactFormats,
            "Default: table on a terminal, else json");
  command.footer(kPackExamples);
}

void DescribeCompare(CLI::App& command, CompareCommand& compare) {
  command.add_option("a", compare.a, "What is held to be right: MODEL[,KEY=VALUE…]")
      ->type_name("A")
      ->required();
  command.add_option("b", compare.b, "What is compared with it")->type_name("B")->required();
  AddListsOptions(command, compare.lists);
  command.add_option("--k", compare.k, "Best documents that count in overlap and nDCG")
      ->capture_default_str();
  command
      .add_option("--noise-sd", compare.noise_sd,
                  "Documents closer than this in A are no pair for Kendall's τ; in standard "
                  "deviations of A's logits")
      ->capture_default_str();
  command.add_option("--rounds", compare.rounds, "Rounds of the bootstrap")->capture_default_str();
  command.add_option("--confidence", compare.confidence, "Of the bootstrap's interval")
      ->capture_default_str();
  command.add_option("--seed", compare.seed, "Of the bootstrap")->capture_default_str();
  const std::span<const GateRule> rules = GateRules();
  compare.bounds.resize(rules.size());
  for (size_t i = 0; i < rules.size(); ++i) {
    std::optional<double>& bound = compare.bounds[i];
    command
        .add_option_function<double>(
            rules[i].flag, [&bound](const double& value) { bound = value; }, rules[i].help)
        ->group("Thresholds (exit code 3 when one is missed)");
  }
  command.add_option("--plot", compare.plot, "Write the picture to this SVG file");
  AddChoice(command, "--format", compare.format, kFactFormats,
            "Default: table on a terminal, else json");
  command.footer(kCompareExamples);
}

}  // namespace podium
