#include "evaluation/rerank_set.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "base/concat.h"
#include "evaluation/columns.h"
#include "evaluation/json_line.h"
#include "evaluation/trec_run.h"

namespace podium {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kQueriesEnd = "queries.jsonl";
constexpr std::string_view kPassagesEnd = "passages.jsonl";

bool IsFile(const std::string& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

// Names in a folder that end so, sorted.
Result<std::vector<std::string>> NamesEndingWith(const std::string& folder, std::string_view end) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), last; !error && it != last; it.increment(error)) {
    std::string name = it->path().filename().string();
    if (name.ends_with(end)) names.push_back(std::move(name));
  }
  if (error) return NotFound(Concat(folder, ": ", error.message()));
  std::sort(names.begin(), names.end());
  return names;
}

std::string Listed(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return list.empty() ? "none" : list;
}

enum class Form { kBeir, kQueriesAndPassages, kLines };

struct Place {
  Form form;
  std::string documents;  // corpus or passages
  std::string queries;    // or the file of lines
  std::string qrels;      // of BEIR
};

Result<std::string> FindSplit(const std::string& folder, const std::string& split) {
  const std::string name = split.empty() ? "test" : split;
  if (const std::string path = Concat(folder, "/qrels/", name, ".tsv"); IsFile(path)) return path;
  PODIUM_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                          NamesEndingWith(folder + "/qrels", ".tsv"));
  if (split.empty() && names.size() == 1) return Concat(folder, "/qrels/", names[0]);
  return NotFound(
      Concat(folder, "/qrels/", name, ".tsv: no such split; there are: ", Listed(names)));
}

Result<Place> PairOf(std::string queries) {
  std::string passages = queries.substr(0, queries.size() - kQueriesEnd.size());
  passages += kPassagesEnd;
  if (!IsFile(passages)) {
    return NotFound(Concat(passages, ": no such file; ", queries, " needs its passages there"));
  }
  return Place{Form::kQueriesAndPassages, std::move(passages), std::move(queries), ""};
}

Result<Place> Locate(const std::string& path, const RerankSetOptions& options) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    if (path.ends_with(kQueriesEnd)) return PairOf(path);
    return Place{Form::kLines, "", path, ""};
  }
  if (IsFile(path + "/corpus.jsonl")) {
    Place place{Form::kBeir, path + "/corpus.jsonl", path + "/queries.jsonl", options.qrels};
    if (place.qrels.empty()) {
      PODIUM_ASSIGN_OR_RETURN(place.qrels, FindSplit(path, options.split));
    }
    return place;
  }
  PODIUM_ASSIGN_OR_RETURN(const std::vector<std::string> names, NamesEndingWith(path, kQueriesEnd));
  if (names.size() == 1) return PairOf(Concat(path, "/", names[0]));
  if (names.empty()) {
    return NotFound(Concat(path,
                           ": expected corpus.jsonl with queries.jsonl and qrels/, or "
                           "queries.jsonl with passages.jsonl"));
  }
  return InvalidArgument(
      Concat(path, ": several sets of queries (", Listed(names), "); name one of these files"));
}

// Queries and, where they have them, candidates; grades go to the judgements.
Status ReadQueries(const Place& place, const TextMap<int>* only, RerankSet* set,
                   Judgements* judgements, std::vector<std::vector<std::string>>* candidates) {
  const bool beir = place.form == Form::kBeir;
  TextMap<int> seen;
  PODIUM_ASSIGN_OR_RETURN(LineReader lines, LineReader::Open(place.queries));
  const auto read = [&](json::Value object, const std::string& where) -> Status {
    const auto id_value = FindFirst(object, {"_id", "id"});
    if (!id_value) return InvalidArgument(Concat(where, ": no \"", beir ? "_id" : "id", "\""));
    PODIUM_ASSIGN_OR_RETURN(std::string id, IdOf(*id_value, where));
    if (only != nullptr && !only->contains(id)) return OkStatus();
    if (!seen.emplace(id, 0).second) {
      return InvalidArgument(Concat(where, ": query id ", Quoted(id), " for the second time"));
    }
    PODIUM_ASSIGN_OR_RETURN(const std::string_view text,
                            TextMember(object, beir ? "text" : "query", where));
    Status status;
    if (judgements != nullptr) {
      const auto relevant = object.Find("relevant");
      if (relevant && !relevant->is(json::Type::kObject)) {
        return InvalidArgument(
            Concat(where, ": \"relevant\" must be an object, got ", relevant->type_name()));
      }
      if (relevant) judgements->AddQuery(id);
      if (relevant) {
        relevant->ForEachMember([&](std::string_view document, json::Value grade) {
          const auto value = GradeOf(grade, where);
          status = value.ok() ? judgements->Add(id, document, *value) : value.status();
          if (value.ok() && !status.ok()) {
            status = InvalidArgument(Concat(where, ": ", status.message()));
          }
          return status.ok();
        });
      }
      PODIUM_RETURN_IF_ERROR(status);
    }
    std::vector<std::string> ids;
    if (const auto list = object.Find("candidates"); list && !beir) {
      if (!list->is(json::Type::kArray)) {
        return InvalidArgument(
            Concat(where, ": \"candidates\" must be an array, got ", list->type_name()));
      }
      list->ForEachElement([&](json::Value value) {
        auto document = IdOf(value, where);
        if (document.ok()) ids.push_back(std::move(*document));
        status = document.status();
        return status.ok();
      });
      PODIUM_RETURN_IF_ERROR(status);
    }
    candidates->push_back(std::move(ids));
    set->lists.push_back({std::move(id), std::string(text), {}, {}});
    return OkStatus();
  };
  return ForEachJsonLine(std::move(lines), read);
}

// Gives each list its documents, and says which texts are wanted.
Status ChooseCandidates(const Place& place, const RerankSetOptions& options,
                        std::vector<std::vector<std::string>> own, RerankSet* set,
                        TextMap<size_t>* wanted) {
  std::optional<TrecRun> run;
  if (!options.run.empty()) {
    PODIUM_ASSIGN_OR_RETURN(run, ReadRun(options.run, &set->judgements));
  }
  if (!run && options.candidates == Candidates::kOwn && place.form == Form::kBeir) {
    return InvalidArgument(Concat(place.queries,
                                  ": this form of data lists no candidates; give a "
                                  "run to take them from, or rank the judged ones"));
  }
  for (size_t i = 0; i < set->lists.size(); ++i) {
    RerankList& list = set->lists[i];
    const Judgements::Query* judged = set->judgements.Find(list.id);
    if (run) {
      const TrecRun::Query* found = run->Find(list.id);
      const size_t count =
          found == nullptr ? 0
                           : std::min(found->entries.size(), static_cast<size_t>(options.depth));
      for (size_t n = 0; n < count; ++n) list.document_ids.push_back(found->entries[n].document);
    } else if (options.candidates == Candidates::kJudged) {
      if (judged != nullptr) {
        for (const auto& [document, grade] : judged->grades) list.document_ids.push_back(document);
      }
      std::sort(list.document_ids.begin(), list.document_ids.end());  // a map has no order
    } else {
      list.document_ids = std::move(own[i]);
    }
    TextMap<int> seen;
    for (const std::string& id : list.document_ids) {
      if (!seen.emplace(id, 0).second) {
        return InvalidArgument(Concat(place.queries, ": query ", Quoted(list.id), " has candidate ",
                                      Quoted(id), " twice"));
      }
      list.documents.push_back(wanted->emplace(id, wanted->size()).first->second);
    }
  }
  return OkStatus();
}

Status ReadTexts(const Place& place, const TextMap<size_t>& wanted, RerankSet* set) {
  std::vector<bool> found(wanted.size());
  set->texts.resize(wanted.size());
  PODIUM_ASSIGN_OR_RETURN(LineReader lines, LineReader::Open(place.documents));
  const auto read = [&](json::Value object, const std::string& where) -> Status {
    const auto id_value = FindFirst(object, {"_id", "id"});
    if (!id_value) {
      return InvalidArgument(
          Concat(where, ": no \"", place.form == Form::kBeir ? "_id" : "id", "\""));
    }
    PODIUM_ASSIGN_OR_RETURN(const std::string id, IdOf(*id_value, where));
    const auto place_in_set = wanted.find(id);
    if (place_in_set == wanted.end()) return OkStatus();
    if (found[place_in_set->second]) {
      return InvalidArgument(Concat(where, ": document id ", Quoted(id), " for the second time"));
    }
    found[place_in_set->second] = true;
    PODIUM_ASSIGN_OR_RETURN(const std::string_view text, TextMember(object, "text", where));
    std::string& kept = set->texts[place_in_set->second];
    if (const auto title = object.Find("title")) {
      if (const auto title_text = title->AsString(); title_text && !title_text->empty()) {
        kept = Concat(*title_text, " ");
      }
    }
    kept += text;
    return OkStatus();
  };
  PODIUM_RETURN_IF_ERROR(ForEachJsonLine(std::move(lines), read));
  for (const RerankList& list : set->lists) {
    for (size_t i = 0; i < list.documents.size(); ++i) {
      if (!found[list.documents[i]]) {
        return NotFound(Concat(place.documents, ": no document ", Quoted(list.document_ids[i]),
                               ", a candidate of query ", Quoted(list.id)));
      }
    }
  }
  return OkStatus();
}

}  // namespace

Result<RerankSet> ReadRerankSet(const std::string& path, const RerankSetOptions& options) {
  PODIUM_ASSIGN_OR_RETURN(const Place place, Locate(path, options));
  if (place.form == Form::kLines) {
    if (!options.run.empty() || options.candidates != Candidates::kOwn) {
      return InvalidArgument(Concat(path,
                                    ": its lines hold their own documents; a run or another "
                                    "choice of candidates does not go with them"));
    }
    PODIUM_ASSIGN_OR_RETURN(LineReader lines, LineReader::Open(path));
    PODIUM_ASSIGN_OR_RETURN(RerankSet set, ReadRerankLines(std::move(lines)));
    if (!options.qrels.empty()) {
      PODIUM_ASSIGN_OR_RETURN(set.judgements, ReadJudgements(options.qrels));
    }
    return set;
  }
  RerankSet set;
  const std::string& qrels = place.form == Form::kBeir ? place.qrels : options.qrels;
  if (!qrels.empty()) {
    PODIUM_ASSIGN_OR_RETURN(set.judgements, ReadJudgements(qrels));
  }
  TextMap<int> judged;  // of BEIR's queries, which are those of all splits
  for (const Judgements::Query& query : set.judgements.queries()) judged.emplace(query.id, 0);
  std::vector<std::vector<std::string>> own;
  PODIUM_RETURN_IF_ERROR(ReadQueries(place, qrels.empty() ? nullptr : &judged, &set,
                                     qrels.empty() ? &set.judgements : nullptr, &own));
  if (!qrels.empty() && set.lists.size() < judged.size()) {
    TextMap<int> there;
    for (const RerankList& list : set.lists) there.emplace(list.id, 0);
    for (const Judgements::Query& query : set.judgements.queries()) {
      if (!there.contains(query.id)) {
        return NotFound(Concat(place.queries, ": no query ", Quoted(query.id), ", which ", qrels,
                               " has judged"));
      }
    }
  }
  TextMap<size_t> wanted;
  PODIUM_RETURN_IF_ERROR(ChooseCandidates(place, options, std::move(own), &set, &wanted));
  PODIUM_RETURN_IF_ERROR(ReadTexts(place, wanted, &set));
  return set;
}

Result<Judgements> ReadDataJudgements(const std::string& path, const std::string& split) {
  RerankSetOptions options;
  options.split = split;
  PODIUM_ASSIGN_OR_RETURN(const Place place, Locate(path, options));
  if (place.form == Form::kBeir) return ReadJudgements(place.qrels);
  RerankSet set;
  if (place.form == Form::kLines) {
    PODIUM_ASSIGN_OR_RETURN(LineReader lines, LineReader::Open(path));
    PODIUM_ASSIGN_OR_RETURN(set, ReadRerankLines(std::move(lines)));
  } else {
    std::vector<std::vector<std::string>> own;
    PODIUM_RETURN_IF_ERROR(ReadQueries(place, nullptr, &set, &set.judgements, &own));
  }
  return std::move(set.judgements);
}

}  // namespace podium
