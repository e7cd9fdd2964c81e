// Score allocates nothing, by no door: the C library's allocator itself is replaced by one that
// counts, for all threads of the program.
#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "base/team.h"
#include "engine/factory.h"
#include "model/model.h"
#include "tests/golden/golden_file.h"
#include "tests/golden/synthetic_model.h"
#include "tests/support/tables.h"

namespace {
std::atomic<bool> counting{false};
std::atomic<int64_t> allocations{0};
void Count() {
  if (counting.load(std::memory_order_relaxed)) allocations.fetch_add(1, std::memory_order_relaxed);
}
}  // namespace

// operator new ends in malloc too, once libstdc++ can see ours. glibc keeps its own under the names
// with __libc_.
#define PODIUM_SEEN [[gnu::visibility("default")]]
extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* memory, size_t size);
void* __libc_memalign(size_t alignment, size_t size);

PODIUM_SEEN void* malloc(size_t size) {
  Count();
  return __libc_malloc(size);
}
PODIUM_SEEN void* calloc(size_t count, size_t size) {
  Count();
  return __libc_calloc(count, size);
}
PODIUM_SEEN void* realloc(void* memory, size_t size) {
  Count();
  return __libc_realloc(memory, size);
}
PODIUM_SEEN void* aligned_alloc(size_t alignment, size_t size) {
  Count();
  return __libc_memalign(alignment, size);
}
PODIUM_SEEN int posix_memalign(void** memory, size_t alignment, size_t size) {
  Count();
  *memory = __libc_memalign(alignment, size);
  return *memory != nullptr ? 0 : ENOMEM;
}
}

namespace podium {
namespace {

TEST(AllocationTest, TheCounterCounts) {
  // Through pointers the compiler cannot see through: it may drop a pair of malloc and free.
  void* (*volatile plain)(size_t) = std::malloc;
  void* (*volatile aligned)(size_t, size_t) = std::aligned_alloc;
  void* (*volatile object)(size_t) = ::operator new;
  allocations = 0;
  counting = true;
  void* const first = plain(10);
  void* const second = aligned(64, 128);
  void* const third = object(10);
  counting = false;
  std::free(first);
  std::free(second);
  ::operator delete(third);
  EXPECT_EQ(allocations.load(), 3);
}

TEST(AllocationTest, ScoreAllocatesNothing) {
  for (const char* name : {"tiny", "tiny_f16", "tiny_bert"}) {
    const golden::Golden golden = golden::ReadGolden(name);
    const golden::SyntheticModel files(golden.recipe);
    auto model = OpenModel(files.folder());
    ASSERT_TRUE(model.ok()) << model.status().ToString();
    for (const RunnableTable& table : RunnableTables()) {
      SCOPED_TRACE(std::string(name) + " " + table.name());
      for (const int threads : {1, 2, 3}) {
        Team team(threads);
        EngineOptions options;
        options.precision = table.precision;
        options.isa = table.isa;
        auto engine = MakeEngine(*model, options, team);
        ASSERT_TRUE(engine.ok()) << engine.status().ToString();
        auto lane = (*engine)->NewLane(team, LaneLimits());
        ASSERT_TRUE(lane.ok()) << lane.status().ToString();
        golden::CaseBatch batch;
        for (const golden::GoldenCase& one : golden.cases) batch.Add(one);
        std::vector<float> logits(golden.cases.size());
        allocations = 0;
        counting = true;  // from the first call on: nothing is made lazily either
        const Status first = (*lane)->Score(batch.batch(), logits, Interrupt());
        const Status second = (*lane)->Score(batch.batch(), logits, Interrupt());
        counting = false;
        EXPECT_TRUE(first.ok() && second.ok()) << first.ToString() << second.ToString();
        EXPECT_EQ(allocations.load(), 0);
      }
    }
  }
}

}  // namespace
}  // namespace podium
