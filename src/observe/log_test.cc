#include "observe/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>

namespace podium {
namespace {

using testing::HasSubstr;

TEST(Log, LinesStayLinesWhateverIsInThem) {
  const std::initializer_list<Log::Field> fields = {{"path", "/v1/rerank"},
                                                    {"client", "a\nb\x1b[31m \"c\" \xff"},
                                                    {"none", ""},
                                                    {"status", int64_t{200}},
                                                    {"total_ms", 1.25}};
  EXPECT_EQ(FormatLogLine(LogFormat::kText, 1'790'000'000'123, LogLevel::kInfo, "request", fields),
            "2026-09-21T14:13:20.123Z info request path=/v1/rerank "
            "client=\"a\\nb\\u001b[31m \\\"c\\\" \xEF\xBF\xBD\" status=200 total_ms=1.250");
  EXPECT_EQ(FormatLogLine(LogFormat::kJson, 1'790'000'000'123, LogLevel::kWarning, "slow", fields),
            "{\"time\":\"2026-09-21T14:13:20.123Z\",\"level\":\"warning\",\"event\":\"slow\","
            "\"path\":\"/v1/rerank\",\"client\":\"a\\nb\\u001b[31m \\\"c\\\" \xEF\xBF\xBD\","
            "\"status\":200,\"total_ms\":1.25}");
}

// Every character up to U+FFFF, by what Unicode says of it.
TEST(Log, WhatTerminalsAndEditorsObeyIsEscaped) {
  for (unsigned c = 0x20; c <= 0xFFFF; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    std::string raw;
    if (c < 0x80) {
      raw = static_cast<char>(c);
    } else if (c < 0x800) {
      raw = {static_cast<char>(0xC0 | c >> 6), static_cast<char>(0x80 | (c & 0x3F))};
    } else {
      raw = {static_cast<char>(0xE0 | c >> 12), static_cast<char>(0x80 | (c >> 6 & 0x3F)),
             static_cast<char>(0x80 | (c & 0x3F))};
    }
    const bool is_control = c >= 0x7F && c <= 0x9F;
    const bool is_separator = c == 0x2028 || c == 0x2029;
    const bool is_bidi = c == 0x061C || c == 0x200E || c == 0x200F ||
                         (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
    char escape[8];
    std::snprintf(escape, sizeof escape, "\\u%04x", c);
    std::string expected = is_control || is_separator || is_bidi ? escape : raw;
    if (c == '"' || c == '\\') expected = "\\" + raw;
    const std::string value = "/\\ " + raw + "[31m\xF0\x9F\x98\x80";
    const std::string quoted = "\"/\\\\ " + expected + "[31m\xF0\x9F\x98\x80\"";
    ASSERT_EQ(FormatLogLine(LogFormat::kText, 0, LogLevel::kInfo, "request", {{"path", value}}),
              "1970-01-01T00:00:00.000Z info request path=" + quoted);
    ASSERT_EQ(FormatLogLine(LogFormat::kJson, 0, LogLevel::kInfo, "request", {{"path", value}}),
              R"({"time":"1970-01-01T00:00:00.000Z","level":"info","event":"request","path":)" +
                  quoted + "}");
  }
}

TEST(Log, WritesWhatTheLevelLetsThrough) {
  const std::string file = testing::TempDir() + "/podium_log_test";
  std::remove(file.c_str());
  {
    auto log = Log::Open({.file = file, .level = LogLevel::kWarning});
    ASSERT_TRUE(log.ok()) << log.status().ToString();
    (*log)->Write(LogLevel::kInfo, "unseen", {});
    (*log)->Write(LogLevel::kError, "seen", {{"n", int64_t{1}}});
    (*log)->set_level(LogLevel::kDebug);
    (*log)->Write(LogLevel::kDebug, "seen", {{"n", int64_t{2}}});
    EXPECT_EQ((*log)->lines_dropped(), 0u);
  }
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  EXPECT_THAT(text.str(), HasSubstr("error seen n=1\n"));
  EXPECT_THAT(text.str(), HasSubstr("debug seen n=2\n"));
  EXPECT_THAT(text.str(), testing::Not(HasSubstr("unseen")));
  std::remove(file.c_str());
}

TEST(Log, AFullDiskIsCountedAndNothingElse) {
  auto log = Log::Open({.file = "/dev/full"});
  ASSERT_TRUE(log.ok()) << log.status().ToString();
  for (int i = 0; i < 100; ++i) {
    (*log)->Write(LogLevel::kInfo, "lost", {{"text", std::string(1000, 'x')}});
  }
  for (int i = 0; i < 1000 && (*log)->lines_dropped() < 90; ++i) {
    (*log)->Write(LogLevel::kDebug, "unseen", {});
    usleep(1000);
  }
  EXPECT_GE((*log)->lines_dropped(), 90u);
}

TEST(Log, AFileThatCannotBe) {
  EXPECT_EQ(Log::Open({.file = "/proc/none/log"}).status().code(), StatusCode::kIo);
}

TEST(Log, Levels) {
  EXPECT_EQ(*ParseLogLevel("warning"), LogLevel::kWarning);
  EXPECT_THAT(ParseLogLevel("loud").status().message(), HasSubstr("debug, info"));
}

}  // namespace
}  // namespace podium
