#include "app/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace podium {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::variant<Command, int> Parse(std::vector<std::string> words) {
  words.insert(words.begin(), "podium");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  return ParseCommandLine(static_cast<int>(argv.size()), argv.data());
}

template <typename T>
T ParseAs(const std::vector<std::string>& words) {
  auto parsed = Parse(words);
  EXPECT_TRUE(std::holds_alternative<Command>(parsed));
  return std::get<T>(std::get<Command>(parsed));
}

TEST(Options, Rank) {
  const auto rank = ParseAs<RankCommand>({"rank", "-q", "", "a", "--top-n", "-1", "--threads=3",
                                          "--format", "tsv", "--scores", "raw", "--input", "jsonl",
                                          "--model", "m", "--", "-b"});
  ASSERT_TRUE(rank.query.has_value());
  EXPECT_EQ(*rank.query, "");
  EXPECT_THAT(rank.documents, ElementsAre("a", "-b"));
  EXPECT_EQ(rank.top_n, -1);
  EXPECT_EQ(rank.open.threads, 3);
  EXPECT_EQ(rank.open.model, "m");
  EXPECT_EQ(rank.format, OutputFormat::kTsv);
  EXPECT_EQ(rank.scores, ScoreKind::kRaw);
  EXPECT_EQ(rank.input, InputKind::kJsonl);
  EXPECT_FALSE(ParseAs<RankCommand>({"rank", "a"}).query.has_value());
  EXPECT_THAT(ParseAs<RankCommand>({"rank", "-q", "q", "", "x"}).documents, ElementsAre("", "x"));
  EXPECT_EQ(ParseAs<RankCommand>({"rank", "-f", "-"}).file, "-");
}

TEST(Options, Others) {
  EXPECT_TRUE(ParseAs<InspectCommand>({"inspect", "--verify"}).verify);
  EXPECT_THAT(ParseAs<TokenizeCommand>({"tokenize", "a b", "c"}).texts, ElementsAre("a b", "c"));
  EXPECT_EQ(*ParseAs<TokenizeCommand>({"tokenize", "-q", "a", "-d", ""}).document, "");
  ParseAs<DoctorCommand>({"doctor"});
  ParseAs<VersionCommand>({"--version"});
}

TEST(Options, WrongLinesSayWhatAndWhatIsAllowed) {
  struct Case {
    std::vector<std::string> words;
    std::vector<const char*> message;
  };
  const Case cases[] = {
      {{"rnak"}, {"unknown command \"rnak\"", "did you mean rank?", "tokenize"}},
      {{"xyzzy"}, {"unknown command \"xyzzy\"", "rank, score, eval, tokenize, inspect, doctor"}},
      {{"rank", "--topn", "3"}, {"unknown option --topn", "did you mean --top-n?"}},
      {{"rank", "-q", "q", "--formt=json"}, {"unknown option --formt;", "--format"}},
      {{"rank", "--format", "xml"}, {"--format", "\"xml\"", "json, jsonl, table, tsv"}},
      {{"rank", "--scores", "softmax"}, {"\"softmax\"", "model, raw, sigmoid"}},
      {{"rank", "--top-n", "three"}, {"--top-n", "three"}},
      {{"rank", "-q"}, {"--query"}},
      {{"doctor", "extra"}, {"unexpected argument \"extra\""}},
      {{}, {"Examples:"}},
  };
  for (const Case& c : cases) {
    testing::internal::CaptureStderr();
    const auto parsed = Parse(c.words);
    const std::string message = testing::internal::GetCapturedStderr();
    ASSERT_TRUE(std::holds_alternative<int>(parsed)) << message;
    EXPECT_EQ(std::get<int>(parsed), kExitUsage);
    for (const char* word : c.message) EXPECT_THAT(message, HasSubstr(word));
  }
}

TEST(Options, EveryHelpEndsWithExamples) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"--help"},
                                             {"rank", "--help"},
                                             {"tokenize", "--help"},
                                             {"inspect", "--help"},
                                             {"doctor", "--help"}}) {
    testing::internal::CaptureStdout();
    const auto parsed = Parse(words);
    const std::string help = testing::internal::GetCapturedStdout();
    EXPECT_EQ(std::get<int>(parsed), kExitOk);
    EXPECT_THAT(help, HasSubstr("\nExamples:\n  podium "));
  }
}

}  // namespace
}  // namespace podium
