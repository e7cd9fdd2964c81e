#include "app/score_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "app/score_files.h"
#include "tests/support/temp_folder.h"

namespace podium {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<Score> kTwo = {{.logit = 1.5f, .tokens = 3, .truncated = true},
                                 {.logit = -2, .tokens = 5, .truncated = false}};

TEST(ScoreLine, AddsMembersBehindWhatIsThere) {
  ScoreFormat format;
  format.scores = ScoreKind::kRaw;
  const auto pair = ScoreLine::Parse("{\"query\":\"q\",\"text\":\"d\" } \t", "x:1", format);
  ASSERT_TRUE(pair.ok()) << pair.status().message();
  EXPECT_THAT(pair->documents(), ElementsAre("d"));
  EXPECT_EQ(pair->WithScores(std::span(kTwo).first(1), format),
            "{\"query\":\"q\",\"text\":\"d\" ,\"score\":1.5,\"tokens\":3,\"truncated\":true}\n");
  const auto list =
      ScoreLine::Parse("{\"query\":\"q\",\"documents\":[\"a\",{\"text\":\"b\"}]}", "x:1", format);
  ASSERT_TRUE(list.ok()) << list.status().message();
  EXPECT_EQ(list->WithScores(kTwo, format),
            "{\"query\":\"q\",\"documents\":[\"a\",{\"text\":\"b\"}],\"scores\":[1.5,-2],"
            "\"tokens\":[3,5],\"truncated\":[true,false]}\n");
  format.score_field = "s";
  EXPECT_THAT(pair->WithScores(std::span(kTwo).first(1), format),
              HasSubstr(",\"s\":1.5,\"s_tokens\":3,\"s_truncated\":true}"));
}

TEST(ScoreLine, ColumnsOfATsvSteerNoTerminal) {
  ScoreFormat format;
  format.tsv = true;
  format.scores = ScoreKind::kRaw;
  const auto line = ScoreLine::Parse("q\\\t\x1b[2Jd\r\u009b\u00e9\xff", "x:1", format);
  ASSERT_TRUE(line.ok());
  EXPECT_EQ(line->documents()[0], "\x1b[2Jd\r\u009b\u00e9\xff");
  EXPECT_EQ(line->WithScores(std::span(kTwo).first(1), format),
            "q\\\t\\x1b[2Jd\\x0d\\x9b\u00e9\xff\t1.5\t3\t1\n");
  EXPECT_EQ(ScoredHeader("a\x07\tb", format), "a\\x07\tb\tscore\ttokens\ttruncated\n");
}

TEST(ScoreLine, ViewsLiveInTheLine) {
  ScoreFormat format;
  format.tsv = true;
  std::vector<ScoreLine> lines;  // grows: its elements move
  for (int i = 0; i < 100; ++i) {
    auto line = ScoreLine::Parse("q" + std::to_string(i) + "\td", "x:1", format);
    ASSERT_TRUE(line.ok());
    lines.push_back(std::move(line).value());
  }
  for (int i = 0; i < 100; ++i) EXPECT_EQ(lines[i].query(), "q" + std::to_string(i));
}

TEST(ScoreLine, ColumnsByNumberAndName) {
  ScoreFormat format;
  ScoreCommand command;
  const std::string header = "id\tquestion\tanswer";
  command.query_field = "question";
  command.document_field = "3";
  ASSERT_TRUE(ChooseColumns(command, &header, "x:1", &format).ok());
  EXPECT_EQ(format.query_column, 1u);
  EXPECT_EQ(format.document_column, 2u);
  for (const char* bad : {"none", "0", "-1", "1x", "99999"}) {
    command.query_field = bad;
    const Status status = ChooseColumns(command, &header, "x:1", &format);
    EXPECT_THAT(status.message(), HasSubstr("\"question\"")) << bad;
  }
  command.query_field.clear();
  command.document_field.clear();
  format.query = "q";
  ASSERT_TRUE(ChooseColumns(command, nullptr, "x:1", &format).ok());
  EXPECT_EQ(format.document_column, 0u);
}

TEST(ResumePoint, CountsWholeLinesOnly) {
  const testing_support::TempFolder folder;
  const std::string in = folder.path() + "/in.tsv";
  const std::string out = folder.path() + "/out.tsv";
  std::ofstream(in) << "q\ta\n\nbad\nq\tb\nq\tc\n";
  std::ofstream(out) << "q\ta\t0.5\t0\nq\tb\t0.25\t0\nq\tc\t0.1";
  ScoreCommand command;
  command.file = in;
  auto input = ScoreInput::Open(command, nullptr);
  ASSERT_TRUE(input.ok()) << input.status().message();
  const auto point = FindResumePoint(out, /*skip_bad_lines=*/true, *input);
  ASSERT_TRUE(point.ok()) << point.status().message();
  EXPECT_EQ(point->lines, 2u);
  EXPECT_EQ(point->bytes, 21u);
  EXPECT_EQ(point->skipped, 1u);
  EXPECT_EQ(point->last_input, "q\tb");
  EXPECT_EQ(point->last_scored, "q\tb\t0.25\t0\n");
  const auto next = input->Next();
  ASSERT_TRUE(next.ok() && *next);
  EXPECT_EQ((*next)->text, "q\tc");

  auto again = ScoreInput::Open(command, nullptr);
  EXPECT_THAT(FindResumePoint(out, /*skip_bad_lines=*/false, *again).status().message(),
              HasSubstr("out.tsv:2: this line was not written for"));
}

}  // namespace
}  // namespace podium
