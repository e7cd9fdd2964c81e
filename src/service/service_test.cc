#include "service/service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <random>
#include <span>
#include <thread>

#include "base/concat.h"
#include "engine/fake/fake_engine.h"
#include "tests/support/byte_tokenizer.h"

namespace podium {
namespace {

using Clock = std::chrono::steady_clock;
using testing::HasSubstr;
using testing::Not;

struct Rig {
  explicit Rig(const FakeEngineOptions& engine_options = {}, const ServiceOptions& options = {})
      : Rig(std::span(&engine_options, 1), options) {}

  // A model for each engine; `counts` are the first one's.
  explicit Rig(std::span<const FakeEngineOptions> engines, const ServiceOptions& options = {}) {
    std::vector<std::unique_ptr<Ranker>> rankers;
    const auto team = std::make_shared<Team>(1);
    for (const FakeEngineOptions& engine_options : engines) {
      Ranker::Parts parts;
      parts.tokenizer = std::make_unique<ByteTokenizer>();
      auto engine = std::make_unique<FakeEngine>(engine_options);
      if (counts == nullptr) counts = &engine->counts();
      parts.engine = std::move(engine);
      parts.team = team;
      auto made = Ranker::Make(std::move(parts), {.batch_tokens_max = 256});
      EXPECT_TRUE(made.ok()) << made.status().ToString();
      rankers.push_back(*std::move(made));
    }
    service = std::make_unique<Service>(std::move(rankers), options, [](const BatchReport&) {});
  }

  std::future<Answer> Ask(ServiceRequest request,
                          std::shared_ptr<Service::Flight>* flight = nullptr) {
    auto promise = std::make_shared<std::promise<Answer>>();
    auto future = promise->get_future();
    auto submitted = service->Submit(
        std::move(request),
        Completion<Answer>([promise](Answer answer) { promise->set_value(std::move(answer)); }));
    if (flight != nullptr) *flight = std::move(submitted);
    return future;
  }

  FakeEngineCounts* counts = nullptr;
  std::unique_ptr<Service> service;
};

// Texts of their own, kept by the request.
ServiceRequest MakeRequest(std::mt19937& random, size_t count, int64_t timeout_ms = 60'000) {
  struct Texts {
    std::string query;
    std::vector<std::string> documents;
  };
  auto texts = std::make_shared<Texts>();
  texts->query = Concat("query ", random() % 5);
  for (size_t i = 0; i < count; ++i) {
    texts->documents.push_back(Concat("document ", random() % 50, std::string(random() % 30, 'x')));
  }
  ServiceRequest request;
  for (const std::string& document : texts->documents) {
    request.pairs.push_back({texts->query, document});
  }
  request.texts = texts;
  request.received = Clock::now();
  request.deadline = request.received + std::chrono::milliseconds(timeout_ms);
  return request;
}

TEST(Service, ScoresAsTheRankerDoes) {
  Rig rig;
  std::mt19937 random(1);
  std::vector<std::pair<ServiceRequest, std::future<Answer>>> asked;
  for (int i = 0; i < 40; ++i) {
    ServiceRequest request = MakeRequest(random, 1 + random() % 80);
    auto future = rig.Ask(request);
    asked.emplace_back(std::move(request), std::move(future));
  }
  for (auto& [request, future] : asked) {
    const Answer answer = future.get();
    ASSERT_TRUE(answer.status.ok()) << answer.status.ToString();
    const std::vector<Pair>& pairs = request.pairs;
    const auto want = rig.service->ranker(0).ScoreAll(
        pairs.size(), [&](size_t i) { return pairs[i]; }, {}, "document");
    ASSERT_EQ(answer.scores.size(), pairs.size());
    uint64_t tokens = 0;
    for (size_t i = 0; i < pairs.size(); ++i) {
      EXPECT_EQ(answer.scores[i].logit, (*want)[i].logit);
      EXPECT_EQ(answer.scores[i].truncated, (*want)[i].truncated);
      tokens += static_cast<uint64_t>((*want)[i].tokens);
    }
    EXPECT_EQ(answer.tokens, tokens);
  }
  EXPECT_EQ(rig.service->load().requests, 0);
  EXPECT_EQ(rig.service->load().cost, 0);
}

TEST(Service, OneRequestsOptionsAreItsOwn) {
  Rig rig;
  std::mt19937 random(1);
  ServiceRequest strict = MakeRequest(random, 2);
  const std::string long_document(200, 'x');
  strict.pairs[1].document = long_document;
  strict.encode.truncate = false;
  const Answer refused = rig.Ask(strict).get();
  EXPECT_EQ(refused.status.code(), StatusCode::kInvalidArgument);
  // 7 of the query, 200, 4 of the template.
  EXPECT_THAT(refused.status.message(),
              HasSubstr("document 1: with the query it has 211 tokens, at most 64"));
  strict.encode = {.document_tokens_max = 5};
  const Answer cut = rig.Ask(strict).get();
  ASSERT_TRUE(cut.status.ok());
  EXPECT_EQ(cut.truncated, 2);
  EXPECT_EQ(cut.tokens, 2u * (7 + 5 + 4));
}

TEST(Service, WhatIsCutMayLoseItsStart) {
  Rig rig;
  std::mt19937 random(1);
  const std::string head(100, 'a');
  const std::string tail(46, 'b');
  const std::string both = head + tail;
  ServiceRequest request = MakeRequest(random, 2);
  // 64 - 4 - 8 = 52 ids of a document stay.
  const std::string_view query = "qqqqqqqq";
  request.pairs = {{query, both}, {query, std::string_view(both).substr(94)}};
  request.encode.keep_end = true;
  const Answer answer = rig.Ask(request).get();
  ASSERT_TRUE(answer.status.ok());
  EXPECT_TRUE(answer.scores[0].truncated);
  EXPECT_FALSE(answer.scores[1].truncated);
  EXPECT_EQ(answer.scores[0].logit, answer.scores[1].logit);
}

TEST(Service, NoDocumentsIsAnError) {
  Rig rig;
  std::mt19937 random(1);
  EXPECT_EQ(rig.Ask(MakeRequest(random, 0)).get().status.code(), StatusCode::kInvalidArgument);
}

TEST(Service, AFullQueueRefusesAtOnceAndRecovers) {
  ServiceOptions options;
  options.admission.requests_max = 4;
  Rig rig({.delay = std::chrono::milliseconds(2)}, options);
  std::mt19937 random(1);
  std::vector<std::future<Answer>> futures;
  for (int i = 0; i < 40; ++i) futures.push_back(rig.Ask(MakeRequest(random, 20)));
  int refused = 0;
  for (auto& future : futures) {
    const Answer answer = future.get();
    if (answer.status.ok()) continue;
    ++refused;
    EXPECT_EQ(answer.status.code(), StatusCode::kResourceExhausted);
    EXPECT_EQ(answer.refusal, Refusal::kRequests);
    EXPECT_GE(answer.retry_after.count(), 1000);
  }
  EXPECT_GT(refused, 10);
  EXPECT_TRUE(rig.Ask(MakeRequest(random, 3)).get().status.ok());
  EXPECT_EQ(rig.service->load().requests, 0);
}

TEST(Service, WhatCannotBeInTimeIsRefusedBeforeItCostsAnything) {
  Rig rig({.delay = std::chrono::milliseconds(20)});
  std::mt19937 random(1);
  ASSERT_TRUE(rig.Ask(MakeRequest(random, 5)).get().status.ok());  // the speed is known now
  auto busy = rig.Ask(MakeRequest(random, 500));
  const int before = rig.counts->sequences;
  const Answer answer = rig.Ask(MakeRequest(random, 200, 30)).get();
  EXPECT_EQ(answer.refusal, Refusal::kDeadline);
  EXPECT_LE(rig.counts->sequences, before + 32);
  EXPECT_TRUE(busy.get().status.ok());
}

TEST(Service, ARefusalSaysWhetherOthersAreInTheWay) {
  Rig rig({.delay = std::chrono::milliseconds(20)});
  std::mt19937 random(1);
  ASSERT_TRUE(rig.Ask(MakeRequest(random, 5)).get().status.ok());  // the speed is known now
  const Answer idle = rig.Ask(MakeRequest(random, 500, 5)).get();
  EXPECT_EQ(idle.refusal, Refusal::kDeadline);
  EXPECT_THAT(idle.status.message(), HasSubstr("the request's time limit is too short: it takes"));
  EXPECT_THAT(idle.status.message(), Not(HasSubstr("busy")));
  const Clock::time_point start = Clock::now();
  ASSERT_TRUE(rig.Ask(MakeRequest(random, 100)).get().status.ok());
  const auto alone = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start);
  std::vector<std::future<Answer>> before;
  std::vector<std::shared_ptr<Service::Flight>> flights(20);
  for (auto& flight : flights) before.push_back(rig.Ask(MakeRequest(random, 100), &flight));
  const int enough_alone = static_cast<int>(4 * alone.count());
  const Answer behind = rig.Ask(MakeRequest(random, 100, enough_alone)).get();
  EXPECT_EQ(behind.refusal, Refusal::kDeadline);
  EXPECT_THAT(behind.status.message(), HasSubstr("the server is busy: the answer would take"));
  const Answer late = rig.Ask(MakeRequest(random, 1, 0)).get();
  EXPECT_EQ(late.refusal, Refusal::kDeadline);
  EXPECT_THAT(late.status.message(), HasSubstr("was over before it was let in"));
  for (const auto& flight : flights) Service::Cancel(*flight);
  for (auto& future : before) future.wait();
}

TEST(Service, EachModelHasItsOwnSpeed) {
  const FakeEngineOptions engines[] = {{.delay = std::chrono::milliseconds(20)}, {}};
  Rig rig(engines);
  std::mt19937 random(1);
  const auto ask = [&](int model, size_t count) {
    ServiceRequest request = MakeRequest(random, count, 5'000);
    request.model = model;
    return rig.Ask(std::move(request)).get();
  };
  ASSERT_TRUE(ask(0, 60).status.ok());
  ASSERT_TRUE(ask(1, 60).status.ok());
  const Service::Load load = rig.service->load();
  EXPECT_GT(load.models[1].speed, 2 * load.models[0].speed);
  const int before = rig.counts->sequences;
  // Some 600 batches, twelve seconds with the first.
  EXPECT_EQ(ask(0, 8'000).refusal, Refusal::kDeadline);
  EXPECT_EQ(rig.counts->sequences, before);
  EXPECT_TRUE(ask(1, 1'000).status.ok());
  EXPECT_EQ(rig.counts->sequences, before) << "scored by its own engine";
}

TEST(Service, ClientsThatLeave) {
  Rig rig({.delay = std::chrono::microseconds(500)});
  std::mt19937 random(1);
  std::vector<std::future<Answer>> futures;
  for (int i = 0; i < 100; ++i) {
    std::shared_ptr<Service::Flight> flight;
    futures.push_back(rig.Ask(MakeRequest(random, 1 + random() % 60), &flight));
    if (random() % 2 == 0) {
      if (random() % 2 == 0)
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 3000));
      Service::Cancel(*flight);
    }
  }
  int cancelled = 0;
  for (auto& future : futures) {
    const Answer answer = future.get();
    if (answer.status.code() == StatusCode::kCancelled) {
      ++cancelled;
    } else {
      EXPECT_TRUE(answer.status.ok()) << answer.status.ToString();
    }
  }
  EXPECT_GT(cancelled, 10);
  EXPECT_EQ(rig.service->load().requests, 0);
  EXPECT_EQ(rig.service->load().cost, 0);
}

TEST(Service, AModelThatFailsIsSeenAndForgotten) {
  Rig rig({.fail_call = 1});
  std::mt19937 random(1);
  EXPECT_EQ(rig.Ask(MakeRequest(random, 3)).get().status.code(), StatusCode::kInternal);
  EXPECT_FALSE(rig.service->engines_work());
  EXPECT_TRUE(rig.Ask(MakeRequest(random, 3)).get().status.ok());
  EXPECT_TRUE(rig.service->engines_work());
}

TEST(Service, ANanEndsOnlyItsRequest) {
  Rig rig({.nan_id = 10 + 'N'});
  std::mt19937 random(1);
  ServiceRequest bad = MakeRequest(random, 3);
  bad.pairs[2].document = "NaN";
  auto failed = rig.Ask(bad);
  auto fine = rig.Ask(MakeRequest(random, 3));
  EXPECT_THAT(failed.get().status.message(), HasSubstr("document 2"));
  EXPECT_TRUE(fine.get().status.ok());
}

TEST(Service, StoppingAnswersWhatIsInside) {
  Rig rig({.delay = std::chrono::milliseconds(1)});
  std::mt19937 random(1);
  std::vector<std::future<Answer>> futures;
  for (int i = 0; i < 20; ++i) futures.push_back(rig.Ask(MakeRequest(random, 30)));
  rig.service->StopAdmitting();
  EXPECT_EQ(rig.Ask(MakeRequest(random, 3)).get().refusal, Refusal::kStopping);
  rig.service.reset();
  for (auto& future : futures) EXPECT_TRUE(future.get().status.ok());
}

TEST(Service, Tokenizes) {
  Rig rig;
  const auto ask = [&](const std::vector<std::string_view>& texts, bool special) {
    std::promise<Result<Service::Tokens>> promise;
    rig.service->Tokenize(0, nullptr, texts, special,
                          Completion<Result<Service::Tokens>>([&](Result<Service::Tokens> tokens) {
                            promise.set_value(std::move(tokens));
                          }));
    return promise.get_future().get();
  };
  const auto plain = ask({"ab", ""}, false);
  ASSERT_TRUE(plain.ok());
  EXPECT_EQ((*plain)[0].size(), 4u);  // the rig's template has both sides of a pair
  EXPECT_EQ((*plain)[0][0].id, 10 + 'a');
  EXPECT_TRUE((*plain)[1].empty());
  const auto whole = ask({"ab"}, true);
  EXPECT_TRUE((*whole)[0].front().special);
  const std::string large(kTokenizedMax + 1, 'x');
  EXPECT_EQ(ask({large}, false).status().code(), StatusCode::kResourceExhausted);
}

TEST(Service, WarmUpTellsTheSpeed) {
  Rig rig;
  ASSERT_TRUE(rig.service->WarmUp().ok());
  EXPECT_GT(rig.service->load().models[0].speed, 0);
}

}  // namespace
}  // namespace podium
