#include "base/heap.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace podium {

void KeepLargeBlocksApart() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 128 << 10);
  // Set together: the one above fixes both. What is free at a heap's end, before it is given back.
  mallopt(M_TRIM_THRESHOLD, 1 << 20);
#endif
}

void ReturnFreeMemory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

}  // namespace podium
