// An operator new that can be told to fail. Included by one file of a test program, which is then
// that program's for all threads; not under sanitizers, which bring their own.
#ifndef PODIUM_TESTS_SUPPORT_FAILING_NEW_H_
#define PODIUM_TESTS_SUPPORT_FAILING_NEW_H_

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace podium {

/// Allocations until one fails, which is the one that finds 0; negative: none does.
inline std::atomic<int64_t> allocations_left{-1};
/// All after that one fail as well, until allocations_left is negative again.
inline std::atomic<bool> all_fail_from_then{false};

inline void* AllocateOrThrow(size_t size, size_t alignment) {
  int64_t left = allocations_left.load();
  while (left > 0 && !allocations_left.compare_exchange_weak(left, left - 1)) {
  }
  if (left == 0) {
    if (!all_fail_from_then.load()) allocations_left.store(-1);
    throw std::bad_alloc();
  }
  void* const memory =
      std::aligned_alloc(alignment, (size + alignment - (size > 0)) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

// Not inlined: the compiler would take it for the wrong end of a `new`.
[[gnu::noinline]] inline void ReleaseMemory(void* memory) { std::free(memory); }

}  // namespace podium

#define PODIUM_SEEN [[gnu::visibility("default")]]
PODIUM_SEEN void* operator new(size_t size) { return podium::AllocateOrThrow(size, 16); }
PODIUM_SEEN void* operator new[](size_t size) { return podium::AllocateOrThrow(size, 16); }
PODIUM_SEEN void* operator new(size_t size, std::align_val_t alignment) {
  return podium::AllocateOrThrow(size, static_cast<size_t>(alignment));
}
PODIUM_SEEN void operator delete(void* memory) noexcept { podium::ReleaseMemory(memory); }
PODIUM_SEEN void operator delete[](void* memory) noexcept { podium::ReleaseMemory(memory); }
PODIUM_SEEN void operator delete(void* memory, size_t) noexcept { podium::ReleaseMemory(memory); }
PODIUM_SEEN void operator delete[](void* memory, size_t) noexcept { podium::ReleaseMemory(memory); }
PODIUM_SEEN void operator delete(void* memory, std::align_val_t) noexcept {
  podium::ReleaseMemory(memory);
}
PODIUM_SEEN void operator delete(void* memory, size_t, std::align_val_t) noexcept {
  podium::ReleaseMemory(memory);
}
#undef PODIUM_SEEN

#endif  // PODIUM_TESTS_SUPPORT_FAILING_NEW_H_
