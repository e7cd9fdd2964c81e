#include <unistd.h>

#include <chrono>
#include <cstdio>

#include "app/commands.h"
#include "app/display_width.h"
#include "app/input.h"
#include "app/rank_output.h"
#include "base/concat.h"
#include "podium/reranker.h"

namespace podium {
namespace {

using Clock = std::chrono::steady_clock;

std::string Milliseconds(Clock::duration time) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f ms",
                std::chrono::duration<double, std::milli>(time).count());
  return text;
}

// Documents from the arguments, or from the file or standard input.
Result<RankInput> Gather(const RankCommand& command, const std::atomic<bool>& cancel) {
  RankInput input;
  input.documents = command.documents;
  const bool reads =
      !command.file.empty() || (command.documents.empty() && isatty(STDIN_FILENO) == 0);
  if (reads) {
    const std::string path = command.file.empty() ? "-" : command.file;
    PODIUM_ASSIGN_OR_RETURN(const std::string text, ReadInput(path, cancel));
    PODIUM_ASSIGN_OR_RETURN(input, ParseInput(text, path == "-" ? "standard input" : path,
                                              command.input, command.text_field));
  }
  if (command.query) input.query = command.query;
  return input;
}

void Print(const RankingView& view, OutputFormat format, Output& out) {
  switch (format) {
    case OutputFormat::kTable:
      out.Write(RankingTable(view, out.columns(), out.has_style()));
      return;
    case OutputFormat::kJson:
      out.Write(RankingJson(view));
      return;
    case OutputFormat::kTsv:
      for (const RankedDocument& result : view.ranking) out.Write(ResultTsvLine(view, result));
      return;
    case OutputFormat::kJsonl:
    case OutputFormat::kAuto:
      for (const RankedDocument& result : view.ranking) out.Write(ResultJsonLine(view, result));
      return;
  }
}

}  // namespace

int Run(const RankCommand& command, Session session) {
  if (!command.file.empty() && !command.documents.empty()) {
    return UsageFail("documents come from the arguments or from --file, not from both", "rank");
  }
  if (command.documents.empty() && command.file.empty() && isatty(STDIN_FILENO) == 1) {
    return UsageFail("no documents: give them as arguments, with --file, or on standard input",
                     "rank");
  }
  const Clock::time_point start = Clock::now();
  OpenOptions open = command.open;
  auto model = ChooseModel(open.model);
  if (!model.ok()) return Fail(model.status());
  open.model = *std::move(model);
  auto input = Gather(command, session.cancel);
  if (!input.ok()) return Fail(input.status());
  if (!input->query) {
    return UsageFail("no query: give it with --query, or as \"query\" in the JSON input", "rank");
  }
  const Clock::time_point read = Clock::now();
  auto reranker = Reranker::Open(open);
  if (!reranker.ok()) return Fail(reranker.status());
  const Clock::time_point opened = Clock::now();

  const std::vector<std::string_view> documents(input->documents.begin(), input->documents.end());
  RankOptions options;
  options.top_n = command.top_n;
  options.cancel = &session.cancel;
  const auto ranking = (*reranker)->Rank(*input->query, documents, options);
  if (!ranking.ok()) return Fail(ranking.status());
  const Clock::time_point ranked = Clock::now();

  const ModelInfo& info = (*reranker)->info();
  OutputFormat format = command.format;
  if (format == OutputFormat::kAuto) {
    format = session.out.is_terminal() ? OutputFormat::kTable : OutputFormat::kJsonl;
  }
  const ScoreKind scores = ChosenScores(command.scores, info);
  Print({*input->query, info.name, info.precision, info.isa, documents, *ranking, scores}, format,
        session.out);
  if (Status status = session.out.Finish(); !status.ok()) return Fail(status);
  const bool table = format == OutputFormat::kTable;
  if (command.time || (table && isatty(STDERR_FILENO) == 1)) {
    const std::string name = Printable(info.name, 100);
    std::fprintf(
        stderr, "%zu documents in %s; model read in %s; input read in %s; %s %s %s, %d thread%s\n",
        documents.size(), Milliseconds(ranked - opened).c_str(),
        Milliseconds(opened - read).c_str(), Milliseconds(read - start).c_str(), name.c_str(),
        info.precision.c_str(), info.isa.c_str(), info.threads, info.threads == 1 ? "" : "s");
  }
  return kExitOk;
}

}  // namespace podium
