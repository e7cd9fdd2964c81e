// JSON Lines with the documents inside.
#include <utility>

#include "base/concat.h"
#include "evaluation/columns.h"
#include "evaluation/document_text.h"
#include "evaluation/json_line.h"
#include "evaluation/rerank_set.h"

namespace podium {
namespace {

class LineOfSet {
 public:
  LineOfSet(RerankSet& set, TextMap<int>& seen_queries, const std::string& where)
      : set_(set), seen_queries_(seen_queries), where_(where) {}

  // `grade` is null where the document says so itself, or where nobody does.
  Status AddDocument(json::Value value, const int* grade) {
    PODIUM_ASSIGN_OR_RETURN(const std::string_view text, DocumentText(value, where_, ""));
    std::string id = Concat(list_.document_ids.size());
    if (const auto own = FindFirst(value, {"id", "_id"})) {
      PODIUM_ASSIGN_OR_RETURN(id, IdOf(*own, where_));
    }
    if (!seen_.emplace(id, 0).second) {
      return InvalidArgument(Concat(where_, ": document id ", Quoted(id), " twice in one list"));
    }
    int own_grade = 0;
    if (grade == nullptr) {
      if (const auto label = FindFirst(value, {"label", "relevance"})) {
        PODIUM_ASSIGN_OR_RETURN(own_grade, GradeOf(*label, where_));
        grade = &own_grade;
      }
    }
    if (grade != nullptr) PODIUM_RETURN_IF_ERROR(set_.judgements.Add(list_.id, id, *grade));
    list_.document_ids.push_back(std::move(id));
    list_.documents.push_back(set_.texts.size());
    set_.texts.emplace_back(text);
    return OkStatus();
  }

  Status AddDocuments(json::Value value, const int* grade) {
    if (!value.is(json::Type::kArray)) return AddDocument(value, grade);
    Status status;
    value.ForEachElement([&](json::Value element) {
      status = AddDocument(element, grade);
      return status.ok();
    });
    return status;
  }

  Status AddLabelled(json::Value documents, json::Value labels) {
    if (!documents.is(json::Type::kArray) || !labels.is(json::Type::kArray) ||
        documents.size() != labels.size()) {
      return InvalidArgument(Concat(where_, ": ", documents.size(), " documents and ",
                                    labels.size(),
                                    " labels; expected two lists of the same length"));
    }
    std::vector<int> grades;
    Status status;
    labels.ForEachElement([&](json::Value label) {
      const auto grade = GradeOf(label, where_);
      if (grade.ok()) grades.push_back(*grade);
      status = grade.status();
      return status.ok();
    });
    PODIUM_RETURN_IF_ERROR(status);
    size_t next = 0;
    documents.ForEachElement([&](json::Value document) {
      status = AddDocument(document, &grades[next++]);
      return status.ok();
    });
    return status;
  }

  Status Read(json::Value object, std::string default_id) {
    list_.id = std::move(default_id);
    if (const auto id = FindFirst(object, {"id", "_id", "query_id", "qid"})) {
      PODIUM_ASSIGN_OR_RETURN(list_.id, IdOf(*id, where_));
    }
    if (!seen_queries_.emplace(list_.id, 0).second) {
      return InvalidArgument(
          Concat(where_, ": query id ", Quoted(list_.id), " for the second time"));
    }
    PODIUM_ASSIGN_OR_RETURN(const std::string_view query, TextMember(object, "query", where_));
    list_.query = query;
    const auto documents = FindFirst(object, {"documents", "passages", "texts", "document"});
    const auto labels = FindFirst(object, {"labels", "relevance"});
    const auto positive = FindFirst(object, {"positive", "positives", "pos"});
    const auto negative = FindFirst(object, {"negative", "negatives", "neg"});
    if (documents && labels) {
      set_.judgements.AddQuery(list_.id);
      PODIUM_RETURN_IF_ERROR(AddLabelled(*documents, *labels));
    } else if (documents) {
      PODIUM_RETURN_IF_ERROR(AddDocuments(*documents, nullptr));
    } else if (positive) {
      constexpr int kRelevant = 1;
      constexpr int kNotRelevant = 0;
      set_.judgements.AddQuery(list_.id);
      PODIUM_RETURN_IF_ERROR(AddDocuments(*positive, &kRelevant));
      if (negative) PODIUM_RETURN_IF_ERROR(AddDocuments(*negative, &kNotRelevant));
    } else {
      return InvalidArgument(
          Concat(where_, ": expected \"documents\", or \"positive\" and \"negative\""));
    }
    set_.lists.push_back(std::move(list_));
    return OkStatus();
  }

 private:
  RerankSet& set_;
  TextMap<int>& seen_queries_;
  const std::string& where_;
  RerankList list_;
  TextMap<int> seen_;
};

}  // namespace

Result<RerankSet> ReadRerankLines(LineReader lines) {
  RerankSet set;
  TextMap<int> seen;
  const auto read = [&](json::Value object, const std::string& where) -> Status {
    LineOfSet line(set, seen, where);
    return line.Read(object, where.substr(where.rfind(':') + 1));
  };
  PODIUM_RETURN_IF_ERROR(ForEachJsonLine(std::move(lines), read));
  return set;
}

}  // namespace podium
