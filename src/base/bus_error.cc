#include "base/bus_error.h"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <utility>

#include "base/mutex.h"

namespace podium {
namespace {

// Read by the handler while other threads add and remove ranges. `begin` is written last and
// cleared first; 0 is a free slot.
struct Slot {
  std::atomic<uintptr_t> begin{0};
  std::atomic<uintptr_t> end{0};
  std::atomic<bool> lost{false};
};
static_assert(std::atomic<uintptr_t>::is_always_lock_free, "read by a signal handler");
static_assert(std::atomic<bool>::is_always_lock_free, "written by a signal handler");

Slot slots[kMappedRangesMax];
constinit Mutex adding;  // who searches for a free slot

// Written before the handler is installed.
struct sigaction previous;
uintptr_t page_bytes = 0;

// Puts zeros in place of what is left of the range from the faulting page on: whatever is read
// there later would fault too. False when the address is in no range of ours.
bool ReplaceLostPages(uintptr_t address) {
  for (Slot& slot : slots) {
    const uintptr_t begin = slot.begin.load(std::memory_order_acquire);
    const uintptr_t end = slot.end.load(std::memory_order_relaxed);
    if (begin == 0 || address < begin || address >= end) continue;
    if (slot.begin.load(std::memory_order_acquire) != begin) continue;  // just given to another
    slot.lost.store(true);
    const uintptr_t page = address & ~(page_bytes - 1);
    // An address is all that a signal brings.
    void* const first = reinterpret_cast<void*>(page);  // NOLINT(performance-no-int-to-ptr)
    return ::mmap(first, end - page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) !=
           MAP_FAILED;
  }
  return false;
}

void OnBusError(int number, siginfo_t* info, void* context) {
  const int saved_errno = errno;
  // A positive code is a fault of this thread's; others are sent, by kill or by the kernel's
  // warning of failing memory, and hold no address to be read.
  const bool fault = info->si_code == BUS_ADRERR || info->si_code == BUS_OBJERR;
  const bool ours = fault && ReplaceLostPages(reinterpret_cast<uintptr_t>(info->si_addr));
  errno = saved_errno;
  if (ours) return;
  if ((previous.sa_flags & SA_SIGINFO) != 0 && previous.sa_sigaction != nullptr) {
    previous.sa_sigaction(number, info, context);
  } else if (previous.sa_handler == SIG_DFL || (previous.sa_handler == SIG_IGN && fault)) {
    // Delivered as soon as this returns. (A fault cannot be ignored.)
    std::signal(number, SIG_DFL);
    ::raise(number);
  } else if (previous.sa_handler != SIG_IGN) {
    previous.sa_handler(number);
  }
}

bool Install() {
  page_bytes = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  ::sigaction(SIGBUS, nullptr, &previous);
  struct sigaction action = {};
  action.sa_sigaction = OnBusError;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  return ::sigaction(SIGBUS, &action, nullptr) == 0;
}

}  // namespace

void CatchBusErrors() { [[maybe_unused]] static const bool installed = Install(); }

MappedRange::MappedRange(const void* data, size_t size) {
  if (size == 0) return;
  const auto begin = reinterpret_cast<uintptr_t>(data);
  const MutexLock lock(adding);
  for (size_t i = 0; i < kMappedRangesMax; ++i) {
    Slot& slot = slots[i];
    if (slot.begin.load(std::memory_order_relaxed) != 0) continue;
    slot.lost.store(false);
    slot.end.store(begin + size, std::memory_order_relaxed);
    slot.begin.store(begin, std::memory_order_release);
    slot_ = i;
    return;
  }
}

MappedRange::MappedRange(MappedRange&& other) noexcept : slot_(std::exchange(other.slot_, kNone)) {}

MappedRange& MappedRange::operator=(MappedRange&& other) noexcept {
  std::swap(slot_, other.slot_);
  return *this;
}

MappedRange::~MappedRange() {
  if (slot_ != kNone) slots[slot_].begin.store(0, std::memory_order_release);
}

bool MappedRange::lost() const { return slot_ != kNone && slots[slot_].lost.load(); }

}  // namespace podium
