#include "batch/queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <random>
#include <thread>
#include <vector>

#include "batch/worker.h"
#include "engine/fake/fake_engine.h"

namespace podium {
namespace {

using Clock = std::chrono::steady_clock;

constexpr BatchBudget kBudget{.tokens_max = 256, .sequences_max = 16, .attention_cost = 0};

std::unique_ptr<Jobs> MakeJobs(std::mt19937& random, size_t pairs) {
  auto jobs = std::make_unique<Jobs>();
  for (size_t i = 0; i < pairs; ++i) {
    const int length = 1 + static_cast<int>(random() % 40);
    jobs->lengths.push_back(length);
    for (int t = 0; t < length; ++t) {
      jobs->ids.push_back(static_cast<int32_t>(random() % 900));
      jobs->types.push_back(static_cast<uint8_t>(t % 2));
    }
  }
  return jobs;
}

// A queue, its worker and a fake lane.
struct Rig {
  explicit Rig(const FakeEngineOptions& options = {})
      : engine(options), lane(*engine.NewLane(team, {.length_max = 64, .batch_tokens_max = 256})) {
    worker = std::make_unique<Worker>(
        queue,
        [this](int, const Batch& batch, std::span<float> logits, const Interrupt& interrupt) {
          return lane->Score(batch, logits, interrupt);
        },
        [this](const BatchReport& report) { pairs += report.pairs; });
  }

  std::future<JobsResult> Add(std::unique_ptr<Jobs> jobs, uint64_t* number = nullptr) {
    auto promise = std::make_shared<std::promise<JobsResult>>();
    const uint64_t added =
        queue.Add(std::move(jobs), Completion<JobsResult>([promise](JobsResult result) {
                    promise->set_value(std::move(result));
                  }));
    if (number != nullptr) *number = added;
    return promise->get_future();
  }

  FakeEngine engine;
  Team team{1};
  std::unique_ptr<Lane> lane;
  JobQueue queue{{kBudget}};
  std::atomic<int> pairs{0};
  std::unique_ptr<Worker> worker;
};

void ExpectRight(const Jobs& jobs) {
  size_t at = 0;
  for (size_t i = 0; i < jobs.lengths.size(); ++i) {
    const auto length = static_cast<size_t>(jobs.lengths[i]);
    EXPECT_EQ(jobs.logits[i], FakeEngine::Logit(std::span(jobs.ids).subspan(at, length),
                                                std::span(jobs.types).subspan(at, length)));
    at += length;
  }
}

TEST(JobQueue, EachRequestGetsItsOwnLogits) {
  Rig rig;
  std::vector<std::thread> clients;
  std::atomic<int> answered{0};
  for (uint32_t client = 0; client < 8; ++client) {
    clients.emplace_back([&, client] {
      std::mt19937 random(client);
      for (int i = 0; i < 30; ++i) {
        JobsResult result = rig.Add(MakeJobs(random, 1 + random() % 60)).get();
        ASSERT_TRUE(result.status.ok()) << result.status.ToString();
        ExpectRight(*result.jobs);
        EXPECT_LE(result.jobs->queued, result.jobs->started);
        EXPECT_LE(result.jobs->started, result.jobs->ended);
        ++answered;
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(answered, 240);
  EXPECT_EQ(rig.queue.pairs(0), 0u);
  EXPECT_EQ(rig.queue.SecondsInside(), 0);
  EXPECT_GT(rig.queue.speed(0), 0);
  EXPECT_FALSE(rig.engine.counts().overlapped);
}

// Clients that leave at any moment: each request ends once, the others are right, nothing is left.
TEST(JobQueue, CancelStorm) {
  Rig rig({.delay = std::chrono::microseconds(300)});
  std::vector<std::thread> clients;
  std::atomic<int> cancelled{0};
  for (uint32_t client = 0; client < 8; ++client) {
    clients.emplace_back([&, client] {
      std::mt19937 random(client);
      for (int i = 0; i < 40; ++i) {
        uint64_t number = 0;
        auto future = rig.Add(MakeJobs(random, 1 + random() % 60), &number);
        if (random() % 2 == 0) {
          std::this_thread::sleep_for(std::chrono::microseconds(random() % 2000));
          rig.queue.Cancel(number);
          rig.queue.Cancel(number);
        }
        JobsResult result = future.get();
        if (result.status.ok()) {
          ExpectRight(*result.jobs);
        } else {
          EXPECT_EQ(result.status.code(), StatusCode::kCancelled);
          ++cancelled;
        }
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_GT(cancelled, 20);
  EXPECT_EQ(rig.queue.pairs(0), 0u);
  EXPECT_EQ(rig.queue.SecondsInside(), 0);
}

TEST(JobQueue, WorkThatNobodyWantsIsStopped) {
  Rig rig({.delay = std::chrono::seconds(20)});
  std::mt19937 random(1);
  uint64_t number = 0;
  auto future = rig.Add(MakeJobs(random, 3), &number);
  while (rig.engine.counts().inside == 0) std::this_thread::yield();
  const auto start = Clock::now();
  rig.queue.Cancel(number);
  EXPECT_EQ(future.get().status.code(), StatusCode::kCancelled);
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(10));
}

TEST(JobQueue, AnEngineErrorEndsTheRequestsOfItsBatchOnly) {
  Rig rig({.fail_call = 2});
  std::mt19937 random(1);
  EXPECT_TRUE(rig.Add(MakeJobs(random, 3)).get().status.ok());
  JobsResult failed = rig.Add(MakeJobs(random, 60)).get();  // several batches; the first one fails
  EXPECT_EQ(failed.status.code(), StatusCode::kInternal);
  ASSERT_NE(failed.jobs, nullptr);
  EXPECT_EQ(failed.jobs->batches, 1) << "its other pairs are not computed";
  EXPECT_TRUE(rig.Add(MakeJobs(random, 3)).get().status.ok());
  EXPECT_EQ(rig.queue.pairs(0), 0u);
}

TEST(JobQueue, DeadlinesThatPassWhileWaiting) {
  Rig rig({.delay = std::chrono::milliseconds(100)});
  std::mt19937 random(1);
  auto first = rig.Add(MakeJobs(random, 2));
  while (rig.engine.counts().inside == 0) std::this_thread::yield();
  auto late = MakeJobs(random, 2);
  late->deadline = Clock::now() + std::chrono::milliseconds(5);
  EXPECT_EQ(rig.Add(std::move(late)).get().status.code(), StatusCode::kDeadlineExceeded);
  EXPECT_TRUE(first.get().status.ok());
  EXPECT_EQ(rig.engine.counts().sequences, 2) << "computed for nobody";
}

TEST(JobQueue, WhatWasAddedIsAnsweredBeforeTheWorkerEnds) {
  Rig rig({.delay = std::chrono::milliseconds(1)});
  std::mt19937 random(1);
  std::vector<std::future<JobsResult>> futures;
  for (int i = 0; i < 20; ++i) futures.push_back(rig.Add(MakeJobs(random, 10)));
  rig.worker.reset();
  for (auto& future : futures) EXPECT_TRUE(future.get().status.ok());
  EXPECT_EQ(rig.pairs, 200);
}

}  // namespace
}  // namespace podium
