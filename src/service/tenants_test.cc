// Several API keys on one engine: admission and the order of the waiting pairs together.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "batch/waiting.h"
#include "service/admission.h"

namespace podium {
namespace {

using TimePoint = WaitingPairs::TimePoint;

constexpr BatchBudget kBudget{.tokens_max = 2048, .sequences_max = 512};
constexpr double kSpeed = 50'000;  // cost per second
constexpr int kRequestsMax = 256;
constexpr std::chrono::seconds kLong{3600};

struct Tenant {
  std::string key;
  double rate = 0;  // requests a second
  double next = 0;  // arrives
  int answered = 0;
  int refused = 0;
  double longest = 0;  // from arrival to answer, in seconds
};

struct Request {
  size_t tenant = 0;
  double arrived = 0;
  size_t pairs_left = 0;
};

// One lane; each tenant's requests are 50 pairs of 34 tokens and come at random, at its rate.
void Serve(std::vector<Tenant>& tenants, double seconds, uint32_t seed) {
  const std::vector<int> lengths(50, 34);
  const double cost = kBudget.Cost(lengths);
  Admission admission({.requests_max = kRequestsMax, .cost_max = 400'000'000});
  admission.set_several_keys(true);
  WaitingPairs waiting({&kBudget, 1});
  std::mt19937 random(seed);
  const auto gap = [&](double rate) { return std::exponential_distribution<double>(rate)(random); };
  for (Tenant& tenant : tenants) tenant.next = gap(tenant.rate);
  std::vector<Request> requests;
  std::vector<JobSlice> batch;
  std::vector<uint64_t> expired;
  const double speed = kSpeed;
  for (double now = 0; now < seconds;) {
    for (size_t i = 0; i < tenants.size(); ++i) {
      Tenant& tenant = tenants[i];
      for (; tenant.next <= now; tenant.next += gap(tenant.rate)) {
        const double share = admission.ShareOfNext(tenant.key);
        if (admission.Enter(tenant.key, cost, std::chrono::seconds(0), kLong) != Refusal::kNone) {
          ++tenant.refused;
          continue;
        }
        waiting.Add(requests.size(), {.lengths = lengths, .share = share});
        requests.push_back({i, tenant.next, lengths.size()});
      }
    }
    if (waiting.requests() == 0) {
      now += 0.001;
      continue;
    }
    waiting.TakeBatch(TimePoint(), {&speed, 1}, batch, expired);
    double batch_cost = 0;
    for (const JobSlice& slice : batch) {
      batch_cost += kBudget.Cost({lengths.data(), slice.end - slice.begin});
    }
    now += batch_cost / kSpeed;
    for (const JobSlice& slice : batch) {
      Request& request = requests[slice.request];
      request.pairs_left -= slice.end - slice.begin;
      if (request.pairs_left > 0) continue;
      Tenant& tenant = tenants[request.tenant];
      admission.Leave(tenant.key, cost);
      ++tenant.answered;
      tenant.longest = std::max(tenant.longest, now - request.arrived);
    }
  }
}

// However many keys ask for twenty times the capacity each, one that asks for a third of its part
// is never refused, and waits as if it shared the engine with a single request of each of them.
TEST(Tenants, NoNumberOfKeysThatFloodStarvesAnother) {
  const double work = kBudget.Cost(std::vector<int>(50, 34)) / kSpeed;
  for (const int floods : {1, 2, 3, 8, 20}) {
    for (uint32_t seed = 1; seed <= 3; ++seed) {
      std::vector<Tenant> tenants(static_cast<size_t>(floods) + 1);
      for (size_t i = 0; i < tenants.size(); ++i) tenants[i] = {std::to_string(i), 20 / work};
      Tenant& modest = tenants[0];
      modest.rate = 0.3 / work / (floods + 1);
      Serve(tenants, 400, seed);
      EXPECT_EQ(modest.refused, 0) << floods << " floods, seed " << seed;
      EXPECT_GT(modest.answered, 0.75 * 400 * modest.rate);
      // A few of its own may be there at once.
      EXPECT_LT(modest.longest, 6 * (floods + 1) * work + 0.1)
          << floods << " floods, seed " << seed;
      int least = tenants[1].answered;
      int most = least;
      int all = modest.answered;
      for (size_t i = 1; i < tenants.size(); ++i) {
        least = std::min(least, tenants[i].answered);
        most = std::max(most, tenants[i].answered);
        all += tenants[i].answered;
      }
      EXPECT_GT(least, 0.8 * most) << "floods are as good as each other";
      EXPECT_GT(all, 0.98 * 400 / work) << "no time is lost";
    }
  }
}

// One that comes when others have filled the queue long since finds a place and its part of the
// engine at once.
TEST(Tenants, WhoComesLastIsServedFirst) {
  const double work = kBudget.Cost(std::vector<int>(50, 34)) / kSpeed;
  std::vector<Tenant> tenants(4);
  for (size_t i = 0; i < tenants.size(); ++i) tenants[i] = {std::to_string(i), 20 / work};
  tenants[3].rate = 0.01 / work;
  Serve(tenants, 600, 1);
  EXPECT_EQ(tenants[3].refused, 0);
  EXPECT_GT(tenants[3].answered, 20);
  EXPECT_LT(tenants[3].longest, 3 * 4 * work + 0.1);
}

}  // namespace
}  // namespace podium
