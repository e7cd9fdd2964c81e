#include "hub/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "hub/digest.h"
#include "tests/support/temp_folder.h"

namespace podium::hub {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const std::atomic<bool> kGoOn{false};

TEST(FileLock, HoldsOthersOffUntilItIsReleased) {
  const testing_support::TempFolder folder;
  const std::string path = folder.path() + "/x.lock";
  std::optional<FileLock> first(*FileLock::Acquire(path, kGoOn, [] { FAIL(); }));
  std::atomic<bool> cancel{false};
  int waits = 0;
  const auto second = FileLock::Acquire(path, cancel, [&] {
    ++waits;
    cancel = true;
  });
  EXPECT_EQ(second.status().code(), StatusCode::kCancelled);
  EXPECT_EQ(waits, 1);
  const auto third = FileLock::Acquire(path, kGoOn, [&] { first.reset(); });
  EXPECT_TRUE(third.ok()) << third.status().ToString();
}

// Who held the lock removed its file and another one is there: the lock that counts is on that.
TEST(FileLock, AFileThatWasReplacedMeanwhileIsNoLock) {
  const testing_support::TempFolder folder;
  const std::string path = folder.path() + "/x.lock";
  std::optional<FileLock> first(*FileLock::Acquire(path, kGoOn, [] { FAIL(); }));
  const auto second = FileLock::Acquire(path, kGoOn, [&] {
    fs::remove(path);
    first.reset();
  });
  ASSERT_TRUE(second.ok());
  std::atomic<bool> cancel{false};
  const auto third = FileLock::Acquire(path, cancel, [&] { cancel = true; });
  EXPECT_EQ(third.status().code(), StatusCode::kCancelled);
}

TEST(CheckDigest, KnowsGitAndSha256) {
  const testing_support::TempFolder folder;
  const std::string path = folder.path() + "/x";
  std::ofstream(path) << "hello\n";
  uint64_t last = 0;
  const auto read = [&](uint64_t bytes) { last = bytes; };
  // As `git hash-object` and `sha256sum` print them.
  EXPECT_TRUE(CheckDigest(path, "ce013625030ba8dba906f756967f9e9ca394464a", kGoOn, read).ok());
  EXPECT_EQ(last, 6u);
  EXPECT_TRUE(CheckDigest(path, "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03",
                          kGoOn, read)
                  .ok());
  const Status wrong = CheckDigest(path, std::string(40, '0'), kGoOn, read);
  EXPECT_EQ(wrong.code(), StatusCode::kCorrupt);
  EXPECT_THAT(wrong.message(), HasSubstr("ce013625030ba8dba906f756967f9e9ca394464a"));
  std::ofstream(path) << "";
  EXPECT_TRUE(CheckDigest(path, "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391", kGoOn, read).ok());
  EXPECT_EQ(CheckDigest(path + "absent", std::string(40, '0'), kGoOn, read).code(),
            StatusCode::kIo);
}

TEST(IsDigest, OnlyLowerCaseHexadecimalOfTheTwoLengths) {
  EXPECT_TRUE(IsDigest(std::string(40, 'a')));
  EXPECT_TRUE(IsDigest(std::string(64, '0')));
  for (const std::string& text :
       {std::string(), std::string(39, 'a'), std::string(65, 'a'), std::string(40, 'A'),
        std::string(40, '/'), "../" + std::string(37, 'a')}) {
    EXPECT_FALSE(IsDigest(text)) << text;
  }
}

TEST(Store, LinksAreRelativeAndReplaceWhatLedNowhere) {
  const testing_support::TempFolder folder;
  const std::string commit(40, 'c');
  const Store store = Store::InCache(folder.path(), {"org/name", ""}, commit);
  ASSERT_TRUE(store.Prepare().ok());
  const std::string digest(64, 'a');
  std::ofstream(store.BlobPath(digest)) << "bytes";
  fs::create_symlink("nowhere", store.FilePath("config.json"));
  EXPECT_FALSE(store.IsTrusted("config.json"));
  ASSERT_TRUE(store.Publish("config.json", digest).ok());
  EXPECT_TRUE(store.IsTrusted("config.json"));
  EXPECT_EQ(fs::read_symlink(store.FilePath("config.json")), "../../blobs/" + digest);
  EXPECT_EQ(store.folder(), folder.path() + "/models--org--name/snapshots/" + commit);
}

TEST(Store, APlainFolderKeepsWhatIsNotOurs) {
  const testing_support::TempFolder folder;
  const Store store = Store::InFolder(folder.path());
  ASSERT_TRUE(store.Prepare().ok());
  const std::string digest(64, 'a');
  std::ofstream(store.BlobPath(digest)) << "bytes";
  // Two files of the same contents.
  ASSERT_TRUE(store.Publish("a", digest).ok());
  ASSERT_TRUE(store.Publish("b", digest).ok());
  std::ofstream(folder.path() + "/.cache/other") << "x";
  store.CleanUp(digest);
  store.CleanUpLock();
  EXPECT_FALSE(fs::exists(folder.path() + "/.cache/huggingface"));
  EXPECT_TRUE(fs::exists(folder.path() + "/.cache/other"));
  fs::remove(folder.path() + "/.cache/other");
  ASSERT_TRUE(store.Prepare().ok());
  store.CleanUpLock();
  EXPECT_FALSE(fs::exists(folder.path() + "/.cache"));
  EXPECT_EQ(fs::file_size(folder.path() + "/a"), 5u);
  EXPECT_EQ(fs::file_size(folder.path() + "/b"), 5u);
}

}  // namespace
}  // namespace podium::hub
