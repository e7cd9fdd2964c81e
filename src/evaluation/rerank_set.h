// Lists to rerank, with their texts and, where there are any, their grades.
#ifndef PODIUM_EVALUATION_RERANK_SET_H_
#define PODIUM_EVALUATION_RERANK_SET_H_

#include <cstddef>
#include <string>
#include <vector>

#include "base/status.h"
#include "evaluation/judgements.h"

namespace podium {

/// A query and the documents that are ranked for it.
struct RerankList {
  std::string id;  // of the query
  std::string query;
  std::vector<std::string> document_ids;  // each once
  std::vector<size_t> documents;          // of each, its place in RerankSet::texts
};

struct RerankSet {
  std::vector<RerankList> lists;
  std::vector<std::string> texts;  // of the documents that lists name, each id once
  /// Also of documents that are no candidates: they count in the ideal ranking and in recall.
  /// Without any query where the data has no labels.
  Judgements judgements;
};

/// Where the documents of a list come from.
enum class Candidates {
  kOwn,     // what the data itself lists for a query
  kJudged,  // the documents that were judged for it
};

struct RerankSetOptions {
  std::string split = {};  // of a BEIR folder: qrels/SPLIT.tsv; "": test, or the only one there is
  std::string qrels = {};  // judgements from this file instead of the data's own
  std::string run = {};    // candidates: the best `depth` of each query of this TREC run
  int depth = 100;
  Candidates candidates = Candidates::kOwn;  // without a run
};

/// Reads one of these forms:
///   a BEIR folder: corpus.jsonl {"_id", "title", "text"}, queries.jsonl {"_id", "text"},
///   qrels/*.tsv;
///     it lists no candidates of its own. A document's text is "title text".
///   queries and passages: [NAME.]queries.jsonl {"id", "query", "relevant": {passage: grade},
///     "candidates": [passage]} beside [NAME.]passages.jsonl {"id", "text"}; the folder, when it
///     has one such pair, or the queries' file.
///   one file of JSON Lines: {"query", "documents": […], "labels": […]?, "id"?}, {"query",
///     "document"} for a single pair, or {"query", "positive": …, "negative": …} ("pos", "neg",
///     "positives", "negatives"). A document is a string or an object with its text, its "id" and
///     its "label"; where it has no id its place in the list is one, and the line's number is the
///     query's.
/// Texts are kept of candidates only, so memory does not grow with the corpus. Errors name file and
/// line, or the query and the document that are missing.
Result<RerankSet> ReadRerankSet(const std::string& path, const RerankSetOptions& options);

/// The judgements alone, of the same forms.
Result<Judgements> ReadDataJudgements(const std::string& path, const std::string& split);

/// Lines of JSON Lines, as ReadRerankSet's third form.
Result<RerankSet> ReadRerankLines(LineReader lines);

}  // namespace podium

#endif  // PODIUM_EVALUATION_RERANK_SET_H_
