#include "base/line_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <thread>
#include <vector>

#include "tests/support/temp_folder.h"

namespace podium {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> AllLines(LineReader reader) {
  std::vector<std::string> lines;
  std::string_view line;
  while (true) {
    const Result<bool> more = reader.Next(&line);
    if (!more.ok()) {
      lines.push_back("! " + more.status().message());
    } else if (*more) {
      lines.emplace_back(line);
    } else {
      return lines;
    }
  }
}

std::vector<std::string> LinesOf(std::string_view text, size_t line_bytes_max = 1 << 20) {
  return AllLines(LineReader::OfText(text, "text", {.line_bytes_max = line_bytes_max}));
}

TEST(LineReader, EndsOfLines) {
  EXPECT_THAT(LinesOf(""), ElementsAre());
  EXPECT_THAT(LinesOf("\n"), ElementsAre(""));
  EXPECT_THAT(LinesOf("a\r\n\r\nb\n\nc"), ElementsAre("a", "", "b", "", "c"));
  EXPECT_THAT(LinesOf("a\rb\n"), ElementsAre("a\rb"));
  EXPECT_THAT(LinesOf(std::string_view("a\0b\n", 4)), ElementsAre(std::string("a\0b", 3)));
  EXPECT_THAT(LinesOf("\xEF\xBB\xBFx\n\xEF\xBB\xBFy"), ElementsAre("x", "\xEF\xBB\xBFy"));
  EXPECT_THAT(LinesOf("\xEF\xBB\xBF"), ElementsAre());
  EXPECT_THAT(LinesOf("\xEF\xBB"), ElementsAre("\xEF\xBB"));
}

TEST(LineReader, ALineOverTheLimitIsRefusedAndTheNextOneRead) {
  EXPECT_THAT(LinesOf("abc\nabcd\nabc", 3),
              ElementsAre("abc", "! text:2: line longer than 3 bytes", "abc"));
  EXPECT_THAT(LinesOf("abcd", 3), ElementsAre("! text:1: line longer than 3 bytes"));
  const std::string giant(3'000'000, 'x');  // many steps of reading
  EXPECT_THAT(LinesOf("a\n" + giant + "\nb\n", 1000),
              ElementsAre("a", "! text:2: line longer than 1000 bytes", "b"));
}

TEST(LineReader, CountsLinesAndBytes) {
  LineReader reader = LineReader::OfText(
      "\xEF\xBB\xBF"
      "ab\r\nc",
      "x", LineReader::Limits());
  std::string_view line;
  ASSERT_TRUE(*reader.Next(&line));
  EXPECT_EQ(reader.bytes_read(), 7u);
  EXPECT_TRUE(reader.has_end());
  EXPECT_EQ(reader.Where(), "x:1");
  ASSERT_TRUE(*reader.Next(&line));
  EXPECT_EQ(reader.bytes_read(), 8u);
  EXPECT_FALSE(reader.has_end());
  EXPECT_FALSE(*reader.Next(&line));
  EXPECT_FALSE(*reader.Next(&line));
}

TEST(LineReader, Files) {
  const testing_support::TempFolder folder;
  const std::string path = folder.path() + "/lines";
  std::string text;
  std::vector<std::string> want;
  for (int i = 0; i < 50'000; ++i) {
    want.push_back("line " + std::to_string(i * 7919 % 50'000));
    text += want.back() + "\n";
  }
  std::ofstream(path) << text;
  auto reader = LineReader::Open(path);
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ(reader->size(), text.size());
  EXPECT_EQ(AllLines(std::move(reader).value()), want);

  EXPECT_EQ(LineReader::Open(folder.path() + "/none").status().code(), StatusCode::kNotFound);
  EXPECT_THAT(LineReader::Open(folder.path()).status().message(), HasSubstr("a folder"));
}

TEST(LineReader, ACancelledReadOfAPipeEnds) {
  const testing_support::TempFolder folder;
  const std::string path = folder.path() + "/pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(path) << "one\ntwo\n"; });
  std::atomic<bool> cancel{false};
  auto reader = LineReader::Open(path, LineReader::Limits(), &cancel);
  ASSERT_TRUE(reader.ok());
  std::string_view line;
  ASSERT_TRUE(*reader->Next(&line));
  EXPECT_TRUE(reader->IsReady());
  writer.join();
  cancel = true;
  ASSERT_TRUE(*reader->Next(&line));  // was read already
  EXPECT_EQ(reader->Next(&line).status().code(), StatusCode::kCancelled);
}

}  // namespace
}  // namespace podium
