// Every allocation of a call fails in its turn: the C interface answers with an error that can be
// read and freed, lets no exception out, leaks nothing, and the next call is fine.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <new>
#include <string>
#include <vector>

#include "podium/podium.h"

namespace {

std::atomic<int64_t> allocations_left{-1};  // negative: no end
std::atomic<int64_t> live{0};

void* Allocate(size_t size, size_t alignment) {
  if (allocations_left.load() >= 0 && allocations_left.fetch_sub(1) == 0) {
    allocations_left.store(0);  // memory stays exhausted until the call is over
    return nullptr;
  }
  void* const memory =
      std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (memory != nullptr) live.fetch_add(1);
  return memory;
}

void* AllocateOrThrow(size_t size, size_t alignment) {
  void* const memory = Allocate(size == 0 ? 1 : size, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void Release(void* memory) {
  if (memory != nullptr) live.fetch_sub(1);
  std::free(memory);
}

}  // namespace

#define PODIUM_SEEN [[gnu::visibility("default")]]
PODIUM_SEEN void* operator new(size_t size) { return AllocateOrThrow(size, 16); }
PODIUM_SEEN void* operator new[](size_t size) { return AllocateOrThrow(size, 16); }
PODIUM_SEEN void* operator new(size_t size, std::align_val_t alignment) {
  return AllocateOrThrow(size, static_cast<size_t>(alignment));
}
PODIUM_SEEN void* operator new[](size_t size, std::align_val_t alignment) {
  return AllocateOrThrow(size, static_cast<size_t>(alignment));
}
PODIUM_SEEN void* operator new(size_t size, const std::nothrow_t&) noexcept {
  return Allocate(size == 0 ? 1 : size, 16);
}
PODIUM_SEEN void* operator new[](size_t size, const std::nothrow_t&) noexcept {
  return Allocate(size == 0 ? 1 : size, 16);
}
PODIUM_SEEN void operator delete(void* memory) noexcept { Release(memory); }
PODIUM_SEEN void operator delete[](void* memory) noexcept { Release(memory); }
PODIUM_SEEN void operator delete(void* memory, size_t) noexcept { Release(memory); }
PODIUM_SEEN void operator delete[](void* memory, size_t) noexcept { Release(memory); }
PODIUM_SEEN void operator delete(void* memory, std::align_val_t) noexcept { Release(memory); }
PODIUM_SEEN void operator delete[](void* memory, std::align_val_t) noexcept { Release(memory); }
PODIUM_SEEN void operator delete(void* memory, size_t, std::align_val_t) noexcept {
  Release(memory);
}
PODIUM_SEEN void operator delete[](void* memory, size_t, std::align_val_t) noexcept {
  Release(memory);
}
PODIUM_SEEN void operator delete(void* memory, const std::nothrow_t&) noexcept { Release(memory); }
PODIUM_SEEN void operator delete[](void* memory, const std::nothrow_t&) noexcept {
  Release(memory);
}

namespace {

constexpr const char* kModel = PODIUM_SOURCE_DIR "/models/podium-mini-zh-en";

struct Outcome {
  podium_code code = PODIUM_OK;
  podium_error* error = nullptr;
};

// Lets the 1st, 2nd, … allocation of `call` fail and all after it; returns how many there were.
// With `step` above 1 only every step-th is tried.
int64_t FailEach(const std::function<Outcome()>& call, int64_t step = 1) {
  for (int64_t n = 0;; n += step) {
    const int64_t live_before = live.load();
    allocations_left.store(n);
    const Outcome outcome = call();
    const bool exhausted = allocations_left.load() == 0;
    allocations_left.store(-1);
    if (outcome.code == PODIUM_OK) {
      EXPECT_EQ(outcome.error, nullptr);
      EXPECT_EQ(live.load(), live_before) << "leaks";
      return n;
    }
    EXPECT_TRUE(exhausted);
    EXPECT_EQ(outcome.code, PODIUM_RESOURCE_EXHAUSTED)
        << n << ": " << podium_error_message(outcome.error);
    EXPECT_EQ(podium_error_code(outcome.error), PODIUM_RESOURCE_EXHAUSTED);
    EXPECT_NE(std::string(podium_error_message(outcome.error)), "");
    podium_error_free(outcome.error);
    EXPECT_EQ(live.load(), live_before) << "allocation " << n << " failed: a leak";
    if (testing::Test::HasFailure()) return n;
  }
}

TEST(FailedAllocation, OptionsAndTokens) {
  EXPECT_EQ(FailEach([] {
              Outcome outcome;
              podium_options* const options = podium_options_new();
              podium_cancel_token* const token = podium_cancel_token_new();
              outcome.code =
                  options == nullptr || token == nullptr ? PODIUM_RESOURCE_EXHAUSTED : PODIUM_OK;
              if (outcome.code != PODIUM_OK) {  // no call that has an error
                EXPECT_EQ(
                    podium_options_set(options, "isa", "a long name that no string holds in itself",
                                       &outcome.error) == PODIUM_OK,
                    false);
              }
              podium_options_free(options);
              podium_cancel_token_free(token);
              return outcome;
            }),
            2);
}

TEST(FailedAllocation, Rank) {
  podium_options* const options = podium_options_new();
  ASSERT_EQ(podium_options_set(options, "threads", "1", nullptr), PODIUM_OK);
  podium_reranker* reranker = nullptr;
  ASSERT_EQ(podium_open(kModel, options, &reranker, nullptr), PODIUM_OK);
  podium_options_free(options);
  const podium_text query = podium_text_of("what is a tomato");
  const std::vector<podium_text> documents = {podium_text_of("Trains run twice a day."), query};
  const auto rank = [&] {
    Outcome outcome;
    podium_results* results = nullptr;
    outcome.code = podium_rank(reranker, query, documents.data(), documents.size(), nullptr,
                               &results, &outcome.error);
    EXPECT_EQ(results != nullptr, outcome.code == PODIUM_OK);
    podium_results_free(results);
    return outcome;
  };
  rank();  // what is allocated once, by the first call
  EXPECT_GT(FailEach(rank), 5);
  const std::vector<podium_pair> pairs = {{query, documents[0]}, {query, documents[1]}};
  EXPECT_GT(FailEach([&] {
              Outcome outcome;
              podium_results* results = nullptr;
              outcome.code = podium_score_pairs(reranker, pairs.data(), pairs.size(), nullptr,
                                                &results, &outcome.error);
              podium_results_free(results);
              return outcome;
            }),
            5);
  podium_close(reranker);
}

}  // namespace
