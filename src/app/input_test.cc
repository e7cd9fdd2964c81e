#include "app/input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace podium {
namespace {

using testing::HasSubstr;

struct GoodCase {
  const char* name;  // of the file
  InputKind kind;
  std::string text;
  std::vector<std::string> documents;
  std::optional<std::string> query = std::nullopt;
  const char* field = "";
};

TEST(ParseInput, Good) {
  const GoodCase cases[] = {
      {"f", InputKind::kAuto, "", {}},
      {"f", InputKind::kAuto, "a\nb\n", {"a", "b"}},
      {"f", InputKind::kAuto, "a\r\nb", {"a", "b"}},
      {"f", InputKind::kAuto, "a\n\n b\n", {"a", "", " b"}},  // an empty line is a document
      {"f", InputKind::kAuto, "\n", {""}},
      {"f",
       InputKind::kAuto,
       "\xEF\xBB\xBF"
       "a\n",
       {"a"}},
      {"f", InputKind::kLines, "[1]\n", {"[1]"}},
      {"f.txt", InputKind::kAuto, "{x\n", {"{x"}},
      {"f", InputKind::kAuto, R"(["a", {"text": "b"}])", {"a", "b"}},
      {"f", InputKind::kAuto, "\n [\n\"a\"\n]\n", {"a"}},
      {"f", InputKind::kAuto, R"({"query": "q", "documents": ["a"]})", {"a"}, "q"},
      {"f", InputKind::kAuto, "{\n\"documents\": [],\n\"other\": 1}", {}},
      {"f", InputKind::kAuto, "{\"text\": \"a\"}\n\n{\"content\": \"b\"}\n", {"a", "b"}},
      {"f.jsonl", InputKind::kAuto, "\"a\"\n\"b\"", {"a", "b"}},
      {"f", InputKind::kJsonl, R"({"passage": "a"})", {"a"}},
      {"f", InputKind::kJson, R"([{"id": 1, "document": "a"}])", {"a"}},
      {"f", InputKind::kJson, R"([{"text": "no", "body": "a"}])", {"a"}, std::nullopt, "body"},
      {"f", InputKind::kJson, R"(["\u756a\u8304 \ud83d\ude00"])", {"番茄 😀"}},
  };
  for (const GoodCase& c : cases) {
    const auto input = ParseInput(c.text, c.name, c.kind, c.field);
    ASSERT_TRUE(input.ok()) << c.text << ": " << input.status().ToString();
    EXPECT_EQ(input->documents, c.documents) << c.text;
    EXPECT_EQ(input->query, c.query) << c.text;
  }
}

TEST(ParseInput, Bad) {
  struct Case {
    InputKind kind;
    const char* text;
    std::vector<const char*> words;  // in the message
  };
  const Case cases[] = {
      {InputKind::kAuto, "[note] plain text", {"f", "--input lines"}},
      {InputKind::kAuto, "{\"text\": \"a\"}\n{\"text\"", {"f:2", "--input lines"}},
      {InputKind::kJsonl, "{\"text\": \"a\"}\n[1]\n", {"f:2", "array"}},
      {InputKind::kJsonl, "\"a\"\n\n{\"tekst\": \"a\"}\n", {"f:3", "\"text\", \"document\""}},
      {InputKind::kJson, "{\"query\": \"q\"}", {"\"documents\""}},
      {InputKind::kJson, "{\"query\": 1, \"documents\": []}", {"\"query\"", "string"}},
      {InputKind::kJson, "{\"documents\": \"a\"}", {"array", "string"}},
      {InputKind::kJson, "[\"a\", 7]", {"document 1"}},
      {InputKind::kJson, "[\"a\", {\"text\": null}]", {"document 1", "null"}},
      {InputKind::kJson, "\"a\"", {"array", "string"}},
      {InputKind::kJson, "", {"f"}},
  };
  for (const Case& c : cases) {
    const auto input = ParseInput(c.text, "f", c.kind, "");
    ASSERT_FALSE(input.ok()) << c.text;
    for (const char* word : c.words) EXPECT_THAT(input.status().message(), HasSubstr(word));
  }
}

TEST(ReadInput, NamesWhatItCannotRead) {
  const std::atomic<bool> go{false};
  const auto missing = ReadInput("/no/such/file", go);
  EXPECT_EQ(missing.status().code(), StatusCode::kNotFound);
  EXPECT_THAT(missing.status().message(), HasSubstr("/no/such/file"));
  const auto folder = ReadInput("/", go);
  EXPECT_EQ(folder.status().code(), StatusCode::kIo);
  EXPECT_THAT(folder.status().message(), HasSubstr("expected a file"));
  EXPECT_EQ(*ReadInput("/dev/null", go), "");
  const std::atomic<bool> cancelled{true};
  EXPECT_EQ(ReadInput("/dev/zero", cancelled).status().code(), StatusCode::kCancelled);
}

}  // namespace
}  // namespace podium
