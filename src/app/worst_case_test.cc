#include "app/worst_case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace podium {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;

using Sources = std::map<std::string, std::string>;
Sources Defaults() { return {{"body-bytes-inside-max", "default"}, {"body-bytes-max", "default"}}; }

ServeOptions Options(int64_t one, int64_t inside) {
  ServeOptions options;
  options.server.limits.body_bytes_max = one;
  options.routes.body_bytes_inside_max = inside;
  return options;
}

TEST(WorstCase, CountsABodyThatIsParsedByEachThread) {
  const ServeOptions options = Options(32 * kMiB, 512 * kMiB);
  const auto one = ComputeWorstCase(options, {.text_threads = 1});
  const auto two = ComputeWorstCase(options, {.text_threads = 2});
  EXPECT_EQ(two.fixed, one.fixed);
  EXPECT_EQ(two.bodies - one.bodies, 11 * 32 * kMiB);
  EXPECT_GE(one.bodies, (3 * 480 + 14 * 32) * kMiB);
  // No more can be parsed than may be inside.
  EXPECT_EQ(ComputeWorstCase(options, {.text_threads = 100}).bodies, 14 * 512 * kMiB);
}

TEST(WorstCase, BodiesGiveWayToTheLimit) {
  for (const int threads : {1, 2, 16}) {
    const ServedMemory served{.model_bytes = 110 * kMiB, .text_threads = threads};
    ServeOptions options = Options(32 * kMiB, 512 * kMiB);
    const WorstCase whole = ComputeWorstCase(options, served);
    int64_t last = 0;
    for (int64_t limit = whole.fixed + 100 * kMiB * threads; limit < whole.total();
         limit += 61 * kMiB) {
      options = Options(32 * kMiB, 512 * kMiB);
      const auto got = FitMemory(limit, served, Defaults(), options);
      ASSERT_TRUE(got.ok()) << limit / kMiB << ": " << got.status().ToString();
      EXPECT_LE(got->total(), limit);
      EXPECT_EQ(got->total(), ComputeWorstCase(options, served).total());
      EXPECT_LE(options.server.limits.body_bytes_max, options.routes.body_bytes_inside_max);
      EXPECT_EQ(options.routes.inflated_bytes_max, options.server.limits.body_bytes_max);
      EXPECT_GE(options.server.limits.body_bytes_max, last);  // more memory, no smaller bodies
      last = options.server.limits.body_bytes_max;
    }
    EXPECT_EQ(last, 32 * kMiB);
  }
}

TEST(WorstCase, WhatTheUserChoseStays) {
  const ServedMemory served{.model_bytes = 110 * kMiB};
  for (const char* name : {"body-bytes-inside-max", "body-bytes-max"}) {
    Sources sources = Defaults();
    sources[name] = "--flag";
    ServeOptions options = Options(32 * kMiB, 512 * kMiB);
    const int64_t limit = ComputeWorstCase(Options(16 * kMiB, 64 * kMiB), served).total();
    const auto got = FitMemory(limit, served, sources, options);
    EXPECT_EQ(got.status().code(), StatusCode::kResourceExhausted);
    EXPECT_THAT(got.status().message(), testing::HasSubstr("lower body-bytes-inside-max"));
    EXPECT_EQ(options.server.limits.body_bytes_max, 32 * kMiB);
    EXPECT_EQ(options.routes.body_bytes_inside_max, 512 * kMiB);
  }
}

TEST(WorstCase, NoLimitChangesNothing) {
  ServeOptions options = Options(32 * kMiB, 512 * kMiB);
  ASSERT_TRUE(FitMemory(0, {}, Defaults(), options).ok());
  EXPECT_EQ(options.routes.body_bytes_inside_max, 512 * kMiB);
}

TEST(WorstCase, TooLittleForAnyBodyIsRefused) {
  ServeOptions options = Options(32 * kMiB, 512 * kMiB);
  const auto got = FitMemory(100 * kMiB, {.model_bytes = 110 * kMiB}, Defaults(), options);
  EXPECT_EQ(got.status().code(), StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace podium
