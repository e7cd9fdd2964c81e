#include "base/arena.h"

#include <sys/mman.h>

namespace podium {

Arena::~Arena() {
  if (data_ != nullptr) munmap(data_, size_);
}

bool Arena::Reserve(size_t bytes) {
  PODIUM_CHECK(data_ == nullptr);
  constexpr size_t kHugePage = size_t{2} << 20;
  const size_t rounded = (bytes + kHugePage - 1) / kHugePage * kHugePage;
  void* memory = mmap(nullptr, rounded, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  madvise(memory, rounded, MADV_HUGEPAGE);  // advice: works without
  data_ = static_cast<std::byte*>(memory);
  size_ = rounded;
  return true;
}

}  // namespace podium
