// Any one allocation of a request fails, on whatever thread: it is answered, the next one is fine,
// and nothing is left inside.
#include <gtest/gtest.h>

#include <new>
#include <optional>
#include <string>

#include "base/concat.h"
#include "engine/fake/fake_engine.h"
#include "service/service.h"
#include "tests/support/byte_tokenizer.h"
#include "tests/support/failing_new.h"

namespace podium {
namespace {

using Clock = std::chrono::steady_clock;

std::unique_ptr<Service> MakeService() {
  auto cache = std::make_shared<TokenCache>(size_t{64} << 10);
  std::vector<std::unique_ptr<Ranker>> rankers;
  auto team = std::make_shared<Team>(1);
  for (int model = 0; model < 2; ++model) {
    Ranker::Parts parts;
    parts.tokenizer = std::make_unique<ByteTokenizer>();
    parts.engine = std::make_unique<FakeEngine>(FakeEngineOptions());
    parts.team = team;
    parts.token_cache = cache;
    auto made = Ranker::Make(std::move(parts), {.batch_tokens_max = 256});
    EXPECT_TRUE(made.ok());
    rankers.push_back(*std::move(made));
  }
  ServiceOptions options;
  options.token_cache = cache;
  return std::make_unique<Service>(std::move(rankers), options, [](const BatchReport&) {});
}

// Submits and waits; what came, or nullopt when Submit itself ran out of memory, which the caller
// (a connection) sees. The completion has fired by then in any case.
struct Slot {
  Mutex mutex;
  ConditionVariable changed;
  std::optional<Answer> answer GUARDED_BY(mutex);
};
Answer Ask(Service& service, ServiceRequest request, int64_t failing) {
  Slot slot;
  Completion<Answer> done([&slot](Answer answer) {
    MutexLock lock(slot.mutex);
    slot.answer.emplace(std::move(answer));
    slot.changed.notify_one();
  });
  allocations_left.store(failing);
  try {
    service.Submit(std::move(request), std::move(done));
  } catch (const std::bad_alloc&) {
    allocations_left.store(-1);
  }
  done = Completion<Answer>();  // where it was not even taken
  MutexLock lock(slot.mutex);
  while (!slot.answer) slot.changed.wait(slot.mutex);
  return std::move(*slot.answer);
}

TEST(Memory, AnyAllocationOfARequestMayFail) {
  const auto service = MakeService();
  std::vector<std::string> texts;
  for (int i = 0; i < 40; ++i) texts.push_back(Concat("a document of some length, number ", i));
  int failed = 0;
  int fine_in_a_row = 0;
  for (int64_t n = 0; fine_in_a_row < 20; ++n) {
    ASSERT_LT(n, 5000);
    ServiceRequest request;
    request.model = static_cast<int>(n % 2);
    request.key = "a key whose name is longer than a small string";
    const std::string query = Concat("another query, so that the cache does not know it: ", n);
    for (const std::string& text : texts) request.pairs.push_back({query, text});
    request.received = Clock::now();
    request.deadline = request.received + std::chrono::minutes(1);
    const Answer answer = Ask(*service, request, n);
    const bool met = allocations_left.exchange(-1) < 0;
    if (answer.status.ok()) {
      ASSERT_EQ(answer.scores.size(), texts.size());
      fine_in_a_row = met ? 0 : fine_in_a_row + 1;
    } else {
      ++failed;
      fine_in_a_row = 0;
    }
    const Answer next = Ask(*service, request, -1);
    ASSERT_TRUE(next.status.ok()) << n << ": " << next.status.ToString();
    ASSERT_EQ(service->load().requests, 0) << n;
    ASSERT_EQ(service->load().cost, 0) << n;
    ASSERT_TRUE(service->engines_work());
  }
  EXPECT_GT(failed, 50);
}

// The texts of /tokenize, on a text thread: the same.
TEST(Memory, AnyAllocationOfTokenizingMayFail) {
  const auto service = MakeService();
  int failed = 0;
  int fine_in_a_row = 0;
  for (int64_t n = 0; fine_in_a_row < 20; ++n) {
    ASSERT_LT(n, 1000);
    Mutex mutex;
    ConditionVariable changed;
    std::optional<bool> fine;
    Completion<Result<Service::Tokens>> done([&](Result<Service::Tokens> tokens) {
      MutexLock lock(mutex);
      fine = tokens.ok();
      changed.notify_one();
    });
    std::vector<std::string_view> texts = {"a text", "another one", "and a third"};
    allocations_left.store(n);
    try {
      service->Tokenize(0, nullptr, std::move(texts), true, std::move(done));
    } catch (const std::bad_alloc&) {
    }
    {
      MutexLock lock(mutex);
      while (!fine) changed.wait(mutex);
    }
    const bool met = allocations_left.exchange(-1) < 0;
    if (!*fine) ++failed;
    fine_in_a_row = *fine && !met ? fine_in_a_row + 1 : 0;
  }
  EXPECT_GT(failed, 5);
}

}  // namespace
}  // namespace podium
