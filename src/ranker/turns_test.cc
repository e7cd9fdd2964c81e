#include "ranker/turns.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace podium {
namespace {

using Clock = std::chrono::steady_clock;

TEST(Turns, OneAtATime) {
  Turns turns;
  int inside = 0;  // a plain int: the turn itself must order the accesses
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 500; ++i) {
        ASSERT_TRUE(turns.Enter({}).ok());
        const LeaveAtEnd leave(turns);
        ++inside;
        ASSERT_EQ(inside, 1);
        --inside;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Turns, AWaiterGivesUpAtItsDeadlineAndTheNextIsNotLost) {
  Turns turns;
  ASSERT_TRUE(turns.Enter({}).ok());
  Interrupt soon;
  soon.deadline = Clock::now() + std::chrono::milliseconds(20);
  EXPECT_EQ(turns.Enter(soon).code(), StatusCode::kDeadlineExceeded);

  std::atomic<bool> cancel{false};
  Interrupt cancellable;
  cancellable.cancel = &cancel;
  std::thread waiter([&] { EXPECT_EQ(turns.Enter(cancellable).code(), StatusCode::kCancelled); });
  std::thread last([&] {
    EXPECT_TRUE(turns.Enter({}).ok());
    turns.Leave();
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  cancel = true;
  waiter.join();
  turns.Leave();
  last.join();
}

TEST(Turns, FirstComeFirstServed) {
  Turns turns;
  ASSERT_TRUE(turns.Enter({}).ok());
  std::vector<int> order;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&turns, &order, t] {
      EXPECT_TRUE(turns.Enter({}).ok());
      order.push_back(t);
      turns.Leave();
    });
    while (turns.queued() < static_cast<size_t>(t) + 2) std::this_thread::yield();
  }
  turns.Leave();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3}));
}

}  // namespace
}  // namespace podium
