#include "base/bus_error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "base/file.h"

namespace podium {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr size_t kPages = 16;

// A file of kPages pages of 'x', removed at the end.
class PagedFile {
 public:
  explicit PagedFile(const char* name)
      : page_(static_cast<size_t>(::sysconf(_SC_PAGESIZE))),
        path_(testing::TempDir() + "/podium_bus_" + name + std::to_string(::getpid())) {
    std::ofstream(path_, std::ios::binary) << std::string(kPages * page_, 'x');
  }
  ~PagedFile() { std::filesystem::remove(path_); }
  PagedFile(const PagedFile&) = delete;
  PagedFile& operator=(const PagedFile&) = delete;
  const std::string& path() const { return path_; }
  size_t page() const { return page_; }
  void Cut(size_t bytes) const { std::filesystem::resize_file(path_, bytes); }

 private:
  size_t page_;
  std::string path_;
};

// The mapping changes under its readers, which is the point; ThreadSanitizer takes mmap for a
// write.
__attribute__((noinline, no_sanitize("thread"))) char At(const MappedFile& file, size_t index) {
  return static_cast<char>(*const_cast<const volatile std::byte*>(file.bytes().data() + index));
}

TEST(MappedFile, SaysThatItWasCutShortOrWrittenTo) {
  const PagedFile paged("changed");
  const auto file = MappedFile::Open(paged.path());
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(file->CheckUnchanged().ok());

  // Renaming another file over it is the way that changes nothing for who has it open.
  const std::string other = paged.path() + ".new";
  std::filesystem::copy_file(paged.path(), other);
  std::filesystem::rename(other, paged.path());
  EXPECT_TRUE(file->CheckUnchanged().ok());

  const auto again = MappedFile::Open(paged.path());
  ASSERT_TRUE(again.ok());
  std::filesystem::last_write_time(
      paged.path(), std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  EXPECT_EQ(again->CheckUnchanged().code(), StatusCode::kIo);
  EXPECT_THAT(again->CheckUnchanged().message(),
              AllOf(HasSubstr(paged.path()), HasSubstr("written to while it was in use")));
  paged.Cut(100);
  EXPECT_THAT(
      again->CheckUnchanged().message(),
      HasSubstr("cut short from " + std::to_string(kPages * paged.page()) + " to 100 bytes"));
  paged.Cut(kPages * paged.page() + 1);
  EXPECT_THAT(again->CheckUnchanged().message(), HasSubstr("grown from"));
}

TEST(BusError, LostPagesReadAsZerosAndAreReported) {
  CatchBusErrors();
  CatchBusErrors();  // twice does not chain to itself
  const PagedFile paged("lost");
  auto opened = MappedFile::Open(paged.path());
  ASSERT_TRUE(opened.ok());
  const MappedFile file = std::move(*opened);  // the range moves along
  paged.Cut(4 * paged.page());
  EXPECT_EQ(At(file, 4 * paged.page() - 1), 'x');
  std::vector<std::thread> readers;
  for (size_t reader = 0; reader < 4; ++reader) {
    readers.emplace_back([&, reader] {
      for (size_t page = 4 + reader; page < kPages; ++page) {
        EXPECT_EQ(At(file, page * paged.page() + 7), 0) << page;
      }
    });
  }
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(At(file, 0), 'x');
  EXPECT_THAT(file.CheckUnchanged().message(), HasSubstr("cut short from"));
  // Grown back to its size, as by a copy over it: what was lost stays lost.
  paged.Cut(kPages * paged.page());
  EXPECT_EQ(file.CheckUnchanged().code(), StatusCode::kIo);
  EXPECT_THAT(file.CheckUnchanged().message(), HasSubstr("could not be read while"));
  // A slot that is used again starts afresh.
  const PagedFile next("next");
  EXPECT_TRUE(MappedFile::Open(next.path())->CheckUnchanged().ok());
}

// Touches a lost page of a mapping that is not a MappedFile.
void FaultElsewhere() {
  const PagedFile paged("elsewhere");
  auto* file = std::fopen(paged.path().c_str(), "rb");
  void* data = ::mmap(nullptr, kPages * paged.page(), PROT_READ, MAP_PRIVATE, ::fileno(file), 0);
  paged.Cut(0);
  std::filesystem::remove(paged.path());
  if (*static_cast<const volatile char*>(data) == 0) std::exit(3);
}

void ExitWithSeven(int) { ::_exit(7); }
void ExitWithEight(int, siginfo_t* info, void*) { ::_exit(info->si_code == BUS_ADRERR ? 8 : 9); }

TEST(BusErrorDeathTest, OthersFaultsGoToTheHandlerThatWasThere) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a process of its own: no handler yet
  EXPECT_EXIT(
      {
        std::signal(SIGBUS, ExitWithSeven);
        CatchBusErrors();
        FaultElsewhere();
      },
      testing::ExitedWithCode(7), "");
  EXPECT_EXIT(
      {
        struct sigaction action = {};
        action.sa_sigaction = ExitWithEight;
        action.sa_flags = SA_SIGINFO;
        ::sigaction(SIGBUS, &action, nullptr);
        CatchBusErrors();
        FaultElsewhere();
      },
      testing::ExitedWithCode(8), "");
  for (auto* disposition : {SIG_DFL, SIG_IGN}) {
    EXPECT_EXIT(
        {
          std::signal(SIGBUS, disposition);
          CatchBusErrors();
          FaultElsewhere();
        },
        testing::KilledBySignal(SIGBUS), "");
  }
  EXPECT_EXIT(
      {
        std::signal(SIGBUS, SIG_DFL);
        CatchBusErrors();
        ::raise(SIGBUS);
      },
      testing::KilledBySignal(SIGBUS), "");
  EXPECT_EXIT(
      {
        std::signal(SIGBUS, SIG_IGN);
        CatchBusErrors();
        ::raise(SIGBUS);
        std::exit(5);
      },
      testing::ExitedWithCode(5), "");
}

}  // namespace
}  // namespace podium
