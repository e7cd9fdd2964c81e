// Built with pull_absent.cc in place of the rest: what a build without the libraries answers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "hub/pull.h"

namespace podium::hub {
namespace {

TEST(PullAbsent, SaysSoAndWhatToDo) {
  const std::atomic<bool> go_on{false};
  const auto pulled = Pull(PullOptions(), ProcessEnvironment, PullEvents(), go_on);
  EXPECT_EQ(pulled.status().code(), StatusCode::kUnsupported);
  EXPECT_THAT(pulled.status().message(), testing::HasSubstr("without libcurl"));
  EXPECT_THAT(pulled.status().message(), testing::HasSubstr("PODIUM_PULL"));
}

}  // namespace
}  // namespace podium::hub
