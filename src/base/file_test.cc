#include "base/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

namespace podium {
namespace {

using testing::HasSubstr;

class FileTest : public testing::Test {
 protected:
  FileTest()
      : folder_(std::filesystem::path(testing::TempDir()) /
                ("podium_file_test_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~FileTest() override { std::filesystem::remove_all(folder_); }

  std::string Write(const char* name, const std::string& text) const {
    const std::string path = folder_ / name;
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  std::filesystem::path folder_;
};

TEST_F(FileTest, ReadsUpToTheLimit) {
  const std::string text("zero\0inside", 11);
  const std::string path = Write("a", text);
  EXPECT_EQ(*ReadFile(path, 11), text);
  const auto over = ReadFile(path, 10);
  EXPECT_EQ(over.status().code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(over.status().message(), HasSubstr(path));
  EXPECT_THAT(over.status().message(), HasSubstr("10 bytes"));
  EXPECT_EQ(*ReadFile(Write("empty", ""), 0), "");
}

TEST_F(FileTest, ReadsFilesThatHideTheirSize) {
  const auto status = ReadFile("/proc/self/status", 1 << 20);
  ASSERT_TRUE(status.ok()) << status.status().ToString();
  EXPECT_THAT(*status, HasSubstr("Name:"));
  EXPECT_EQ(ReadFile("/proc/self/status", 16).status().code(), StatusCode::kResourceExhausted);
}

TEST_F(FileTest, MapsAFile) {
  const std::string text(100'000, 'x');
  auto file = MappedFile::Open(Write("m", text));
  ASSERT_TRUE(file.ok());
  MappedFile moved = std::move(*file);
  moved.Prefetch();
  ASSERT_EQ(moved.size(), text.size());
  EXPECT_EQ(std::memcmp(moved.bytes().data(), text.data(), text.size()), 0);
  EXPECT_EQ(file->size(), 0u);
  moved = std::move(*MappedFile::Open(Write("n", "other")));
  EXPECT_EQ(moved.size(), 5u);
  const auto empty = MappedFile::Open(Write("e", ""));
  ASSERT_TRUE(empty.ok());
  EXPECT_TRUE(empty->bytes().empty());
}

TEST_F(FileTest, RefusesWhatIsNoFile) {
  const std::string pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const std::string loop = folder_ / "loop";
  std::filesystem::create_symlink(loop, loop);
  const struct {
    std::string path;
    StatusCode code;
    const char* reason;
  } cases[] = {
      {folder_ / "absent", StatusCode::kNotFound, "No such file"},
      {Write("plain", "x") + "/below", StatusCode::kNotFound, "Not a directory"},
      {folder_, StatusCode::kInvalidArgument, "a folder"},
      {pipe, StatusCode::kInvalidArgument, "not a regular file"},
      {"/dev/zero", StatusCode::kInvalidArgument, "not a regular file"},
      {loop, StatusCode::kIo, "symbolic links"},
  };
  for (const auto& bad : cases) {
    const Status read = ReadFile(bad.path, 100).status();
    const Status mapped = MappedFile::Open(bad.path).status();
    EXPECT_EQ(read.code(), bad.code) << bad.path;
    EXPECT_EQ(mapped.code(), bad.code) << bad.path;
    EXPECT_THAT(read.message(), HasSubstr(bad.path));
    EXPECT_THAT(read.message(), HasSubstr(bad.reason));
    EXPECT_EQ(read.message(), mapped.message());
  }
}

}  // namespace
}  // namespace podium
