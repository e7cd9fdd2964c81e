#include "base/memory_lock.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <vector>

namespace podium {
namespace {

size_t LockedKib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmLck:")) return std::stoul(line.substr(6));
  }
  return 0;
}

constexpr const char* kSanitized = "mlock does nothing under sanitizers";

TEST(MemoryLock, WhatIsLockedIsCountedAsLocked) {
  if (PODIUM_SANITIZED != 0) GTEST_SKIP() << kSanitized;
  std::vector<char> memory(32 << 10);  // half of the least limit there is
  const size_t before = LockedKib();
  const Status status = LockMemory(memory.data(), memory.size(), "weights");
  if (!status.ok()) GTEST_SKIP() << status.message();
  EXPECT_GE(LockedKib(), before + 32);
  EXPECT_TRUE(LockMemory(nullptr, 0, "nothing").ok());
}

TEST(MemoryLock, ARefusalNamesWhatAndTheLimit) {
  if (PODIUM_SANITIZED != 0) GTEST_SKIP() << kSanitized;
  // A child of its own, because a limit cannot be raised again and root is above it.
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const rlimit none = {0, 0};
    std::string text = "no limit could be set";
    if (::setrlimit(RLIMIT_MEMLOCK, &none) == 0 && (::geteuid() != 0 || ::setuid(65534) == 0)) {
      static char memory[8192];
      text = LockMemory(memory, sizeof memory, "weights of x").message();
    }
    const ssize_t written = ::write(ends[1], text.data(), text.size());
    ::_exit(written == static_cast<ssize_t>(text.size()) ? 0 : 1);
  }
  ::close(ends[1]);
  std::string text;
  char part[512];
  for (ssize_t n; (n = ::read(ends[0], part, sizeof part)) > 0;)
    text.append(part, static_cast<size_t>(n));
  ::close(ends[0]);
  int state = 0;
  ASSERT_EQ(::waitpid(child, &state, 0), child);
  EXPECT_EQ(state, 0);
  EXPECT_TRUE(text.starts_with("weights of x: cannot lock 8192 bytes in memory: ")) << text;
  EXPECT_NE(text.find("may lock 0 bytes"), std::string::npos) << text;
}

}  // namespace
}  // namespace podium
