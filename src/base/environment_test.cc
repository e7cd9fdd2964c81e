#include "base/environment.h"

#include <gtest/gtest.h>
#include <pwd.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace podium {
namespace {

TEST(Environment, WithoutHomeTheSystemsEntryStandsForIt) {
  const char* set = std::getenv("HOME");
  const std::string before = set == nullptr ? "" : set;
  ::setenv("HOME", "/somewhere", 1);
  EXPECT_EQ(ProcessEnvironment("HOME"), "/somewhere");
  ::unsetenv("HOME");
  const passwd* entry = ::getpwuid(::getuid());
  if (entry != nullptr) {
    EXPECT_EQ(ProcessEnvironment("HOME"), entry->pw_dir);
  } else {
    EXPECT_EQ(ProcessEnvironment("HOME"), std::nullopt);
  }
  EXPECT_EQ(ProcessEnvironment("PODIUM_NOT_SET"), std::nullopt);
  if (set != nullptr) ::setenv("HOME", before.c_str(), 1);
}

}  // namespace
}  // namespace podium
