// Judgements, runs and labelled lists: what is read, and what is said of what cannot be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "evaluation/judgements.h"
#include "evaluation/rerank_set.h"
#include "evaluation/trec_run.h"
#include "tests/support/temp_folder.h"

namespace podium {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

LineReader Lines(std::string_view text) {
  return LineReader::OfText(text, "file", {.line_bytes_max = 1000});
}

struct BadText {
  std::string text;
  const char* where;
  const char* what;
};

TEST(Judgements, BothForms) {
  for (const char* text : {
           "q1 0 d1 2\nq1 0 d2 0\n\nq2\t0\td1\t-1\r\n",
           "\xEF\xBB\xBFquery-id\tcorpus-id\tscore\r\nq1\td1\t2\r\nq1\td2\t0\r\nq2\td1\t-1",
           "q1\td1\t2\nq1\td2\t0\nq2\td1\t-1\n",
       }) {
    const auto judgements = ReadJudgements(Lines(text));
    ASSERT_TRUE(judgements.ok()) << judgements.status().message();
    ASSERT_EQ(judgements->queries().size(), 2u);
    EXPECT_EQ(judgements->queries()[0].id, "q1");
    EXPECT_THAT(judgements->Find("q1")->grades, UnorderedElementsAre(Pair("d1", 2), Pair("d2", 0)));
    EXPECT_THAT(judgements->Find("q2")->grades, UnorderedElementsAre(Pair("d1", -1)));
    EXPECT_EQ(judgements->Find("q3"), nullptr);
  }
  const auto spaces = ReadJudgements(Lines("q\td\tg\na query\tD 1\t1\n"));
  ASSERT_TRUE(spaces.ok());
  EXPECT_EQ(spaces->Find("a query")->grades.count("D 1"), 1u);
  EXPECT_TRUE(ReadJudgements(Lines(""))->queries().empty());
}

TEST(Judgements, WhatIsRefused) {
  const std::vector<BadText> cases = {
      {"q 0 d 1\nq 0 d\n", "file:2: ", "3 columns; expected 4"},
      {"q\td\t1\nq\td\n", "file:2: ", "2 columns; expected 3"},
      {"q 0 d 1 x\n", "file:1: ", "5 columns"},
      {"q 0 d one\n", "file:1: ", "grade \"one\"; allowed: a whole number"},
      {"q 0 d 1.5\n", "file:1: ", "grade \"1.5\""},
      {"q 0 d 101\n", "file:1: ", "allowed: -100 to 100"},
      {"q 0 d 99999999999\n", "file:1: ", "allowed: -100 to 100"},
      {"q 0 d 1\nq 0 e 1\nq 0 d 2\n", "file:3: ", "has grade 2 here and 1 before"},
      {"h\th\th\nq\t\t1\n", "file:2: ", "empty document id"},
      {"h\th\th\n\td\t1\n", "file:2: ", "empty query id"},
      {"h\th\th\nh\th\th\n", "file:2: ", "grade \"h\""},
      {"q 0 d 1\n" + std::string(2000, 'x') + "\n", "file:2: ", "longer than 1000 bytes"},
  };
  for (const BadText& bad : cases) {
    const auto read = ReadJudgements(Lines(bad.text));
    ASSERT_FALSE(read.ok()) << bad.text;
    EXPECT_THAT(read.status().message(), AllOf(HasSubstr(bad.where), HasSubstr(bad.what)));
  }
}

std::vector<std::string> Ids(const TrecRun::Query& query) {
  std::vector<std::string> ids;
  for (const RunEntry& entry : query.entries) ids.push_back(entry.document);
  return ids;
}

TEST(TrecRun, OrderIsByScoreThenByFallingId) {
  const auto run = ReadRun(Lines("q Q0 a 1 0.5 t\nq Q0 b 9 .5 t\r\n\nr\tQ0\tz\t1\t-1e-3\tt\n"
                                 "q Q0 B 2 +0.5 t\nq Q0 top 3 5e-1 t\nq Q0 best 4 inf t\n"
                                 "q Q0 near 4 0.50000000001 t\nq Q0 low 5 -1e999 t\n"),
                           nullptr);
  ASSERT_TRUE(run.ok()) << run.status().message();
  EXPECT_THAT(Ids(*run->Find("q")), ElementsAre("best", "top", "near", "b", "a", "B", "low"));
  EXPECT_THAT(Ids(*run->Find("r")), ElementsAre("z"));
}

TEST(TrecRun, OnlyJudgedQueriesAreKept) {
  Judgements judgements;
  judgements.AddQuery("r");
  const auto run = ReadRun(Lines("q Q0 a 1 1 t\nr Q0 a 1 1 t\n"), &judgements);
  ASSERT_TRUE(run.ok());
  EXPECT_EQ(run->queries().size(), 1u);
  EXPECT_EQ(run->Find("q"), nullptr);
}

TEST(TrecRun, WhatIsRefused) {
  const std::vector<BadText> cases = {
      {"q Q0 a 1 1\n", "file:1: ", "5 columns; expected 6"},
      {"q Q0 a 1 1 t t\n", "file:1: ", "7 columns"},
      {"q Q0 a 1 nan t\n", "file:1: ", "score \"nan\"; allowed: a number"},
      {"q Q0 a 1 -NaN t\n", "file:1: ", "score \"-NaN\""},
      {"q Q0 a 1 1x t\n", "file:1: ", "score \"1x\""},
      {"q Q0 a 1 + t\n", "file:1: ", "score \"+\""},
      {"q Q0 a 1 0x1p3 t\n", "file:1: ", "score \"0x1p3\""},
      {"q Q0 a 1 2 t\nr Q0 a 1 2 t\nq Q0 a 1 3 t\n",
       "file:3: ", "\"a\" of query \"q\" is in line 1"},
  };
  for (const BadText& bad : cases) {
    const auto read = ReadRun(Lines(bad.text), nullptr);
    ASSERT_FALSE(read.ok()) << bad.text;
    EXPECT_THAT(read.status().message(), AllOf(HasSubstr(bad.where), HasSubstr(bad.what)));
  }
}

TEST(TrecRun, ALineReadsBack) {
  const auto line = RunLine("q", "d", 3, 0.1F, "tag");
  ASSERT_TRUE(line.ok());
  EXPECT_EQ(*line, "q Q0 d 3 0.1 tag\n");
  EXPECT_EQ(ReadRun(Lines(*line), nullptr)->Find("q")->entries[0].score, 0.1F);
  EXPECT_FALSE(RunLine("a b", "d", 1, 0, "tag").ok());
  EXPECT_FALSE(RunLine("a", "", 1, 0, "tag").ok());
}

TEST(RerankLines, EveryForm) {
  const auto set = ReadRerankLines(
      Lines(R"({"query": "a", "documents": ["x", {"text": "y", "id": "Y"}], "labels": [0, 2]}

{"id": 7, "query": "b", "positive": "x", "negative": ["y", "z"]}
{"query_id": "c", "query": "c", "pos": ["x"], "neg": []}
{"query": "d", "documents": [{"content": "x", "_id": 3, "label": true}, {"text": "y"}]}
{"query": "e", "documents": []}
)"));
  ASSERT_TRUE(set.ok()) << set.status().message();
  ASSERT_EQ(set->lists.size(), 5u);
  EXPECT_EQ(set->lists[0].id, "1");
  EXPECT_THAT(set->lists[0].document_ids, ElementsAre("0", "Y"));
  EXPECT_EQ(set->texts[set->lists[0].documents[1]], "y");
  EXPECT_THAT(set->judgements.Find("1")->grades, UnorderedElementsAre(Pair("0", 0), Pair("Y", 2)));
  EXPECT_EQ(set->lists[1].id, "7");
  EXPECT_THAT(set->judgements.Find("7")->grades,
              UnorderedElementsAre(Pair("0", 1), Pair("1", 0), Pair("2", 0)));
  EXPECT_EQ(set->texts[set->lists[1].documents[2]], "z");
  EXPECT_EQ(set->lists[2].id, "c");
  EXPECT_THAT(set->judgements.Find("5")->grades, UnorderedElementsAre(Pair("3", 1)));
  EXPECT_EQ(set->judgements.Find("6"), nullptr);
}

TEST(RerankLines, WhatIsRefused) {
  const std::vector<BadText> cases = {
      {"{}\n", "file:1: ", "no \"query\""},
      {"\n[1]\n", "file:2: ", "expected an object, got array"},
      {"{\"query\": 1, \"documents\": []}\n",
       "file:1: ", "\"query\" must be a string, got integer"},
      {"{\"query\": \"\"}\n", "file:1: ", "expected \"documents\", or \"positive\""},
      {"{\"query\": \"\", \"documents\": [\"a\"], \"labels\": []}\n",
       "file:1: ", "1 documents and 0 labels"},
      {"{\"query\": \"\", \"documents\": [\"a\"], \"labels\": [0.5]}\n", "file:1: ", "grade 0.5"},
      {"{\"query\": \"\", \"documents\": [\"a\"], \"labels\": [\"1\"]}\n",
       "file:1: ", "grade string"},
      {"{\"query\": \"\", \"documents\": [{\"body\": \"a\"}]}\n",
       "file:1: ", "looked for \"text\""},
      {"{\"query\": \"\", \"documents\": [{\"text\": \"a\", \"id\": \"1\"}, \"b\"]}\n",
       "file:1: ", "document id \"1\" twice"},
      {"{\"query\": \"\", \"id\": 1, \"pos\": \"a\"}\n{\"query\": \"\", \"id\": \"1\", \"pos\": "
       "\"a\"}\n",
       "file:2: ", "query id \"1\" for the second time"},
      {"{\"query\": \"\", \"id\": 1, \"documents\": []}\n{\"query\": \"\", \"id\": \"1\", "
       "\"documents\": []}\n",
       "file:2: ", "query id \"1\" for the second time"},
      {"{\"query\": \"\", \"id\": \"\", \"documents\": []}\n", "file:1: ", "empty id"},
      {"{\"query\": \"a\", \"documents\": [\n", "file:1: ", "byte"},
  };
  for (const BadText& bad : cases) {
    const auto read = ReadRerankLines(Lines(bad.text));
    ASSERT_FALSE(read.ok()) << bad.text;
    EXPECT_THAT(read.status().message(), AllOf(HasSubstr(bad.where), HasSubstr(bad.what)));
  }
}

class RerankFolder : public ::testing::Test {
 protected:
  void Write(const std::string& name, const std::string& text) {
    const std::filesystem::path path = std::filesystem::path(folder_.path()) / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  void WriteBeir() {
    Write("corpus.jsonl",
          "{\"_id\": \"d1\", \"title\": \"T\", \"text\": \"one\"}\n"
          "{\"_id\": 2, \"title\": \"\", \"text\": \"two\"}\n"
          "{\"_id\": \"d3\", \"text\": \"three\"}\n");
    Write("queries.jsonl",
          "{\"_id\": \"q1\", \"text\": \"first\", \"metadata\": {}}\n"
          "{\"_id\": \"q2\", \"text\": \"second\"}\n"
          "{\"_id\": \"other\", \"text\": \"of another split\"}\n");
    Write("qrels/test.tsv", "query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td3\t2\nq2\t2\t0\n");
    Write("qrels/dev.tsv", "query-id\tcorpus-id\tscore\nother\td1\t1\n");
    Write("run.txt", "q1 Q0 d3 1 5 t\nq1 Q0 2 2 6 t\nq1 Q0 d1 3 1 t\nother Q0 none 1 1 t\n");
  }
  void WritePassages() {
    Write("lo.queries.jsonl",
          "{\"id\": \"q\", \"query\": \"text\", \"relevant\": {\"p9\": 1, \"p1\": 2}, "
          "\"candidates\": [\"p2\", \"p1\"]}\n");
    Write("lo.passages.jsonl",
          "{\"id\": \"p1\", \"text\": \"one\"}\n{\"id\": \"p2\", \"text\": \"two\"}\n");
  }
  std::string path(const std::string& name = "") const { return folder_.path() + name; }

  testing_support::TempFolder folder_;
};

TEST_F(RerankFolder, Beir) {
  WriteBeir();
  const auto set = ReadRerankSet(path(), {.run = path("/run.txt"), .depth = 2});
  ASSERT_TRUE(set.ok()) << set.status().message();
  ASSERT_EQ(set->lists.size(), 2u);
  EXPECT_EQ(set->lists[0].query, "first");
  EXPECT_THAT(set->lists[0].document_ids, ElementsAre("2", "d3"));
  EXPECT_EQ(set->texts[set->lists[0].documents[0]], "two");
  EXPECT_THAT(set->lists[1].document_ids, ElementsAre());
  EXPECT_EQ(set->texts.size(), 2u);

  const auto judged = ReadRerankSet(path(), {.candidates = Candidates::kJudged});
  ASSERT_TRUE(judged.ok()) << judged.status().message();
  EXPECT_THAT(judged->lists[1].document_ids, ElementsAre("2", "d3"));
  EXPECT_EQ(judged->texts[judged->lists[0].documents[0]], "T one");

  EXPECT_EQ(ReadDataJudgements(path(), "dev")->queries()[0].id, "other");
  EXPECT_EQ(ReadDataJudgements(path(), "")->queries().size(), 2u);
  EXPECT_THAT(ReadDataJudgements(path(), "train").status().message(),
              HasSubstr("there are: dev.tsv, test.tsv"));
  EXPECT_THAT(ReadRerankSet(path(), {}).status().message(), HasSubstr("lists no candidates"));
}

TEST_F(RerankFolder, BeirThatDoesNotFitTogether) {
  WriteBeir();
  Write("run.txt", "q1 Q0 gone 1 5 t\n");
  EXPECT_THAT(ReadRerankSet(path(), {.run = path("/run.txt")}).status().message(),
              AllOf(HasSubstr("corpus.jsonl: no document \"gone\""), HasSubstr("query \"q1\"")));
  Write("run.txt", "q1 Q0 d1 1 5 t\n");
  Write("corpus.jsonl", "{\"_id\": \"d1\", \"text\": \"\"}\n{\"_id\": \"d1\", \"text\": \"\"}\n");
  EXPECT_THAT(ReadRerankSet(path(), {.run = path("/run.txt")}).status().message(),
              HasSubstr("corpus.jsonl:2: document id \"d1\" for the second time"));
  Write("queries.jsonl", "{\"_id\": \"q1\", \"text\": \"first\"}\n");
  EXPECT_THAT(ReadRerankSet(path(), {.run = path("/run.txt")}).status().message(),
              HasSubstr("no query \"q2\""));
}

TEST_F(RerankFolder, QueriesAndPassages) {
  WritePassages();
  for (const std::string& where : {path(), path("/lo.queries.jsonl")}) {
    const auto set = ReadRerankSet(where, {});
    ASSERT_TRUE(set.ok()) << set.status().message();
    ASSERT_EQ(set->lists.size(), 1u);
    EXPECT_THAT(set->lists[0].document_ids, ElementsAre("p2", "p1"));
    EXPECT_EQ(set->texts[set->lists[0].documents[0]], "two");
    EXPECT_THAT(set->judgements.Find("q")->grades,
                UnorderedElementsAre(Pair("p9", 1), Pair("p1", 2)));
  }
  Write("zz.queries.jsonl", "");
  EXPECT_THAT(ReadRerankSet(path(), {}).status().message(),
              HasSubstr("lo.queries.jsonl, zz.queries.jsonl"));
  EXPECT_THAT(ReadRerankSet(path("/zz.queries.jsonl"), {}).status().message(),
              HasSubstr("zz.passages.jsonl: no such file"));
  Write("lo.queries.jsonl", "{\"id\": \"q\", \"query\": \"\", \"candidates\": [\"p1\", \"p1\"]}\n");
  EXPECT_THAT(ReadRerankSet(path("/lo.queries.jsonl"), {}).status().message(),
              HasSubstr("has candidate \"p1\" twice"));
  Write("lo.queries.jsonl", "{\"id\": \"q\", \"query\": \"\", \"relevant\": [1]}\n");
  EXPECT_THAT(ReadRerankSet(path("/lo.queries.jsonl"), {}).status().message(),
              HasSubstr("lo.queries.jsonl:1: \"relevant\" must be an object"));
  Write("lo.queries.jsonl", "{\"id\": \"q\", \"query\": \"\", \"relevant\": {\"a\": 1e9}}\n");
  EXPECT_THAT(ReadRerankSet(path("/lo.queries.jsonl"), {}).status().message(),
              HasSubstr("lo.queries.jsonl:1: grade"));
}

TEST_F(RerankFolder, LinesAndWhatIsNothing) {
  Write("lists.jsonl", "{\"query\": \"q\", \"documents\": [\"a\", \"b\"]}\n");
  Write("qrels", "1 0 1 3\n");
  const auto set = ReadRerankSet(path("/lists.jsonl"), {.qrels = path("/qrels")});
  ASSERT_TRUE(set.ok()) << set.status().message();
  EXPECT_EQ(set->judgements.Find("1")->grades.at("1"), 3);
  EXPECT_FALSE(ReadRerankSet(path("/lists.jsonl"), {.run = path("/qrels")}).ok());
  std::filesystem::create_directories(path("/empty"));
  EXPECT_EQ(ReadRerankSet(path("/empty"), {}).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(ReadRerankSet(path("/gone"), {}).status().code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace podium
