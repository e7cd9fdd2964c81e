#include "ranker/ranker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <set>
#include <string>
#include <thread>

#include "base/concat.h"
#include "engine/fake/fake_engine.h"
#include "tests/support/byte_tokenizer.h"

namespace podium {
namespace {

using Clock = std::chrono::steady_clock;
using testing::HasSubstr;

struct Rig {
  std::unique_ptr<Ranker> ranker;
  const ByteTokenizer* tokenizer = nullptr;
  FakeEngineCounts* counts = nullptr;
};

Result<Rig> TryMake(const FakeEngineOptions& engine_options, const RankerOptions& options = {},
                    int tokenizer_length_max = 0, int vocabulary = 300) {
  Rig rig;
  Ranker::Parts parts;
  auto tokenizer = std::make_unique<ByteTokenizer>(tokenizer_length_max, vocabulary);
  auto engine = std::make_unique<FakeEngine>(engine_options);
  rig.tokenizer = tokenizer.get();
  rig.counts = &engine->counts();
  parts.tokenizer = std::move(tokenizer);
  parts.engine = std::move(engine);
  parts.team = std::make_unique<Team>(1);
  PODIUM_ASSIGN_OR_RETURN(rig.ranker, Ranker::Make(std::move(parts), options));
  return rig;
}

Rig Make(const FakeEngineOptions& engine_options = {}, const RankerOptions& options = {}) {
  auto rig = TryMake(engine_options, options);
  EXPECT_TRUE(rig.ok()) << rig.status().ToString();
  return *std::move(rig);
}

Result<std::vector<Score>> ScoreDocuments(const Ranker& ranker, std::string_view query,
                                          const std::vector<std::string>& documents,
                                          const Interrupt& interrupt = {}) {
  return ranker.ScoreAll(
      documents.size(), [&](size_t i) { return Pair{query, documents[i]}; }, interrupt, "document");
}

std::vector<std::string> RandomDocuments(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::string> documents(count);
  for (std::string& document : documents) {
    document.resize(random() % 40);
    for (char& c : document) c = static_cast<char>('a' + random() % 3);
  }
  return documents;
}

TEST(Ranker, GivesTheEnginesLogitOfEachPair) {
  const Rig rig = Make();
  const auto scores = ScoreDocuments(*rig.ranker, "q", {"ab", "", "ab"});
  ASSERT_TRUE(scores.ok());
  const std::vector<int32_t> ids = {0, 10 + 'q', 2, 2, 10 + 'a', 10 + 'b', 2};
  const std::vector<uint8_t> types = {0, 0, 0, 1, 1, 1, 1};
  EXPECT_EQ((*scores)[0].logit, FakeEngine::Logit(ids, types));
  EXPECT_EQ((*scores)[0].tokens, 7);
  EXPECT_EQ((*scores)[1].tokens, 5);  // an empty document is still a pair
  EXPECT_EQ((*scores)[2].logit, (*scores)[0].logit);
  EXPECT_FALSE((*scores)[0].truncated);
}

TEST(Ranker, SegmentsAreNotSentToAModelThatHasOne) {
  FakeEngineOptions options;
  options.info.token_types = 1;
  const Rig rig = Make(options);
  const auto scores = ScoreDocuments(*rig.ranker, "q", {"a"});
  ASSERT_TRUE(scores.ok()) << scores.status().ToString();
  const std::vector<int32_t> ids = {0, 10 + 'q', 2, 2, 10 + 'a', 2};
  EXPECT_EQ((*scores)[0].logit, FakeEngine::Logit(ids, {}));
}

TEST(Ranker, QueryOnceEachDocumentOnceEachPairOnce) {
  const Rig rig = Make();
  ASSERT_TRUE(ScoreDocuments(*rig.ranker, "q", {"a", "b", "a", "a", "c", "b"}).ok());
  EXPECT_EQ(rig.tokenizer->encoded, 1 + 6);
  EXPECT_EQ(rig.counts->sequences, 3);
  EXPECT_EQ(rig.counts->calls, 1);
}

TEST(Ranker, TruncatedDocumentsWithTheSameStartAreOnePair) {
  const Rig rig = Make();
  const std::string start(100, 'x');
  const auto scores = ScoreDocuments(*rig.ranker, "q", {start + "1", start + "2", start});
  ASSERT_TRUE(scores.ok());
  EXPECT_EQ(rig.counts->sequences, 1);
  for (const Score& score : *scores) {
    EXPECT_TRUE(score.truncated);
    EXPECT_EQ(score.tokens, 64);
    EXPECT_EQ(score.logit, (*scores)[0].logit);
  }
}

TEST(Ranker, NoDocumentsNoCalls) {
  const Rig rig = Make();
  const auto scores = ScoreDocuments(*rig.ranker, "q", {});
  ASSERT_TRUE(scores.ok());
  EXPECT_TRUE(scores->empty());
  EXPECT_EQ(rig.counts->calls, 0);
}

TEST(Ranker, ScoresDoNotDependOnWindowsBatchesOrDuplicateMemory) {
  const std::vector<std::string> documents = RandomDocuments(500, 1);
  const auto want = ScoreDocuments(*Make().ranker, "query", documents);
  ASSERT_TRUE(want.ok());
  for (const RankerOptions& options :
       {RankerOptions{.batch_tokens_max = 1}, RankerOptions{.batch_sequences_max = 1},
        RankerOptions{.window_pairs_max = 1}, RankerOptions{.window_pairs_max = 7},
        RankerOptions{.window_tokens_max = 50}, RankerOptions{.duplicate_ids_max = 0},
        RankerOptions{.duplicate_ids_max = 200}}) {
    const Rig rig = Make({}, options);
    const auto got = ScoreDocuments(*rig.ranker, "query", documents);
    ASSERT_TRUE(got.ok()) << got.status().ToString();
    for (size_t i = 0; i < documents.size(); ++i) {
      ASSERT_EQ((*got)[i].logit, (*want)[i].logit) << i;
      ASSERT_EQ((*got)[i].tokens, (*want)[i].tokens) << i;
    }
  }
}

TEST(Ranker, PairsWithManyQueries) {
  const Rig rig = Make();
  const std::vector<Pair> pairs = {{"q1", "a"}, {"q1", "b"}, {"q2", "a"}, {"q1", "a"}};
  const auto scores =
      rig.ranker->ScoreAll(pairs.size(), [&](size_t i) { return pairs[i]; }, {}, "pair");
  ASSERT_TRUE(scores.ok());
  EXPECT_EQ((*scores)[0].logit, (*scores)[3].logit);
  EXPECT_NE((*scores)[0].logit, (*scores)[2].logit);
  EXPECT_EQ(rig.tokenizer->encoded, 3 + 4);  // q1, q2, q1 again
  EXPECT_EQ(rig.counts->sequences, 3);
}

TEST(Ranker, EveryFailingCallIsACleanErrorAndTheNextRequestIsFine) {
  const std::vector<std::string> documents = RandomDocuments(50, 2);
  const RankerOptions small{.batch_tokens_max = 100, .window_pairs_max = 20};
  const Rig healthy = Make({}, small);
  const auto want = ScoreDocuments(*healthy.ranker, "q", documents);
  const int calls = healthy.counts->calls;
  ASSERT_GT(calls, 5);
  for (int call = 1; call <= calls; ++call) {
    FakeEngineOptions options;
    options.fail_call = call;
    const Rig rig = Make(options, small);
    const auto failed = ScoreDocuments(*rig.ranker, "q", documents);
    ASSERT_FALSE(failed.ok());
    EXPECT_EQ(failed.status().code(), StatusCode::kInternal);
    EXPECT_THAT(failed.status().message(), HasSubstr(Concat("call ", call, " fails")));
    const auto next = ScoreDocuments(*rig.ranker, "q", documents);
    ASSERT_TRUE(next.ok());
    for (size_t i = 0; i < documents.size(); ++i) ASSERT_EQ((*next)[i].logit, (*want)[i].logit);
  }
}

TEST(Ranker, NanNamesTheDocument) {
  FakeEngineOptions options;
  options.nan_id = 10 + '!';
  const Rig rig = Make(options, {.window_pairs_max = 2});
  const auto scores = ScoreDocuments(*rig.ranker, "q", {"a", "b", "c", "d!", "e"});
  ASSERT_FALSE(scores.ok());
  EXPECT_EQ(scores.status().code(), StatusCode::kInternal);
  EXPECT_THAT(scores.status().message(), HasSubstr("document 3"));
  EXPECT_TRUE(ScoreDocuments(*rig.ranker, "q", {"a"}).ok());
}

TEST(Ranker, CancelAndDeadline) {
  FakeEngineOptions options;
  options.delay = std::chrono::seconds(30);
  const Rig rig = Make(options);

  Interrupt passed;
  passed.deadline = Clock::now();
  EXPECT_EQ(ScoreDocuments(*rig.ranker, "q", {"a"}, passed).status().code(),
            StatusCode::kDeadlineExceeded);
  EXPECT_EQ(rig.counts->calls, 0);  // nothing was computed for it

  Interrupt soon;
  soon.deadline = Clock::now() + std::chrono::milliseconds(30);
  EXPECT_EQ(ScoreDocuments(*rig.ranker, "q", {"a"}, soon).status().code(),
            StatusCode::kDeadlineExceeded);

  std::atomic<bool> cancel{false};
  Interrupt interrupt;
  interrupt.cancel = &cancel;
  std::thread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    cancel = true;
  });
  EXPECT_EQ(ScoreDocuments(*rig.ranker, "q", {"a"}, interrupt).status().code(),
            StatusCode::kCancelled);
  canceller.join();
}

TEST(Ranker, AWaitingCallerObeysItsDeadline) {
  FakeEngineOptions options;
  options.delay = std::chrono::seconds(30);
  const Rig rig = Make(options);
  std::atomic<bool> cancel{false};
  Interrupt holder;
  holder.cancel = &cancel;
  std::thread busy([&] {
    EXPECT_EQ(ScoreDocuments(*rig.ranker, "q", {"a"}, holder).status().code(),
              StatusCode::kCancelled);
  });
  while (rig.counts->inside == 0) std::this_thread::yield();
  Interrupt soon;
  soon.deadline = Clock::now() + std::chrono::milliseconds(20);
  EXPECT_EQ(ScoreDocuments(*rig.ranker, "q", {"b"}, soon).status().code(),
            StatusCode::kDeadlineExceeded);
  EXPECT_EQ(rig.counts->calls, 1);
  cancel = true;
  busy.join();
}

TEST(Ranker, ManyThreadsSameScoresOneCallAtATime) {
  const std::vector<std::string> documents = RandomDocuments(60, 3);
  const Rig rig = Make({}, {.batch_tokens_max = 200});
  const auto want = ScoreDocuments(*rig.ranker, "q", documents);
  ASSERT_TRUE(want.ok());
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([&] {
      for (int round = 0; round < 20; ++round) {
        const auto got = ScoreDocuments(*rig.ranker, "q", documents);
        ASSERT_TRUE(got.ok());
        for (size_t i = 0; i < documents.size(); ++i) {
          ASSERT_EQ((*got)[i].logit, (*want)[i].logit);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(rig.counts->overlapped);
}

TEST(Ranker, LongPairsCountWithTheirAttention) {
  const std::vector<std::string> documents = RandomDocuments(60, 3);
  int calls[2];
  for (const bool counted : {false, true}) {
    FakeEngineOptions options;
    if (counted) options.info.attention_cost = 1.0 / 16;
    const Rig rig = Make(options, {.batch_tokens_max = 200});
    ASSERT_TRUE(ScoreDocuments(*rig.ranker, "q", documents).ok());
    calls[counted] = rig.counts->calls;
  }
  EXPECT_GT(calls[true], calls[false]);
}

TEST(Ranker, NoMemoryForALaneIsAnError) {
  FakeEngineOptions options;
  options.lanes = false;
  EXPECT_EQ(TryMake(options).status().code(), StatusCode::kResourceExhausted);
}

TEST(Ranker, LimitsAreTheSmallestOfAll) {
  FakeEngineOptions options;
  options.info.length_max = 64;
  EXPECT_EQ(TryMake(options)->ranker->length_max(), 64);
  EXPECT_EQ(TryMake(options, {}, 32)->ranker->length_max(), 32);
  EXPECT_EQ(TryMake(options, {.max_length = 16}, 32)->ranker->length_max(), 16);
  EXPECT_EQ(TryMake(options, {.max_length = 6})->ranker->length_max(), 6);
}

TEST(Ranker, RefusedOptionsSayGotAndAllowed) {
  FakeEngineOptions options;
  struct Case {
    RankerOptions ranker;
    int tokenizer_length_max;
    int vocabulary;
    StatusCode code;
    std::vector<const char*> words;
  };
  const Case cases[] = {
      {{.max_length = 65}, 0, 300, StatusCode::kInvalidArgument, {"max_length", "65", "64"}},
      {{.max_length = 33}, 32, 300, StatusCode::kInvalidArgument, {"max_length", "33", "32"}},
      {{.max_length = 5}, 0, 300, StatusCode::kInvalidArgument, {"got 5", "at least 6"}},
      {{.max_length = -1}, 0, 300, StatusCode::kInvalidArgument, {"got -1", "at least 6"}},
      {{}, 5, 300, StatusCode::kCorrupt, {"5 tokens", "4 special"}},
      {{}, 0, 1001, StatusCode::kCorrupt, {"1001", "1000"}},
  };
  for (const Case& c : cases) {
    const auto rig = TryMake(options, c.ranker, c.tokenizer_length_max, c.vocabulary);
    ASSERT_FALSE(rig.ok());
    EXPECT_EQ(rig.status().code(), c.code);
    for (const char* word : c.words) EXPECT_THAT(rig.status().message(), HasSubstr(word));
  }
}

}  // namespace
}  // namespace podium
