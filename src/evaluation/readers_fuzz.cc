// Any bytes as judgements, a run or lists: no crash, and what was read keeps its own rules.
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

#include "base/check.h"
#include "evaluation/evaluation.h"
#include "evaluation/rerank_set.h"

namespace podium {
namespace {

LineReader Lines(std::string_view text) {
  return LineReader::OfText(text, "fuzz", {.line_bytes_max = 4096});
}

void CheckEvaluation(const Judgements& judgements, const TrecRun& run) {
  static const std::vector<Metric> metrics =
      *ParseMetrics("ndcg,ndcg@3,ndcg_exp@10,mrr,map@2,recall@1,p@5");
  const Evaluation evaluation = EvaluateRun(judgements, run, metrics, MissingQueries::kZero);
  for (const Evaluation::Query& query : evaluation.queries) {
    for (const double value : query.values) PODIUM_CHECK(value >= 0 && value <= 1 + 1e-9);
  }
}

// The first byte chooses where the judgements end and the run starts.
void ReadBoth(std::string_view text) {
  const size_t cut = text.size() * static_cast<unsigned char>(text[0]) / 255;
  const auto judgements = ReadJudgements(Lines(text.substr(1, cut)));
  const auto run = ReadRun(Lines(text.substr(std::min(cut + 1, text.size()))), nullptr);
  if (run.ok()) {
    std::string again;
    for (const TrecRun::Query& query : run->queries()) {
      std::set<std::string> seen;
      for (size_t i = 0; i < query.entries.size(); ++i) {
        const RunEntry& entry = query.entries[i];
        PODIUM_CHECK(seen.insert(entry.document).second);
        PODIUM_CHECK(i == 0 || RanksBefore(query.entries[i - 1], entry));
        const auto line = RunLine(query.id, entry.document, i + 1, entry.score, "t");
        PODIUM_CHECK(line.ok());
        again += *line;
      }
    }
    // A run that is written reads back, unless its lines grew over the limit.
    const auto twice = ReadRun(LineReader::OfText(again, "again", LineReader::Limits()), nullptr);
    PODIUM_CHECK(twice.ok() && twice->queries().size() == run->queries().size());
  }
  if (judgements.ok() && run.ok()) CheckEvaluation(*judgements, *run);
}

}  // namespace
}  // namespace podium

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (text.empty()) return 0;
  podium::ReadBoth(text);
  const auto set = podium::ReadRerankLines(podium::Lines(text));
  if (!set.ok()) return 0;
  for (const podium::RerankList& list : set->lists) {
    PODIUM_CHECK(list.documents.size() == list.document_ids.size());
    for (const size_t document : list.documents) PODIUM_CHECK(document < set->texts.size());
    const auto* judged = set->judgements.Find(list.id);
    PODIUM_CHECK(judged == nullptr || judged->grades.size() <= list.documents.size());
  }
  return 0;
}
