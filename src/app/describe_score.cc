#include <map>

#include "app/describe.h"

namespace podium {
namespace {

constexpr const char* kScoreExamples = R"help(
Examples:
  podium score pairs.jsonl -o scored.jsonl              # {"query", "document", …} gets "score" and "truncated"
  podium score lists.jsonl -o scored.jsonl --resume     # {"query", "documents": […]} gets "scores"; goes on
  cut -f 3,4 top1000.tsv | podium score --input tsv --scores raw > scores.tsv
  podium score top1000.tsv --query-id-field 1 --document-id-field 2 --query-field 3 --document-field 4 \
    --format trec -o run.txt

Output: each line of the input, in its order, with the scores behind what it holds.)help";

constexpr const char* kEvalExamples = R"help(
Examples:
  podium eval --qrels qrels.txt --run run.txt                     # an existing run
  podium eval beir/scifact --run bm25.txt -m BAAI/bge-reranker-base --metrics ndcg@10,recall@100
  podium eval lists.jsonl --per-query --format json               # {"query", "positive": […], "negative": […]}
  podium eval help/lo-en.queries.jsonl --metrics ndcg_exp@10 --interval

Metrics: ndcg (gain = grade), ndcg_exp (gain = 2^grade - 1), mrr, map, recall, p, each with @CUTOFF behind it.
Without --run, or with --run and --model, the model ranks; with --run alone the run is evaluated.)help";

const std::map<std::string, ScoreInputKind> kScoreInputs = {{"auto", ScoreInputKind::kAuto},
                                                            {"jsonl", ScoreInputKind::kJsonl},
                                                            {"tsv", ScoreInputKind::kTsv}};
const std::map<std::string, ScoreOutputFormat> kScoreOutputs = {{"same", ScoreOutputFormat::kSame},
                                                                {"trec", ScoreOutputFormat::kTrec}};
const std::map<std::string, bool> kOnError = {{"stop", false}, {"skip", true}};

}  // namespace

void DescribeScore(CLI::App& command, ScoreCommand& score) {
  command.add_option("file", score.file, "Lines to score; default, and -: standard input")
      ->type_name("FILE");
  command.add_option("-o,--output", score.output, "Write here instead of standard output");
  AddChoice(command, "--input", score.input, kScoreInputs,
            "What the lines are; auto: by the file's name, else by the first line");
  AddChoice(command, "--format", score.format, kScoreOutputs,
            "same: the input's lines with scores (default); trec: a TREC run, best first");
  AddOptionalText(command, "-q,--query", score.query, "The query of every line");
  command.add_option("--query-field", score.query_field,
                     "Member of JSON, or column of TSV, with the query; default: query, or 1");
  command.add_option(
      "--document-field", score.document_field,
      "The document; default: document, text, passage or content, or column 2 (1 with "
      "--query). Of documents that are objects: the member with the text");
  command.add_option("--documents-field", score.documents_field,
                     "A list of documents; default: documents");
  command.add_option("--query-id-field", score.query_id_field, "For a run: the query's id");
  command.add_option("--document-id-field", score.document_id_field,
                     "For a run: the document's id");
  command.add_option("--score-field", score.score_field,
                     "Name of the member that is added; default: score, of lists scores");
  command.add_flag("--header", score.header, "The first line of a TSV names its columns");
  AddChoice(
      command, "--scores", score.scores, kScoreKinds,
      "model: as its files say, else sigmoid (default); sigmoid: 0 to 1; raw: the logit, as a run "
      "always has");
  AddChoice(command, "--on-error", score.skip_bad_lines, kOnError,
            "A line that cannot be scored: stop there (default), or skip and count it");
  command.add_flag("--resume", score.resume,
                   "Go on with an output file that was cut off, if it fits input and model");
  command.add_flag("--force", score.force, "Write an output file anew that exists");
  command.add_flag("--time", score.time, "Print the time taken on standard error");
  AddOpenOptions(command, score.open);
  command.footer(kScoreExamples);
}

void DescribeEval(CLI::App& command, EvalCommand& eval) {
  AddListsOptions(command, eval.lists);
  CLI::Option* lists = command.get_option("lists")->required(false);
  command.add_option("--data", eval.lists.path, "The same")->excludes(lists);
  command.add_option("--metrics", eval.metrics, "What to compute, with commas between")
      ->capture_default_str();
  command.add_flag("--skip-missing", eval.skip_missing,
                   "Leave out judged queries that the run lacks, instead of counting them with 0");
  command.add_flag("--per-query", eval.per_query, "Also the values of each query");
  command.add_flag("--interval", eval.interval, "Bootstrap 95% bounds of each mean");
  command.add_option("--write-run", eval.write_run,
                     "Write the ranking to this file, as a TREC run");
  AddChoice(command, "--format", eval.format, kFactFormats,
            "Default: table on a terminal, else json");
  AddOpenOptions(command, eval.open);
  command.footer(kEvalExamples);
}

}  // namespace podium
