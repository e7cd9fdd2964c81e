#include "podium/reranker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

namespace podium {
namespace {

using testing::HasSubstr;

constexpr const char* kModel = PODIUM_SOURCE_DIR "/models/podium-mini-zh-en";

OpenOptions Bundled(int threads = 0) {
  OpenOptions options;
  options.model = kModel;
  options.threads = threads;
  return options;
}

const std::vector<std::string_view> kDocuments = {
    "火车时刻表每年更新两次。", "番茄是茄科的一种植物，果实可以生吃，也可以做菜。", "",
    "The tomato is the edible berry of a plant.", "The warranty is two years."};

TEST(Reranker, ManyCallersGetTheSameScores) {
  const auto reranker = Reranker::Open(Bundled(2));
  ASSERT_TRUE(reranker.ok()) << reranker.status().ToString();
  const auto want = (*reranker)->Rank("什么是番茄", kDocuments);
  ASSERT_TRUE(want.ok());
  EXPECT_EQ((*want)[0].index, 1u);
  std::vector<std::thread> callers;
  for (int t = 0; t < 4; ++t) {
    callers.emplace_back([&] {
      for (int round = 0; round < 3; ++round) {
        const auto got = (*reranker)->Rank("什么是番茄", kDocuments);
        ASSERT_TRUE(got.ok());
        for (size_t i = 0; i < want->size(); ++i) {
          ASSERT_EQ((*got)[i].index, (*want)[i].index);
          ASSERT_EQ((*got)[i].score.logit, (*want)[i].score.logit);
        }
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
}

TEST(Reranker, RankAndScorePairsAgreeForAnyThreadsAndBatch) {
  std::vector<Pair> pairs;
  for (const std::string_view document : kDocuments)
    pairs.push_back({"what is a tomato", document});
  std::vector<float> want;
  for (const int threads : {1, 2}) {
    for (const int batch_tokens : {0, 1, 100}) {
      OpenOptions options = Bundled(threads);
      options.batch_tokens_max = batch_tokens;
      const auto reranker = Reranker::Open(options);
      ASSERT_TRUE(reranker.ok());
      const auto scores = (*reranker)->ScorePairs(pairs);
      ASSERT_TRUE(scores.ok());
      std::vector<float> logits;
      for (const Score& score : *scores) logits.push_back(score.logit);
      if (want.empty()) want = logits;
      EXPECT_EQ(logits, want) << threads << " threads, batches of " << batch_tokens;
      const auto ranking = (*reranker)->Rank("what is a tomato", kDocuments);
      ASSERT_TRUE(ranking.ok());
      for (const RankedDocument& hit : *ranking) EXPECT_EQ(hit.score.logit, want[hit.index]);
    }
  }
}

TEST(Reranker, CancelAndDeadline) {
  const auto reranker = Reranker::Open(Bundled());
  ASSERT_TRUE(reranker.ok());
  const std::atomic<bool> cancelled{true};
  RankOptions options;
  options.cancel = &cancelled;
  EXPECT_EQ((*reranker)->Rank("q", kDocuments, options).status().code(), StatusCode::kCancelled);
  options = {};
  options.deadline = std::chrono::steady_clock::now();
  EXPECT_EQ((*reranker)->Rank("q", kDocuments, options).status().code(),
            StatusCode::kDeadlineExceeded);
  EXPECT_TRUE((*reranker)->Rank("q", kDocuments).ok());
}

TEST(Reranker, Info) {
  const auto reranker = Reranker::Open(Bundled(1));
  ASSERT_TRUE(reranker.ok());
  const ModelInfo& info = (*reranker)->info();
  EXPECT_EQ(info.name, "podium-mini-zh-en");
  EXPECT_EQ(info.folder, kModel);
  EXPECT_EQ(info.architecture, "XLMRobertaForSequenceClassification");
  EXPECT_EQ(info.max_length, 512);
  EXPECT_EQ(info.threads, 1);
  EXPECT_EQ(info.parameters, 44680321u);
}

TEST(Reranker, RefusedOptionsNameWhatIsAllowed) {
  struct Case {
    void (*change)(OpenOptions&);
    std::vector<const char*> words;
  };
  const Case cases[] = {
      {[](OpenOptions& o) { o.model = ""; }, {"model"}},
      {[](OpenOptions& o) { o.precision = "int4"; }, {"precision", "int4", "fp32, int8"}},
      {[](OpenOptions& o) { o.isa = "mmx"; }, {"isa", "mmx", "scalar"}},
      {[](OpenOptions& o) { o.threads = -2; }, {"threads", "-2", "1024"}},
      {[](OpenOptions& o) { o.batch_tokens_max = -1; }, {"batch_tokens_max", "-1"}},
      {[](OpenOptions& o) { o.max_length = 513; }, {"max_length", "513", "512"}},
      {[](OpenOptions& o) { o.max_length = 5; }, {"max_length", "got 5", "6"}},
  };
  for (const Case& c : cases) {
    OpenOptions options = Bundled(1);
    c.change(options);
    const auto reranker = Reranker::Open(options);
    ASSERT_FALSE(reranker.ok());
    EXPECT_EQ(reranker.status().code(), StatusCode::kInvalidArgument);
    for (const char* word : c.words) EXPECT_THAT(reranker.status().message(), HasSubstr(word));
  }
}

}  // namespace
}  // namespace podium
